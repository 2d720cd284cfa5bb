/** Closed list of reasons, with meaning and cure. The generator derives the troubleshooting guide from the list. */
interface ReasonDoc {
  means: string;
  cure: string;
  /** Type of the event for an object that waits for a user with this reason. */
  waits?: "Normal" | "Warning";
}

const reasons = {
  Ready: { means: "The cloud object is as specified.", cure: "Nothing to do." },
  Complete: { means: "The cloud has executed the operation.", cure: "Nothing to do." },
  Superseded: {
    means:
      "The operation was complete. Its result was replaced or deleted later, and the operator does not create it again.",
    cure: "Nothing to do. To run the operation again, create a new object.",
  },
  Running: { means: "The cloud is executing the operation.", cure: "Wait." },
  CodeSent: {
    means: "The cloud API sent a code to the phone. The operator waits for the code in the Secret.",
    cure: "Write the code into the Secret in the message before the code expires.",
    waits: "Normal",
  },
  CodeRefused: {
    means: "The cloud API refused the code in the Secret, or the code was used before.",
    cure: "Change spec.resend to get a new code. Then write the new code into the Secret.",
  },
  Expired: {
    means:
      "Before the operation started, spec.notAfter passed, or a user replaced a referenced object. The operator does not start the operation.",
    cure: "Create the object again, if necessary with a later time.",
  },
  NotPermitted: {
    means: "A setting of the operator does not permit this kind of object, or this operation.",
    cure: "Ask the administrator of the operator to set the value in the message, or delete the object.",
  },
  Observed: {
    means: "The policy is Observe: the operator reports the cloud object and does not change it.",
    cure: "Nothing to do.",
  },
  Creating: { means: "The operator is creating the cloud object.", cure: "Wait." },
  Provisioning: {
    means: "The cloud is preparing the cloud object.",
    cure: "Wait. Large databases take half an hour.",
  },
  Updating: { means: "The cloud is executing a change.", cure: "Wait." },
  Deleting: {
    means: "The operator is deleting the object. It also deletes the cloud object, unless deletionPolicy is Orphan.",
    cure: "Wait. If the message names a finalizer, the operator is ready, and the owner of that finalizer must remove it.",
  },
  Paused: {
    means: "The policy is Paused: the operator does not reconcile the object.",
    cure: "Set spec.management.policy to Manage.",
  },
  WaitingForReference: {
    means: "A referenced object does not exist, is not ready, or uses a different CloudAccount.",
    cure: "Create the object, or correct the name. If two objects wait for each other, create one of them again without the reference.",
    waits: "Warning",
  },
  WaitingForSecret: {
    means: "A referenced Secret or its key does not exist.",
    cure: "Create the Secret with the key in the message.",
    waits: "Warning",
  },
  WaitingForAccount: {
    means: "The CloudAccount does not exist or is not ready.",
    cure: "Create the CloudAccount, or read its conditions.",
    waits: "Warning",
  },
  NotShared: {
    means: "The CloudAccount is in another namespace, and its owner does not permit this object in this namespace.",
    cure: "Add this namespace to the list of spec.sharing in the message, or change the object.",
  },
  WaitingForApproval: {
    means: "The policy is Plan, and status.plan contains requests without approval.",
    cure: "Read the plan. To run it once, annotate the object with cloudplatform.dev/approve: <hash>.",
    waits: "Normal",
  },
  ReadOnly: {
    means: "The operator is read-only, and status.plan contains the requests that it would send.",
    cure: "Read the plan. To carry out the plans of all objects, install the operator with readOnly: false. To remove a deleting object and keep its cloud object, use the annotation in the message.",
    waits: "Normal",
  },
  WaitingForDependents: {
    means:
      "Other objects refer to this object, or an unwatched namespace can contain such objects. The operator does not delete the object yet.",
    cure: "Delete or change the objects in the message. For an unwatched namespace, watch the namespace, or withdraw the share.",
    waits: "Warning",
  },
  WaitingForParent: {
    means: "The operator is deleting the parent of this object, and this object together with the parent.",
    cure: "Wait.",
  },
  WaitingForUpload: {
    means: "The image waits for its data from you or another system.",
    cure: "Send the data to the URL in the Secret that the message names, within 24 hours.",
    waits: "Normal",
  },
  Busy: {
    means: "The cloud is changing the cloud object, and the cloud API refuses changes until the end.",
    cure: "Wait. The operator retries after a second, and then less often, at least once per minute.",
  },
  WaitingForChange: {
    means:
      "The cloud API refuses a request, and a second custom resource holds, changes or recently changed the same cloud objects.",
    cure: "Wait, or change the custom resource in the message. The operator retries after each change.",
  },
  RateLimited: { means: "The cloud API asked the operator to send requests later.", cure: "Wait." },
  CloudUnavailable: {
    means: "The cloud API did not respond, or responded with an internal error.",
    cure: "Wait. The operator retries automatically.",
  },
  ClusterUnavailable: {
    means:
      "The Kubernetes API did not respond, responded with an error, or stored different data than the operator wrote.",
    cure: "Wait. The operator retries automatically. If the message names an admission policy or a webhook, correct the policy or the webhook.",
  },
  PermissionsWithdrawn: {
    means: "Kubernetes is deleting the Role or the RoleBinding with the operator's permissions in this namespace.",
    cure: "Install the operator for this namespace again. If Kubernetes is deleting the namespace, do nothing.",
  },
  OutdatedDefinition: {
    means:
      "The definition in the API server lacks a field that this version of the operator knows. The API server drops the field from all objects.",
    cure: "Apply the definitions of the operator's version. Then check spec.management of the objects, because the API server can have dropped fields permanently.",
  },
  InvalidSpec: {
    means:
      "The operator cannot use the spec or a referenced Secret. Examples are an ID that does not exist in the cloud, a malformed password or certificate, a contradiction to another object, and a stored spec that does not match the schema.",
    cure: "Correct the field or the Secret in the message.",
  },
  Unreadable: {
    means:
      "This version of the operator cannot read the cloud object, or a row of its list, in the form that the cloud API returns.",
    cure: "Read the message. Upgrade the operator, or correct the row in the cloud.",
  },
  Refused: {
    means: "The cloud API refuses the request. The message contains the reason of the cloud API.",
    cure: "Correct the field in the message, or remove the obstacle in the cloud. The operator sends the same request again within seconds, then less often, and at least every five minutes.",
  },
  Forbidden: {
    means: "The token lacks a scope, or its user lacks a grant.",
    cure: "Use a token with the scope, or add the grant to the user, for the request in the message. The operator uses a new token immediately, and a new grant after a change of the spec or after about ten minutes.",
  },
  TokenMissing: {
    means: "The Secret with the token, or its key, does not exist.",
    cure: "Create the Secret in spec.tokenSecretRef of the CloudAccount.",
  },
  TokenMalformed: {
    means: "The token contains invalid characters, such as a line break.",
    cure: "Store the token without other text.",
  },
  TokenRejected: {
    means: "The cloud API rejects the token (401).",
    cure: "Store a valid token under the key of the Secret in the message. The operator uses the token immediately.",
  },
  UnknownEndpoint: {
    means: "The operator has no endpoint with this name.",
    cure: "Use one of the endpoints in the message.",
  },
  WrongBrandWord: {
    means: "The cloud API uses a different brand word than the operator. The operator reads and changes nothing.",
    cure: "Set the brand word in the message. The operator then starts again, and connects.",
  },
  AccountChanged: {
    means: "The token belongs to a different account than before. The operator changes nothing.",
    cure: "Restore the former token, or name the new account in spec.expectedAccount.",
  },
  Listed: { means: "The object shows a row of a list in the cloud.", cure: "Nothing to do." },
  Connected: { means: "The cloud API accepts the token.", cure: "Nothing to do." },
  Conflict: {
    means:
      "A cloud object with this name exists, or a second custom resource manages the cloud object. For a kind without names, such as IPAddress: a cloud object without an owner exists.",
    cure: "Adopt the cloud object with spec.management.adopt, or choose a different name. For a kind without names, adopt the cloud object, or name it in the annotation cloudplatform.dev/create-another to request a new one.",
  },
  AdoptionDiffers: {
    means:
      "The adopted cloud object differs from the spec in access, data or cost. The operator changes nothing before your approval.",
    cure: "Read the differences. To keep the cloud, change the spec. To change the cloud, annotate the object with cloudplatform.dev/approve: <hash>.",
    waits: "Warning",
  },
  AdoptionFailed: {
    means: "The cloud object to adopt does not exist, or several cloud objects match the filter.",
    cure: "Correct spec.management.adopt.",
  },
  CreateUncertain: {
    means: "A create request got no response, and the operator cannot find out its result.",
    cure: "Check the cloud. If the cloud object does not exist, permit a new attempt with the annotation cloudplatform.dev/retry-create: <attempt>.",
  },
  CreatedLate: {
    means:
      "The cloud probably executed a create request without a response after the operator sent a second request. Two cloud objects exist.",
    cure: "Delete the cloud object in the message, or manage it with a new custom resource and spec.management.adopt.id.",
  },
  SecretUnknown: {
    means: "The cloud API showed the secret of the cloud object only at the creation, and no Secret contains it.",
    cure: "Change spec.rotation. The operator creates a new cloud object, publishes its secret, and then deletes the old cloud object.",
  },
  OperationUncertain: {
    means: "The operator sent a disruptive operation, and the cloud object does not show the result.",
    cure: "Check the cloud. To send the operation again, set the annotation cloudplatform.dev/retry-operation from the message.",
  },
  Missing: {
    means:
      "The cloud object disappeared. Because it contained data, the operator does not replace it by an empty one. For a setting, such as ReverseDNS: its target, such as an address, does not exist.",
    cure: "Restore the cloud object and adopt it, or set spec.management.missingPolicy to Recreate. For a setting, create the target, or correct the spec.",
    waits: "Warning",
  },
  NotVisible: {
    means: "A restricted token does not see the cloud object. The cause can be a withdrawn grant.",
    cure: "Restore the grant.",
  },
  Drifted: {
    means: "The cloud object differs from the spec, and the operator does not change it.",
    cure: "Change the spec or the cloud object, or set spec.management.driftPolicy to Correct.",
  },
  DisruptionNotAllowed: {
    means: "The spec does not permit a change that would disrupt the cloud object.",
    cure: "Add the change to spec.allowDisruption.",
  },
  Failed: {
    means: "The cloud API reports a failure of the cloud object.",
    cure: "Read the messages of the cloud. To start again, delete the object.",
  },
  InternalError: {
    means: "The operator had an unexpected error.",
    cure: "Read the log of the operator, and report the error.",
  },
} as const satisfies Record<string, ReasonDoc>;

export type Reason = keyof typeof reasons;

export const reasonDocs: Record<Reason, ReasonDoc> = reasons;

/**
 * The closed vocabulary of reasons. Each has its meaning and its cure; the troubleshooting guide is generated from it.
 */
interface ReasonDoc {
  means: string;
  cure: string;
  /** A person must act for what waits with this reason: an event of this type says so. */
  waits?: "Normal" | "Warning";
}

const reasons = {
  Ready: { means: "The cloud object is as the spec says.", cure: "Nothing to do." },
  Complete: { means: "The cloud has carried out what was asked for.", cure: "Nothing to do." },
  Superseded: {
    means: "It was complete, and what it made was replaced or deleted since. It is not made again.",
    cure: "Nothing to do; to make it again, create a new object.",
  },
  Running: { means: "The cloud is carrying out what was asked for.", cure: "Wait." },
  CodeSent: {
    means: "A code was sent to the phone. The operator waits until it is in the Secret.",
    cure: "Put the code into the Secret that the message names, in time.",
    waits: "Normal",
  },
  CodeRefused: {
    means: "The code in the Secret was not accepted, or was used before.",
    cure: "Change spec.resend to get another code. Then put that code into the Secret.",
  },
  Expired: {
    means: "spec.notAfter passed before it was started. It is not started any more.",
    cure: "Create a new object with a later time.",
  },
  NotPermitted: {
    means: "A setting of the operator does not permit this kind of object, or what it asks for.",
    cure: "Ask the administrator of the operator to set the value that the message names, or delete the object.",
  },
  Observed: { means: "The policy is Observe: the cloud object is reported and not changed.", cure: "Nothing to do." },
  Creating: { means: "The cloud object is being created.", cure: "Wait." },
  Provisioning: {
    means: "The cloud is preparing the cloud object.",
    cure: "Wait; large databases take half an hour.",
  },
  Updating: { means: "A change is under way in the cloud.", cure: "Wait." },
  Deleting: {
    means: "The object is being deleted, and its cloud object with it where that does not stay.",
    cure: "Wait. Where the message names a finalizer, the operator is done: whoever has set that finalizer must remove it.",
  },
  Paused: {
    means: "The policy is Paused: the object is not reconciled.",
    cure: "Set spec.management.policy to Manage.",
  },
  WaitingForReference: {
    means: "A referenced object does not exist or is not ready.",
    cure: "Create it, or correct the name. Of two that wait for each other, create one again without the reference.",
    waits: "Warning",
  },
  WaitingForSecret: {
    means: "A referenced Secret or its key does not exist.",
    cure: "Create the Secret with the key that the message names.",
    waits: "Warning",
  },
  WaitingForAccount: {
    means: "The CloudAccount does not exist or is not ready.",
    cure: "Create it, or see its own conditions.",
    waits: "Warning",
  },
  NotShared: {
    means:
      "The owner of the CloudAccount, which is in another namespace, does not permit this object to this namespace.",
    cure: "Add this namespace to the list of spec.sharing that the message names, or change the object.",
  },
  WaitingForApproval: {
    means: "The policy is Plan, and status.plan holds requests that were not approved.",
    cure: "Read the plan; to let it run once, annotate the object with cloudplatform.dev/approve: <hash>.",
    waits: "Normal",
  },
  WaitingForDependents: {
    means:
      "Other objects still refer to this one, or can do so in a namespace that the operator does not watch. The operator does not delete it yet.",
    cure: "Delete or change the objects that the message names. For an unwatched namespace, watch the namespace, or withdraw the share.",
    waits: "Warning",
  },
  WaitingForParent: {
    means: "The object that contains this one is being deleted, and this object with it.",
    cure: "Wait.",
  },
  WaitingForUpload: {
    means: "The image waits for its data, which you or another system must send.",
    cure: "Send it to the URL in the Secret that the message names, within 24 hours.",
    waits: "Normal",
  },
  Busy: {
    means: "The cloud is changing the cloud object, and the cloud API refuses changes until that is done.",
    cure: "Wait: the request is sent again after a second, and then ever less often, up to a minute.",
  },
  WaitingForChange: {
    means:
      "The cloud API refuses a request, and a second custom resource holds, changes or has just changed the same cloud objects.",
    cure: "Wait, or change the custom resource that the message names. The operator sends the request again after each change.",
  },
  RateLimited: { means: "The cloud API asked the operator to send requests later.", cure: "Wait." },
  CloudUnavailable: {
    means: "The cloud API did not respond, or responded with an internal error.",
    cure: "Wait; the operator retries automatically.",
  },
  ClusterUnavailable: {
    means:
      "The Kubernetes API did not respond, responded with an error, or stored something else than the operator has written.",
    cure: "Wait; the operator retries automatically. Where the message names an admission policy or a webhook, correct that.",
  },
  PermissionsWithdrawn: {
    means: "The Role or RoleBinding that gives the operator its permissions in this namespace is being deleted.",
    cure: "Install the operator for this namespace again. If the namespace is being deleted, do nothing.",
  },
  OutdatedDefinition: {
    means:
      "The API server serves a definition of the kind without a field that this version of the operator knows, and drops the field from all objects.",
    cure: "Apply the definitions of the operator's version. Then check spec.management of the objects, because the API server may have dropped fields for good.",
  },
  InvalidSpec: {
    means:
      "What the spec says, or what a Secret that it names holds, cannot be used: an id that the cloud does not have, a password or certificate of another form, a field that contradicts another object, or a stored spec that does not match the schema.",
    cure: "Correct the field, or the Secret, that the message names.",
  },
  Unreadable: {
    means:
      "The cloud API shows the cloud object, or a row of a list that it is looked for in, in a form that this version of the operator cannot read.",
    cure: "See what the message names; upgrade the operator, or correct the row in the cloud.",
  },
  Refused: {
    means: "The cloud API refuses what the spec asks for.",
    cure: "Correct the field that the message names, or remove what stands in the way in the cloud; the reason is that of the cloud API. The operator sends the same request again within seconds, then less often, and at least every five minutes.",
  },
  Forbidden: {
    means: "A scope of the token or a grant of its user is missing.",
    cure: "Use a token with the scope, or add the grant to its user, for the request that the message names. A new token is used at once; a new grant once the spec is changed, or after some ten minutes.",
  },
  TokenMissing: {
    means: "The Secret with the token, or its key, does not exist.",
    cure: "Create the Secret that spec.tokenSecretRef of the CloudAccount names.",
  },
  TokenMalformed: {
    means: "The token contains characters that a token never has, such as a line break.",
    cure: "Store the token alone.",
  },
  TokenRejected: {
    means: "The cloud API does not accept the token (401).",
    cure: "Store a valid token under the key of the Secret that the message names; the operator uses it at once.",
  },
  UnknownEndpoint: {
    means: "The operator has no endpoint of this name.",
    cure: "Use one of the endpoints that the message names.",
  },
  AccountChanged: {
    means: "The token belongs to another account than before; nothing is changed.",
    cure: "Restore the former token, or name the new account in spec.expectedAccount.",
  },
  Listed: { means: "The object shows what the cloud lists.", cure: "Nothing to do." },
  Connected: { means: "The token is accepted.", cure: "Nothing to do." },
  Conflict: {
    means:
      "Something with this name exists already, or another object manages it. Of a kind without names, such as IPAddress: one that no custom resource owns exists already.",
    cure: "Adopt it with spec.management.adopt, or choose another name. For a kind without names: adopt it, or name it in the annotation cloudplatform.dev/create-another to request another one.",
  },
  AdoptionFailed: {
    means: "The cloud object to adopt does not exist, or the filter matches more than one.",
    cure: "Correct spec.management.adopt.",
  },
  CreateUncertain: {
    means: "A create request got no response, and the operator cannot find out whether it was carried out.",
    cure: "Check the cloud. If the object does not exist there, allow another attempt with the annotation cloudplatform.dev/retry-create: <attempt>.",
  },
  CreatedLate: {
    means:
      "A create request that got no response seems to have been carried out after another one was sent, so that there are two cloud objects.",
    cure: "Delete the one that the message names in the cloud, or manage it with an object of its own, by spec.management.adopt.id.",
  },
  SecretUnknown: {
    means: "The cloud API showed the secret of the cloud object once, at its creation, and no Secret holds it.",
    cure: "Change spec.rotation: a new one is created and published, and then the former one is deleted.",
  },
  OperationUncertain: {
    means: "A disruptive operation was sent, and the cloud object does not show that it was done.",
    cure: "Check the cloud. To send it again, set the annotation cloudplatform.dev/retry-operation that the message names.",
  },
  Missing: {
    means:
      "The cloud object does not exist any more, and it held data, so it is not replaced by an empty one. Of a setting, such as a ReverseDNS: what it is to be set on, such as an address, does not exist.",
    cure: "Restore the cloud object and adopt it, or set spec.management.missingPolicy to Recreate. For a setting: create what the spec names, or correct the spec.",
    waits: "Warning",
  },
  NotVisible: {
    means: "A restricted token does not see the cloud object; the grant may have been withdrawn.",
    cure: "Restore the grant.",
  },
  Drifted: {
    means: "The cloud object differs from the spec and is not changed.",
    cure: "Change the spec or the cloud object, or set spec.management.driftPolicy to Correct.",
  },
  DisruptionNotAllowed: {
    means: "The change would disrupt the cloud object and is not allowed.",
    cure: "Add it to spec.allowDisruption.",
  },
  Failed: {
    means: "The cloud API reports that the cloud object failed.",
    cure: "See the messages of the cloud; delete the object to start again.",
  },
  InternalError: {
    means: "An unexpected error occurred in the operator.",
    cure: "See the log of the operator, and report the error.",
  },
} as const satisfies Record<string, ReasonDoc>;

export type Reason = keyof typeof reasons;

export const reasonDocs: Record<Reason, ReasonDoc> = reasons;

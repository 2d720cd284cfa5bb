/**
 * The closed vocabulary of reasons. Each says what it means and what cures it; the troubleshooting guide is made of it.
 */
interface ReasonDoc {
  means: string;
  cure: string;
}

const reasons = {
  Ready: { means: "The cloud object is as the spec says.", cure: "Nothing to do." },
  Observed: { means: "The policy is Observe: the cloud object is reported and left alone.", cure: "Nothing to do." },
  Creating: { means: "The cloud object is being created.", cure: "Wait." },
  Provisioning: {
    means: "The service is preparing the cloud object.",
    cure: "Wait; large databases take half an hour.",
  },
  Updating: { means: "A change is under way in the cloud.", cure: "Wait." },
  Deleting: { means: "The cloud object is being deleted.", cure: "Wait." },
  Paused: {
    means: "The policy is Paused: nothing is looked at or changed.",
    cure: "Set spec.management.policy to Manage.",
  },
  WaitingForReference: {
    means: "A referenced object does not exist or is not ready.",
    cure: "Create it, or correct the name.",
  },
  WaitingForSecret: {
    means: "A referenced Secret or its key does not exist.",
    cure: "Create the Secret with the key that the message names.",
  },
  WaitingForAccount: {
    means: "The CloudAccount does not exist or is not ready.",
    cure: "Create it, or see its own conditions.",
  },
  NotShared: {
    means: "The CloudAccount is in another namespace and not shared with this one.",
    cure: "Add this namespace to spec.sharing of the account.",
  },
  WaitingForDependents: {
    means: "Other objects still refer to this one, so that it is not deleted yet.",
    cure: "Delete or change the objects that the message names.",
  },
  WaitingForParent: { means: "The object that contains this one is being deleted and takes it along.", cure: "Wait." },
  Busy: { means: "The service is working on the cloud object and refuses changes until it is done.", cure: "Wait." },
  RateLimited: { means: "The service asked to come back later.", cure: "Wait." },
  CloudUnavailable: {
    means: "The service did not answer, or answered with a fault of its own.",
    cure: "Wait; it is tried again by itself.",
  },
  ClusterUnavailable: {
    means: "The Kubernetes API did not answer as it should.",
    cure: "Wait; it is tried again by itself.",
  },
  RightsWithdrawn: {
    means: "The Role or RoleBinding that gives the operator its rights in this namespace is being deleted.",
    cure: "Install the operator for this namespace again; when the namespace itself is being deleted, nothing is to be done.",
  },
  InvalidSpec: { means: "The stored spec does not fit the schema.", cure: "Correct the field that the message names." },
  Unreadable: {
    means: "The cloud API shows the cloud object in a form that this version of the operator cannot read.",
    cure: "See the field that the message names; upgrade the operator.",
  },
  Refused: {
    means: "The service refuses what the spec asks for.",
    cure: "Correct the field that the message names; it is the service's own reason.",
  },
  Forbidden: {
    means: "The token lacks a scope, or its user lacks a grant.",
    cure: "Give the token the scope, or its user the grant, for the request that the message names.",
  },
  TokenMissing: {
    means: "The Secret with the token, or its key, does not exist.",
    cure: "Create the Secret that spec.tokenSecretRef of the CloudAccount names.",
  },
  TokenMalformed: {
    means: "The token holds characters that no token has, such as a line break.",
    cure: "Store the bare token.",
  },
  TokenRejected: {
    means: "The service does not accept the token (401).",
    cure: "Store a valid token in the Secret; it is used at once.",
  },
  UnknownEndpoint: {
    means: "The operator has no endpoint of this name.",
    cure: "Use a name from the operator's configuration.",
  },
  AccountChanged: {
    means: "The token belongs to another account than before; nothing is changed.",
    cure: "Restore the former token, or name the new account in spec.expectedAccount.",
  },
  Connected: { means: "The token is accepted.", cure: "Nothing to do." },
  Conflict: {
    means: "Something with this name exists already, or another object manages it.",
    cure: "Adopt it with spec.management.adopt, or choose another name.",
  },
  AdoptionFailed: {
    means: "The object to adopt was not found, or the filter fits more than one.",
    cure: "Correct spec.management.adopt.",
  },
  CreateUncertain: {
    means: "The answer to a creation was lost, and it could not be found out whether it was done.",
    cure: "Look in the cloud; if it is not there, allow another try with the annotation cloudplatform.dev/retry-create: <attempt>.",
  },
  CreatedLate: {
    means:
      "A create request that got no response seems to have been carried out after another one was sent, so that there are two cloud objects.",
    cure: "Delete the one that the message names in the cloud, or manage it with an object of its own, by spec.management.adopt.id.",
  },
  OperationUncertain: {
    means: "A disruptive operation was sent, and the cloud object does not show that it was done.",
    cure: "Look in the cloud; to send it again, use the annotation cloudplatform.dev/retry-operation that the message names.",
  },
  Missing: {
    means: "The cloud object vanished, and it held data, so that nothing empty takes its place.",
    cure: "Restore it and adopt it, or set missingPolicy to Recreate.",
  },
  NotVisible: {
    means: "A restricted token does not see the cloud object; the grant may have been withdrawn.",
    cure: "Restore the grant.",
  },
  Drifted: {
    means: "The cloud object differs from the spec and is left so.",
    cure: "Change the spec or the cloud object, or set driftPolicy to Correct.",
  },
  InSync: { means: "No difference.", cure: "Nothing to do." },
  DisruptionNotAllowed: {
    means: "The change would disrupt and is not allowed.",
    cure: "Add it to spec.allowDisruption.",
  },
  Failed: {
    means: "The service says that the cloud object failed.",
    cure: "See the service's own messages; delete the object to start again.",
  },
  InternalError: {
    means: "The operator met something it does not understand.",
    cure: "See the operator's log; please report it.",
  },
} as const satisfies Record<string, ReasonDoc>;

export type Reason = keyof typeof reasons;

export const reasonDocs: Record<Reason, ReasonDoc> = reasons;

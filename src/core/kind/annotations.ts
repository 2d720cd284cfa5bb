/** Annotations and labels of the operator. */

/** The signed journal entry of an object. */
export const journalAnnotation = "cloudplatform.dev/journal";
/** The user permits a new create request after an unanswered attempt. The value is the attempt. */
export const retryCreateAnnotation = "cloudplatform.dev/retry-create";
/** The user permits a create request in addition to existing cloud objects. The value is their IDs, separated by commas. */
export const createAnotherAnnotation = "cloudplatform.dev/create-another";
/** The user permits a retry of an operation. The value is the operation. */
export const retryOperationAnnotation = "cloudplatform.dev/retry-operation";
/** With the value `true`, the operator keeps the cloud object when the user deletes the object. */
export const orphanAnnotation = "cloudplatform.dev/orphan";
/** The user approves a plan. The value is the hash of the plan. */
export const approveAnnotation = "cloudplatform.dev/approve";
/** The value is the hash of the last executed plan. */
export const approvedAnnotation = "cloudplatform.dev/approved";
/** The value is the lease, `namespace/name`, of the operator that manages the object. */
export const operatorAnnotation = "cloudplatform.dev/operator";
/**
 * Label of Secrets with connection data. After a change of the Secret's name, the operator deletes only a Secret with this label.
 */
export const publishedLabel = "cloudplatform.dev/published";

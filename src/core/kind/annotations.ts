/** Annotations and labels of the operator. */

/** The signed journal entry of an object. */
export const intentAnnotation = "cloudplatform.dev/intent";
/** The value is the attempt beside which another create request is allowed. */
export const retryCreateAnnotation = "cloudplatform.dev/retry-create";
/** The value is the IDs, separated by commas, of existing cloud objects beside which another one is requested. */
export const createAnotherAnnotation = "cloudplatform.dev/create-another";
/** The value is the operation that the operator may send again. */
export const retryOperationAnnotation = "cloudplatform.dev/retry-operation";
/** With the value `true`, the cloud object stays when the object is deleted. */
export const letGoAnnotation = "cloudplatform.dev/let-go";
/** The value is the hash of the plan that may run. */
export const approveAnnotation = "cloudplatform.dev/approve";
/** The hash of the plan that ran last. */
export const approvedAnnotation = "cloudplatform.dev/approved";
/** The lease, `namespace/name`, of the operator that manages the object. */
export const operatorAnnotation = "cloudplatform.dev/operator";
/** On Secrets with connection data. The operator deletes no other Secret after a change of the name. */
export const publishedLabel = "cloudplatform.dev/published";

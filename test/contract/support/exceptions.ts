/** Changes that no call of the cloud follows from, each with its reason. */
const here: Record<string, Record<string, string>> = {
  Bucket: { forceEmpty: "says what a later deletion may do" },
  ObjectStorageKey: { secretName: "names a Secret in the cluster" },
  PresignedURL: { secretName: "names a Secret in the cluster" },
  ManagedMySQL: { connectionSecretName: "names a Secret in the cluster" },
};

/** True for a change that concerns the cluster or the operator alone. */
export function onlyHere(kind: string, field: string): boolean {
  return here[kind]?.[field] !== undefined;
}

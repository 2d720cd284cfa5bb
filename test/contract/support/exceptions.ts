/** Changes that no call of the cloud follows from, each with its reason. */
const here: Record<string, Record<string, string>> = {
  Bucket: { forceEmpty: "says what a later deletion may do" },
  ObjectStorageKey: { secretName: "names a Secret in the cluster" },
  ManagedMySQL: { connectionSecretName: "names a Secret in the cluster" },
};

/** True for a change that concerns the cluster or the operator alone. */
export function onlyHere(kind: string, field: string): boolean {
  return here[kind]?.[field] !== undefined;
}

/** Kinds whose creation, sent again, changes what is there, each with what it changes. */
const changing: Record<string, string> = { Tag: "puts the tag on further objects" };

/** True where a second request of this sort is no second creation. */
export function isSentToChange(kind: string): boolean {
  return changing[kind] !== undefined;
}

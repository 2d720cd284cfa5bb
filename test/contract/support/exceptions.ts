const named = "is about a Secret in the cluster";

/** Changes that no call of the cloud follows from, each with its reason. */
const here: Record<string, Record<string, string>> = {
  Bucket: { forceEmpty: "says what a later deletion may do" },
  ObjectStorageKey: { secretName: named, connectionSecret: named },
  PresignedURL: { secretName: named, connectionSecret: named },
  ManagedMySQL: { connectionSecretName: named, connectionSecret: named },
};

/** True for a change that concerns the cluster or the operator alone. */
export function onlyHere(kind: string, field: string): boolean {
  return here[kind]?.[field] !== undefined;
}

const persons: Record<string, string> = {
  PhoneVerification: "a code that comes by SMS is asked for once, and again only by a person",
};

/** True where a person takes part: what was set by hand, or got no response, is not set again by itself. */
export function needsPerson(kind: string): boolean {
  return persons[kind] !== undefined;
}

/** Kinds whose creation, sent again, changes what is there, each with what it changes. */
const changing: Record<string, string> = { Tag: "puts the tag on further objects" };

/** True where a second request of this sort is no second creation. */
export function isSentToChange(kind: string): boolean {
  return changing[kind] !== undefined;
}

/** Facts that lists of the API do not show. */
import type { PlannedObject } from "./plan.ts";
import type { AccountReads } from "./read-account.ts";

/** By kind: what a copy cannot contain, and can change operations of the kind. */
const hidden: Record<string, string> = {
  Bucket: "names and contents of the objects in buckets",
  BucketObject: "names and contents of the objects in buckets",
  BucketCertificate: "certificates of buckets",
  ComputeInstance: "user data of instances, passwords, and the images of disks",
  ComputeDisk: "passwords and the images of disks",
  ManagedMySQL: "credentials of databases",
  ObjectStorageKey: "secret keys of object storage keys",
};

/** Returns one line for each unknown fact about the objects of a plan. */
export function unknownOf({ failed }: AccountReads, objects: readonly PlannedObject[]): string[] {
  const about = objects.filter(({ operations }) => operations.length > 0).flatMap(({ kind }) => hidden[kind] ?? []);
  return [...new Set(about), ...failed.map(({ path, why }) => `${path} is not readable: ${why}`)];
}

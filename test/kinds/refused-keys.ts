/** Specs of ObjectStorageKeys that are refused: part of refused.ts. */
import type { Refused } from "./refused.ts";

const reader = { bucketRef: { name: "media" }, permissions: "read_only" };
export const refusedKeys: Omit<Refused, "kind">[] = [
  {
    because: "a bucket is named once",
    spec: { bucketAccess: [reader, { ...reader, permissions: "read_write" }] },
    says: "must name each bucket once",
  },
  {
    because: "a bucket's id is its cluster and its label",
    spec: { bucketAccess: [{ ...reader, bucketRef: { id: "1001" } }] },
    says: "must be the cluster (or region) and the label of a bucket",
  },
  {
    because: "permissions are the API's",
    spec: { bucketAccess: [{ ...reader, permissions: "write" }] },
    says: "permissions",
  },
  { because: "a counter is no fraction", spec: { rotation: 1.5 }, says: "spec.rotation" },
  { because: "a Secret's name is in lower case", spec: { secretName: "Media" }, says: "spec.secretName" },
];

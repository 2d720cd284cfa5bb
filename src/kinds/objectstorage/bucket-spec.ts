/** What a Bucket takes: part 3, section 2.1. */
import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import { from, immutable, matching, ownName } from "../../core/kind/schema.ts";

/** The documents give no bounds; these are what a host name allows, and the label is part of the bucket's. */
const label = matching(
  asValue(z.string().min(3).max(63)).describe(
    "Label of the bucket, unique in its cluster; the object's name if not given. Cannot be changed.",
  ),
  "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$",
  "must have only lower case letters, digits, dashes and periods, and begin and end with a letter or digit",
);

const cluster = matching(
  z
    .string()
    .min(1)
    .max(63)
    .describe("Cluster or region that holds the bucket, such as us-east-1 or us-east. Cannot be changed."),
  "^[a-z0-9-]+$",
  "must be the id of a cluster or region, such as us-east-1",
);

/** How a bucket is named by its cluster and its label. */
export const bucketId = {
  pattern: "^[a-z0-9-]{1,63}/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$",
  message: "must be the cluster (or region) and the label of a bucket, such as us-east-1/media",
};

export const bucketSpec = z.object({
  label: immutable(label, { absent: ownName }).optional(),
  cluster: immutable(from("ObjectStorageCluster", cluster)),
  acl: z
    .enum(["private", "public-read", "authenticated-read", "public-read-write"])
    .describe("Who may read and write the bucket; a new one is private if not given.")
    .optional(),
  corsEnabled: z
    .boolean()
    .describe("Whether web pages of any origin may use it; a new bucket's is off if not given.")
    .optional(),
  forceEmpty: z
    .boolean()
    .describe(
      "When this object is deleted, remove what is in the bucket first. Without it a bucket that is not empty stays, and so does this object.",
    )
    .optional(),
});

/** Path of a bucket: its cluster and its label are two segments. */
export function bucketPath(id: string): string {
  return `/object-storage/buckets/${id.split("/").map(encodeURIComponent).join("/")}`;
}

/** Fields and rules of a Bucket: part 3, section 2.1. */
import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import { from, immutable, initially, matching, ownName } from "../../core/kind/schema.ts";

/** The documents contain no bounds. The label is part of the host name of the bucket, so the bounds are the bounds of host names. */
const label = matching(
  asValue(z.string().min(3).max(63)).describe(
    "Label of the bucket, unique in its cluster. Defaults to the name of the object. Cannot be changed.",
  ),
  "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$",
  "must have only lower case letters, digits, dashes and periods, and begin and end with a letter or digit",
);

const cluster = matching(
  z
    .string()
    .min(1)
    .max(63)
    .describe("Cluster or region of the bucket, such as us-east-1 or us-east. Cannot be changed."),
  "^[a-z0-9-]+$",
  "must be the id of a cluster or region, such as us-east-1",
);

/** ID of a bucket: its cluster and its label. */
export const bucketId = {
  pattern: "^[a-z0-9-]{1,63}/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$",
  message: "must be the cluster (or region) and the label of a bucket, such as us-east-1/media",
};

export const bucketSpec = z.object({
  label: immutable(label, { absent: ownName }).optional(),
  cluster: immutable(from("ObjectStorageCluster", cluster)),
  acl: initially(
    "private",
    z
      .enum(["private", "public-read", "authenticated-read", "public-read-write"])
      .describe(
        "Read and write access to the bucket. If absent, a new bucket is private, and the operator never changes the access. With public-read-write, every client can write, at your cost.",
      ),
  ).optional(),
  corsEnabled: initially(
    false,
    z
      .boolean()
      .describe(
        "Whether web pages of every origin may use the bucket (CORS). If absent, a new bucket has CORS off, and the operator never changes the setting.",
      ),
  ).optional(),
  forceEmpty: z
    .boolean()
    .describe(
      "Deletes all data in the bucket when you delete this object. Defaults to false: a bucket with data then stays in the cloud, and this object waits.",
    )
    .optional(),
});

/** Returns the path of a bucket. The cluster and the label are two segments. */
export function bucketPath(id: string): string {
  return `/object-storage/buckets/${id.split("/").map(encodeURIComponent).join("/")}`;
}

/** Buckets of an access key. */
import * as z from "zod";
import type { Json } from "../../api/types.ts";
import type { Resolved } from "../../core/kind/reference.ts";
import { orderedList, referenceTo, rule } from "../../core/kind/schema.ts";
import { bucketId } from "./bucket-spec.ts";

const permissions = z.enum(["read_write", "read_only"]).describe("Permissions of the key in the bucket.");

const bucketText =
  "has(one.bucketRef.name) ? 'name ' + one.bucketRef.name : has(one.bucketRef.id) ? 'id ' + one.bucketRef.id : ''";

/** The buckets in the spec. */
export const bucketAccess = rule(
  orderedList(z.object({ bucketRef: referenceTo("Bucket", bucketId), permissions }), 32).describe(
    "Buckets of the key. An empty list gives access to no bucket. If absent, the key gives access to every bucket of the account. Cannot be changed.",
  ),
  {
    cel: `[self.map(one, ${bucketText})].all(texts, texts.all(text, texts.indexOf(text) == texts.lastIndexOf(text)))`,
    check: (list) => new Set(list.map(({ bucketRef }) => JSON.stringify(bucketRef))).size === list.length,
    message: "must name each bucket once",
  },
);

/** For a bucket of a newer region, the cloud API shows only the region. */
export const wireAccess = z.object({
  cluster: z.string().nullish(),
  region: z.string().nullish(),
  bucket_name: z.string(),
  permissions: z.string(),
});

// A type, because an interface has no index signature and does not match JsonObject.
type BucketParts = { cluster: string; bucket_name: string };

/** Splits the ID of a bucket into the fields of a request body. */
export function partsOf(id: string): BucketParts {
  const [cluster = "", bucket = ""] = id.split("/");
  return { cluster, bucket_name: bucket };
}

/** Returns an entry with the cluster of the bucket. In a region without clusters, the region replaces the cluster. */
export function placed({
  cluster,
  region,
  ...rest
}: z.output<typeof wireAccess>): BucketParts & { permissions: string } {
  return { cluster: cluster || region || "", ...rest };
}

/** The fields of a row with the buckets of a key. */
interface KeyRow {
  limited?: boolean | null | undefined;
  bucket_access?: unknown[] | null | undefined;
}

/** Returns true if the key gives access only to listed buckets. */
export function isLimited({ limited, bucket_access: list }: KeyRow): boolean {
  return limited ?? Array.isArray(list);
}

/** Returns the list in the form of a spec. */
export function inSpec(list: Json | undefined): Json | undefined {
  const placedList = list as (BucketParts & { permissions: string })[] | undefined;
  return placedList?.map(({ cluster, bucket_name: bucket, permissions: given }) => ({
    bucketRef: { id: `${cluster}/${bucket}` },
    permissions: given,
  }));
}

/** Sorts the list, because the cloud API ignores the order. */
export function sorted<T extends BucketParts>(list: T[]): T[] {
  const text = ({ cluster, bucket_name: bucket }: T): string => `${cluster}/${bucket}`;
  return list.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}

/** Returns region and endpoint, if all buckets are in one cluster. The endpoint is the host name of a bucket without the label. */
export function placeOf(buckets: Resolved[]): Record<string, string> {
  const [place, ...others] = new Set(buckets.map(({ id }) => partsOf(id).cluster));
  if (place === undefined || others.length > 0) return {};
  const [host] = buckets.flatMap(({ id, status: { hostname } = {} }) => {
    const label = `${partsOf(id).bucket_name}.`;
    return typeof hostname === "string" && hostname.startsWith(label) ? [hostname.slice(label.length)] : [];
  });
  return { AWS_REGION: place, ...(host !== undefined && { AWS_ENDPOINT_URL: `https://${host}` }) };
}

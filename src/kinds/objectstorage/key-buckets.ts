/** The buckets that a key gives access to. */
import * as z from "zod";
import type { Json } from "../../api/types.ts";
import type { Resolved } from "../../core/kind/reference.ts";
import { orderedList, referenceTo, rule } from "../../core/kind/schema.ts";
import { bucketId } from "./bucket-spec.ts";

const permissions = z.enum(["read_write", "read_only"]).describe("What the key may do in the bucket.");

const bucketText =
  "has(one.bucketRef.name) ? 'name ' + one.bucketRef.name : has(one.bucketRef.id) ? 'id ' + one.bucketRef.id : ''";

/** The buckets in the spec. */
export const bucketAccess = rule(
  orderedList(z.object({ bucketRef: referenceTo("Bucket", bucketId), permissions }), 32).describe(
    "The buckets that the key gives access to; none if empty. If not given, the key gives access to every bucket of the account. Cannot be changed.",
  ),
  {
    cel: `[self.map(one, ${bucketText})].all(texts, texts.all(text, texts.indexOf(text) == texts.lastIndexOf(text)))`,
    check: (list) => new Set(list.map(({ bucketRef }) => JSON.stringify(bucketRef))).size === list.length,
    message: "must name each bucket once",
  },
);

/** A bucket of a newer region is shown with the region alone. */
export const wireAccess = z.object({
  cluster: z.string().nullish(),
  region: z.string().nullish(),
  bucket_name: z.string(),
  permissions: z.string(),
});

// A type, since an interface has no index signature and so is no JSON object.
type BucketParts = { cluster: string; bucket_name: string };

/** The id of a bucket consists of what the body names it by. */
export function partsOf(id: string): BucketParts {
  const [cluster = "", bucket = ""] = id.split("/");
  return { cluster, bucket_name: bucket };
}

/** Named as the bucket's id names it: by its cluster, or by its region where that has none. */
export function placed({
  cluster,
  region,
  ...rest
}: z.output<typeof wireAccess>): BucketParts & { permissions: string } {
  return { cluster: cluster || region || "", ...rest };
}

/** What a row shows of the buckets of a key. */
interface KeyRow {
  limited?: boolean | null | undefined;
  bucket_access?: unknown[] | null | undefined;
}

/** True for a key that gives access to the buckets of its list alone. */
export function isLimited({ limited, bucket_access: list }: KeyRow): boolean {
  return limited ?? Array.isArray(list);
}

/** The list as a spec says it. */
export function inSpec(list: Json | undefined): Json | undefined {
  const placedList = list as (BucketParts & { permissions: string })[] | undefined;
  return placedList?.map(({ cluster, bucket_name: bucket, permissions: given }) => ({
    bucketRef: { id: `${cluster}/${bucket}` },
    permissions: given,
  }));
}

/** Order means nothing. */
export function sorted<T extends BucketParts>(list: T[]): T[] {
  const text = ({ cluster, bucket_name: bucket }: T): string => `${cluster}/${bucket}`;
  return list.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}

/** Where the key is used, if that is one cluster; its host is what a bucket's host name has after the label. */
export function placeOf(buckets: Resolved[]): Record<string, string> {
  const [place, ...others] = new Set(buckets.map(({ id }) => partsOf(id).cluster));
  if (place === undefined || others.length > 0) return {};
  const [host] = buckets.flatMap(({ id, status: { hostname } = {} }) => {
    const label = `${partsOf(id).bucket_name}.`;
    return typeof hostname === "string" && hostname.startsWith(label) ? [hostname.slice(label.length)] : [];
  });
  return { AWS_REGION: place, ...(host !== undefined && { AWS_ENDPOINT_URL: `https://${host}` }) };
}

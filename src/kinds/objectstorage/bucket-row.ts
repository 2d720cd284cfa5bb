/** A row of the account's buckets: all kinds that read the list read the same of it, and name it in the same way. */
import * as z from "zod";

export const bucketRow = z.object({
  label: z.string(),
  cluster: z.string().nullish(),
  region: z.string().nullish(),
  hostname: z.string().nullish(),
  created: z.string().nullish(),
});

/** Newer regions have no clusters. */
export function identifyBucket({ cluster, region, label: name }: z.output<typeof bucketRow>): string {
  const place = cluster || region;
  if (typeof place === "string" && place !== "" && typeof name === "string") return `${place}/${name}`;
  throw new TypeError("a row has no cluster, or no label");
}

/** Whether the bucket is in what is named: a cluster, or a region for its cluster. A row of a newer region names no cluster, whichever was asked for. */
export function isIn({ cluster, region }: z.output<typeof bucketRow>, place: string): boolean {
  if (place === region || place === cluster) return true;
  return Boolean(region) && !cluster && place.replace(/-\d+$/, "") === region;
}

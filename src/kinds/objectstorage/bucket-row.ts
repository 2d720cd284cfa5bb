/** A row of the bucket list of the account. All kinds read the same fields, and build the same ID. */
import * as z from "zod";

export const bucketRow = z.object({
  label: z.string(),
  cluster: z.string().nullish(),
  region: z.string().nullish(),
  hostname: z.string().nullish(),
  created: z.string().nullish(),
});

/** Returns the ID of a bucket. A newer region has no clusters, so the ID contains the region. */
export function identifyBucket({ cluster, region, label: name }: z.output<typeof bucketRow>): string {
  const place = cluster || region;
  if (typeof place === "string" && place !== "" && typeof name === "string") return `${place}/${name}`;
  throw new TypeError("a row has no cluster, or no label");
}

/** Returns whether a bucket is in a cluster or region. A row of a newer region contains no cluster, even if the spec names a cluster. */
export function isIn({ cluster, region }: z.output<typeof bucketRow>, place: string): boolean {
  if (place === region || place === cluster) return true;
  return Boolean(region) && !cluster && place.replace(/-\d+$/, "") === region;
}

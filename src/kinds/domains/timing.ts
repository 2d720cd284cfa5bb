import * as z from "zod";
import { initially } from "../../core/kind/schema.ts";

/** The values that the cloud API keeps. The cloud API rounds up a value outside the list: part 3, section 2.4. */
const seconds = [300, 3600, 7200, 14400, 28800, 57600, 86400, 172800, 345600, 604800, 1209600, 2419200] as const;

/** Time to live of a record. The cloud API keeps 30 and 120 as well: not-shown, section 9. */
export const recordTtl = z
  .literal([30, 120, ...seconds])
  .describe("Time for which resolvers may cache the record, in seconds. Defaults to ttlSeconds of the domain.");

/** Describes a timing of a domain. */
export function domainTiming(description: string, fallback: number) {
  const timing = z.literal([0, ...seconds]);
  return initially(
    fallback,
    timing.describe(`${description}, in seconds. 0 means the default of the cloud, ${fallback}.`),
  );
}

/** Returns the effective timing. 0 means the default. */
export function effective(value: number | null | undefined, fallback: number): number | undefined {
  return value === undefined || value === null ? undefined : value || fallback;
}

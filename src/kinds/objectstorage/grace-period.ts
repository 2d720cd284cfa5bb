import * as z from "zod";

const defaultSeconds = 3_600;

/** Time between the update of a Secret and the deletion of the previous key. */
export const gracePeriodSeconds = z
  .int()
  .min(0)
  .max(2_592_000)
  .describe(
    `Time for which a replaced key stays valid, in seconds. Defaults to ${defaultSeconds}. The period starts when the Secret contains the new key. A further rotation ends the period. For a leaked key, set 0.`,
  )
  .optional();

export function graceSeconds({ gracePeriodSeconds: seconds }: { gracePeriodSeconds?: number | undefined }): number {
  return seconds ?? defaultSeconds;
}

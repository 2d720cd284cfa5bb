import * as z from "zod";
import { optional } from "../server/wire.ts";

/** Valid seconds, apart from 0 for the default (part 3 section 2.4). */
const VALID = [300, 3600, 7200, 14_400, 28_800, 57_600, 86_400, 172_800, 345_600, 604_800, 1_209_600, 2_419_200];

/** Values that 0 means (part 3 section 2.4). */
export const DEFAULTS = { expire_sec: 1_209_600, refresh_sec: 14_400, retry_sec: 14_400, ttl_sec: 86_400 };

const LONGEST = 2_419_200;

/** A timing of a domain. Rounds up to the next valid value. */
export const domainTiming = timing((seconds) => VALID.find((valid) => valid >= seconds) ?? LONGEST);

/** Additional values that a record keeps (not-shown section 9). */
const SHORT = new Set([30, 120]);

/** The TTL of a record. Rounds to the nearest documented value, and up from the middle. */
export const recordTiming = timing((seconds) =>
  SHORT.has(seconds) ? seconds : VALID.reduce((best, valid) => nearest(seconds, best, valid), LONGEST),
);

function nearest(seconds: number, best: number, valid: number): number {
  return Math.abs(valid - seconds) <= Math.abs(best - seconds) ? valid : best;
}

function timing(round: (seconds: number) => number) {
  const seconds = z.int().min(0, "Must not be negative");
  return optional(seconds.transform((given) => (given === 0 ? 0 : round(given))));
}

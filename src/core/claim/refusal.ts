/**
 * What the cloud API refused is not sent again as it is for a while, whatever wakes its object: the records of an attempt wake it at
 * once, and so would use up the account's rate limit.
 */
import { markOf } from "../kind/call.ts";
import type { Request } from "../kind/call.ts";
import { isHttpError, passes, verdictOf } from "../kind/outcome.ts";
import type { Reconciliation } from "../flow/reconciliation.ts";

/** Twice as long each time, milliseconds. */
const firstPauseMs = 1_000;
const lastPauseMs = 60_000;

/** Throws the refusal of this very request again while that lasts. */
export function refuseAgain({ environment, remembered }: Reconciliation, request: Request): void {
  const { refusal } = remembered;
  if (refusal?.mark === markOf(request) && environment.clock.now() < refusal.at + refusal.pauseMs) throw refusal.error;
}

/** Remembers it. `forGoodMs`: how long one is kept that only a change of the spec, of a Secret or of a grant can mend. */
export function noteRefusal(
  { environment, kind, remembered: { refusal }, remembered }: Reconciliation,
  request: Request,
  error: unknown,
  forGoodMs = lastPauseMs,
): void {
  const isForGood = verdictOf(error).state === "stalled";
  if (passes(kind, error) || !(isForGood || (isHttpError(error) && error.outcome === "refused"))) return;
  const mark = markOf(request);
  const next = refusal?.mark === mark ? Math.min(lastPauseMs, refusal.pauseMs * 2) : firstPauseMs;
  const pauseMs = isForGood ? forGoodMs : ((isHttpError(error) ? error.retryAfterMs : undefined) ?? next);
  remembered.refusal = { mark, at: environment.clock.now(), pauseMs, error };
}

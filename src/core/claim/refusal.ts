/**
 * What the cloud API refused is not sent again as it is for a while, whatever wakes its object: the records of an attempt wake it at
 * once, and so would use up the account's rate limit.
 */
import type { Request } from "../kind/call.ts";
import { isHttpError, passes, verdictOf, Waiting } from "../kind/outcome.ts";
import type { Connected, Located } from "../flow/reconciliation.ts";
import { outgoing } from "../send/outgoing.ts";
import { retryCreateAnnotation } from "./intent.ts";
import type { Intent } from "./intent.ts";

/** Twice as long each time, milliseconds. */
const firstPauseMs = 1_000;
const lastPauseMs = 60_000;

/**
 * Throws the refusal of this very request again while that lasts. A rotated token may be permitted what the former one was not;
 * and a person who has removed what stood in the way says so by changing the spec, whatever it is that they change.
 */
export function refuseAgain(at: Located, request: Request): void {
  const { environment, session, generation } = at;
  const { refusal } = at.remembered;
  if (refusal === undefined || refusal.digest !== outgoing(at, request).digest) return;
  if (refusal.by.deref() !== session.client || refusal.generation !== generation) return;
  const leftMs = refusal.at + refusal.pauseMs - environment.clock.now();
  if (leftMs > 0) throw until(leftMs, refusal.error);
}

/** What is waited for ends no sooner than the pause: to look before that only costs calls. */
function until(leftMs: number, error: unknown): unknown {
  const verdict = verdictOf(error);
  if (verdict.state !== "waiting" || verdict.afterMs === undefined) return error;
  const { reason, message, afterMs, transient = false } = verdict;
  return new Waiting(reason, message, Math.max(leftMs, afterMs), { transient });
}

/** What was refused because of something that a whole search does not find is refused from the end of that search on. */
export function countFromSearch({ environment, object, remembered }: Connected, { attempt }: Intent): void {
  if (remembered.duplicated !== attempt) return;
  remembered.duplicated = undefined;
  if (object.metadata.annotations?.[retryCreateAnnotation] === attempt) return;
  if (remembered.refusal) remembered.refusal.at = environment.clock.now();
}

/** Remembers it. `forGoodMs`: how long one is kept that only a change of the spec, of a Secret or of a grant can mend. */
export function noteRefusal(at: Located, request: Request, error: unknown, forGoodMs = lastPauseMs): void {
  const { environment, kind, session, generation, remembered } = at;
  const { refusal } = remembered;
  const isForGood = verdictOf(error).state === "stalled";
  if (passes(kind, error) || !(isForGood || (isHttpError(error) && error.outcome === "refused"))) return;
  const { digest } = outgoing(at, request);
  const next = refusal?.digest === digest ? Math.min(lastPauseMs, refusal.pauseMs * 2) : firstPauseMs;
  const askedMs = (isHttpError(error) ? error.retryAfterMs : undefined) ?? 0;
  const pauseMs = isForGood ? forGoodMs : Math.max(next, askedMs);
  const by = new WeakRef(session.client);
  remembered.refusal = { digest, by, generation, at: environment.clock.now(), pauseMs, error };
}

/**
 * Handles refusals of the cloud API. The operator does not repeat a refused request immediately, even if a change wakes
 * the object. The records of each attempt wake the object, and the repetitions would use up the rate limit of the
 * account.
 */
import { backoff } from "../../queue/backoff.ts";
import { retryCreateAnnotation } from "../kind/annotations.ts";
import type { HttpError } from "../../api/errors.ts";
import type { Request } from "../kind/call.ts";
import { isHttpError, verdictOf, Waiting } from "../kind/outcome.ts";
import { parseKey } from "../kind/resource.ts";
import type { Connected, Located } from "../model/context.ts";
import type { Environment } from "../model/environment.ts";
import { blockersOf, subjectsOf } from "../read/blockers.ts";
import { outgoing } from "../model/outgoing.ts";
import { times } from "../kind/times.ts";
import { isDuplicate } from "../model/attempt.ts";
import type { JournalEntry } from "../model/journal.ts";
import type { Refusal } from "../model/refusal.ts";

/** Pause after the first refusal, milliseconds. Each pause is twice as long as the previous pause. */
const firstPauseMs = 1_000;

/** Most remembered refusals of an object. One reconcile sends few requests after a refusal. */
const mostRefusals = 8;

/**
 * Tests if the cloud API refused the content of a request. A busy cloud object and a missing grant are different cases.
 */
export function isRefusal(error: unknown): error is HttpError {
  if (!isHttpError(error) || error.outcome !== "refused") return false;
  const verdict = verdictOf(error);
  return verdict.state === "stalled" && verdict.reason === "Refused";
}

/**
 * Throws the refusal of an equal request again during the pause. A rotated token ends the pause, because it can have
 * other permissions. A change of the spec also ends the pause.
 */
export function refuseAgain(ctx: Located, request: Request, digest = outgoing(ctx, request).digest): void {
  const { environment, session, generation } = ctx;
  const refusal = ctx.remembered.refusals?.get(digest);
  if (!refusal || refusal.by.deref() !== session.client || refusal.generation !== generation) return;
  const leftMs = refusal.at + refusal.pauseMs - environment.clock.now();
  if (leftMs > 0) throw until(leftMs, refusal.error);
}

/** Extends a wait to the end of the pause. An earlier reconcile would only cost requests. */
function until(leftMs: number, error: unknown): unknown {
  const verdict = verdictOf(error);
  if (verdict.state !== "waiting" || verdict.afterMs === undefined) return error;
  const { reason, message, afterMs, transient = false } = verdict;
  return new Waiting(reason, message, Math.max(leftMs, afterMs), { transient });
}

/**
 * Restarts the pause before the next create request. The cloud API refused the last request as a duplicate, and the operator's
 * search for the result of an earlier request found nothing.
 */
export function countFromSearch({ environment, object, remembered }: Connected, entry: JournalEntry): void {
  const { attempt } = remembered;
  if (!attempt || !isDuplicate(remembered, entry)) return;
  attempt.state = "open";
  if (object.metadata.annotations?.[retryCreateAnnotation] === attempt.id) return;
  for (const refusal of remembered.refusals?.values() ?? []) refusal.at = environment.clock.now();
}

/**
 * Remembers a refusal. `leastMs`: the shortest pause, if only a change of the spec, a Secret or a grant can end the
 * refusal.
 */
export function noteRefusal(ctx: Located, request: Request, error: unknown, leastMs?: number): void {
  const isForGood = verdictOf(error).state === "stalled";
  if (!(isForGood || (isHttpError(error) && error.outcome === "refused"))) return;
  const { environment, session, generation, remembered } = ctx;
  const { refusals = new Map<string, Refusal>() } = remembered;
  const { digest } = outgoing(ctx, request);
  const before = refusals.get(digest);
  // The sender notes a refusal before the caller notes it.
  if (before && before.error === error) {
    if (leastMs !== undefined) before.pauseMs = Math.max(before.pauseMs, leastMs);
    return;
  }
  const now = environment.clock.now();
  const firstAt = before?.firstAt ?? now;
  const attempts = (before?.times ?? 0) + 1;
  const subjects = subjectsOf(ctx, request);
  const pauseMs = isRefusal(error)
    ? pauseOf({ attempts, lastedMs: now - firstAt, isKnown: blockersOf(ctx, subjects).length > 0 })
    : Math.max(
        isForGood ? (leastMs ?? times.quiet) : backoff(attempts, firstPauseMs, times.quiet),
        retryAfterMs(error),
      );
  refusals.delete(digest);
  for (const oldest of [...refusals.keys()].slice(0, -(mostRefusals - 1))) refusals.delete(oldest);
  refusals.set(digest, {
    digest,
    by: new WeakRef(session.client),
    generation,
    at: now,
    firstAt,
    times: attempts,
    pauseMs,
    error,
    subjects,
  });
  remembered.refusals = refusals;
}

function pauseOf({ attempts, lastedMs, isKnown }: { attempts: number; lastedMs: number; isKnown: boolean }): number {
  if (!isKnown) return backoff(attempts, firstPauseMs, times.longest);
  return backoff(
    attempts,
    firstPauseMs,
    Math.max(times.short, Math.min(times.longest, lastedMs > 60_000 ? lastedMs / 5 : 0)),
  );
}

function retryAfterMs(error: unknown): number {
  return (isHttpError(error) ? error.retryAfterMs : undefined) ?? 0;
}

export function forgetRefusal({ remembered }: Connected, digest: string): void {
  remembered.refusals?.delete(digest);
}

export function refusalBehind({ remembered }: Pick<Connected, "remembered">, error: unknown): Refusal | undefined {
  return [...(remembered.refusals?.values() ?? [])].find((refusal) => refusal.error === error);
}

/** Wakes an object after a change that can end its refusal, at the earliest one second after the last attempt. */
export function wakeRefused({ caches, memory, changes, clock, enqueue }: Environment, key: string): void {
  const { kind, ...ref } = parseKey(key);
  const object = caches.get(kind)?.get(ref);
  if (!object) return changes.forget(key);
  const refusals = [...(memory.of(object.metadata.uid).refusals?.values() ?? [])];
  for (const refusal of refusals) refusal.pauseMs = Math.min(refusal.pauseMs, firstPauseMs);
  const nextAt = Math.max(0, ...refusals.map(({ at, pauseMs }) => at + pauseMs));
  enqueue(key, { cause: "reference", urgency: "user", afterMs: Math.max(0, nextAt - clock.now()) });
}

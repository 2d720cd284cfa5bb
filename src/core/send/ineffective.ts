/**
 * Detects changes that the cloud API accepts but does not apply. The operator reports the difference as drift, and
 * retries with growing intervals.
 */
import { createHash } from "node:crypto";
import { backoff } from "../../queue/backoff.ts";
import type { Ineffective, Sent } from "../model/memory.ts";
import { announce } from "../store/announce.ts";
import type { Readiness } from "../kind/call.ts";
import type { Difference } from "../kind/differences.ts";
import { describeDrift } from "../kind/words.ts";
import { wasMadeSo } from "../model/drift.ts";
import { Stalled, Waiting } from "../kind/outcome.ts";
import type { Observed } from "../model/context.ts";
import { times } from "../kind/times.ts";

type Unready = Extract<Readiness, { ready: false }>;

/** Number of resyncs before the first retry. The interval doubles after each retry. */
const firstPasses = 6;

/**
 * Tests if a change was sent `tries` times without effect, and is not due for a retry. A changed spec (`mark`) or cloud
 * object (`found`) makes the change due immediately. `final`: the operator never retries. A retry can succeed, because
 * a gateway can have answered instead of the cloud API.
 *
 * `found` is a digest of the state of the cloud object. The first state after the request counts as its result.
 */
export function isIneffective(
  { remembered, environment }: Observed,
  name: string,
  { mark, found, final, tries = 1 }: { mark: string; found: string; final?: boolean; tries?: number },
): boolean {
  const sent = remembered.ineffective?.get(name);
  if (sent?.mark !== mark) return false;
  sent.found ??= found;
  if (sent.found !== found) Object.assign(sent, { times: 0, found });
  if (sent.times < tries) return false;
  const afterMs = backoff(sent.times - tries + 1, environment.resyncMs() * firstPasses, times.day);
  return final === true || environment.clock.now() - sent.at < afterMs;
}

/** Counts a sent change. `atLeast`: the minimum for the count, for a response that already shows the missing effect. */
export function noteSent({ remembered, environment }: Observed, name: string, mark: string, atLeast = 1): void {
  const { ineffective = new Map<string, Ineffective>() } = remembered;
  remembered.ineffective = ineffective;
  const before = ineffective.get(name);
  const times = Math.max(atLeast, before?.mark === mark ? before.times + 1 : 1);
  ineffective.set(name, { mark, times, at: environment.clock.now(), found: undefined });
}

/**
 * Number of corrections that the operator sends immediately if the cloud object drifts back each time. Later
 * corrections wait for a resync.
 */
const undoneTries = 5;

/**
 * Most counted corrections. A list can show a value in a different form than a response, and each form counts
 * separately.
 */
const mostUndone = 50;

/** Tests if a correction was reverted repeatedly, so that the operator must wait before the next correction. */
export function isUndoneAgain({ remembered, environment: { clock, resyncMs } }: Observed, mark: string): boolean {
  const { undone = new Map<string, Sent>() } = remembered;
  // The interval between two resyncs varies.
  return (undone.get(mark)?.times ?? 0) >= undoneTries && clock.now() - lastSent(undone) < resyncMs() / 2;
}

/**
 * Returns the time of the last correction of repeated drift, clock milliseconds. All marks count, because drift can
 * alternate between several values.
 */
function lastSent(undone: ReadonlyMap<string, Sent>): number {
  const often = [...undone.values()].filter(({ times }) => times >= undoneTries);
  return Math.max(...often.map(({ at }) => at));
}

/**
 * Counts a correction of drift. Forgets a correction that was not reverted for two resyncs. Emits an event when the
 * count reaches the limit.
 */
export function countCorrection(ctx: Observed, mark: string, found: Difference[]): void {
  const { remembered, environment, object, kind, id } = ctx;
  if (!wasMadeSo(ctx)) return;
  const { clock, resyncMs } = environment;
  const now = clock.now();
  const before = remembered.undone ?? new Map<string, Sent>();
  const oftenAt = lastSent(before);
  const isRecent = (sent: Sent): boolean => now - (sent.times >= undoneTries ? oftenAt : sent.at) < 2 * resyncMs();
  const undone = new Map([...before].filter(([, sent]) => isRecent(sent)).slice(-mostUndone));
  const times = (undone.get(mark)?.times ?? 0) + 1;
  undone.delete(mark);
  remembered.undone = undone.set(mark, { times, at: now });
  if (times !== undoneTries) return;
  const note = `${describeDrift(kind, found, ctx.spec)}: the operator corrected the difference ${times} times, and another client changed it back. The operator now corrects it every few minutes. Find the other client, or remove the field from the spec`;
  announce(environment, object, { type: "Warning", reason: "Drifted", action: "Update", note, id });
}

/** Tests if a list can still show the state from before the last change of a step. */
export function mayShowLate({ remembered, environment }: Observed, name: string): boolean {
  const sent = remembered.ineffective?.get(name);
  return sent !== undefined && environment.clock.now() - sent.at <= times.longest;
}

/** Tests if the object waits for a change that the policy only reports. The operator never sends the change. */
export function isOnlyReported({ management, observing, next }: Observed, { reason }: Unready): boolean {
  const reports = observing || management.driftPolicy === "Report";
  return reports && reason === "Updating" && (next.drift ?? []).length > 0;
}

/**
 * Returns the `Waiting` for the progress, or `Stalled` if the cloud accepted the change long ago but did not apply it.
 */
export function unready({ remembered, environment, next }: Observed, progress: Unready): Waiting | Stalled {
  const { reason, message, afterMs = 5_000 } = progress;
  const sent = Math.max(-Infinity, ...[...(remembered.ineffective?.values() ?? [])].map(({ at }) => at));
  const unheeded = (next.drift ?? []).length > 0 && environment.clock.now() - sent > times.longest;
  if (reason !== "Updating" || !unheeded || sent === -Infinity) return new Waiting(reason, message, afterMs);
  return new Stalled(
    "Drifted",
    `${message}: the cloud accepted the change, but did not execute it. The operator retries with backoff, and after a change of the spec or the cloud object`,
  );
}

/** Returns a digest of the change and the generation. The change itself can contain passwords. */
export function markOf({ object }: Observed, change: unknown): string {
  const text = JSON.stringify([object.metadata.generation, change]);
  return createHash("sha256").update(text).digest("base64");
}

/** Changes that the cloud accepts and that do not take effect: they are reported, and sent again at growing intervals. */
import { createHash } from "node:crypto";
import type { Futile, Sent } from "../model/memory.ts";
import { announce } from "../store/announce.ts";
import type { Readiness } from "../kind/call.ts";
import type { Difference } from "../kind/differences.ts";
import { describeDrift } from "../kind/words.ts";
import { wasMadeSo } from "../model/drift.ts";
import { Stalled, Waiting } from "../kind/outcome.ts";
import type { Observed } from "../model/context.ts";
import { times } from "../kind/times.ts";

type Unready = Extract<Readiness, { ready: false }>;

/** After so many slow passes it is sent again first; each time after twice as many. */
const firstPasses = 6;

/**
 * True for a change that was sent before and did not take effect: it is reported until the spec or the cloud changes, or
 * it is time to send it again, since what answered in the place of the cloud may be gone. `found`: what the cloud shows;
 * what it shows first after the change was sent is what came of it. `final`: it is not sent again. `tries`: so often it is
 * sent before that, as soon as the object is reconciled.
 */
export function isFutile(
  { remembered, environment }: Observed,
  name: string,
  { mark, found, final, tries = 1 }: { mark: string; found: string; final?: boolean; tries?: number },
): boolean {
  const sent = remembered.futile?.get(name);
  if (sent?.mark !== mark) return false;
  sent.found ??= found;
  if (sent.found !== found) Object.assign(sent, { times: 0, found });
  if (sent.times < tries) return false;
  const afterMs = Math.min(times.day, environment.slowPassMs() * firstPasses * 2 ** (sent.times - tries));
  return final === true || environment.clock.now() - sent.at < afterMs;
}

/** `atLeast`: as how often it counts, where what came of it leaves nothing to try. */
export function noteSent({ remembered, environment }: Observed, name: string, mark: string, atLeast = 1): void {
  const { futile = new Map<string, Futile>() } = remembered;
  remembered.futile = futile;
  const before = futile.get(name);
  const times = Math.max(atLeast, before?.mark === mark ? before.times + 1 : 1);
  futile.set(name, { mark, times, at: environment.clock.now(), found: undefined });
}

/** So often a change is sent at once that takes effect and is undone; then with slow passes. */
const undoneTries = 5;

/** So many changes are counted at a time: a list may show another form than an answer, and each is a change of its own. */
const mostUndone = 50;

/** True for a change that was undone so often that somebody, or the service itself, will undo it again. */
export function isUndoneAgain({ remembered, environment: { clock, slowPassMs } }: Observed, mark: string): boolean {
  const { undone = new Map<string, Sent>() } = remembered;
  // Slow passes do not come at even intervals.
  return (undone.get(mark)?.times ?? 0) >= undoneTries && clock.now() - lastSent(undone) < slowPassMs() / 2;
}

/** When one of those that are undone again and again was sent last: what shows many forms in turn shows each seldom. */
function lastSent(undone: ReadonlyMap<string, Sent>): number {
  const often = [...undone.values()].filter(({ times }) => times >= undoneTries);
  return Math.max(...often.map(({ at }) => at));
}

/** Counts a change that was sent against drift. What was not undone for two slow passes is not counted any more. */
export function countCorrection(at: Observed, mark: string, found: Difference[]): void {
  const { remembered, environment, object, kind, id } = at;
  if (!wasMadeSo(at)) return;
  const { clock, slowPassMs } = environment;
  const now = clock.now();
  const before = remembered.undone ?? new Map<string, Sent>();
  const oftenAt = lastSent(before);
  const isRecent = (sent: Sent): boolean => now - (sent.times >= undoneTries ? oftenAt : sent.at) < 2 * slowPassMs();
  const undone = new Map([...before].filter(([, sent]) => isRecent(sent)).slice(-mostUndone));
  const times = (undone.get(mark)?.times ?? 0) + 1;
  undone.delete(mark);
  remembered.undone = undone.set(mark, { times, at: now });
  if (times !== undoneTries) return;
  const note = `${describeDrift(kind, found)}: corrected ${times} times, and changed back each time. From now on it is corrected every few minutes. Find out what changes it, or remove the field from the spec`;
  announce(environment, object, { type: "Warning", reason: "Drifted", action: "Update", note, id });
}

/** True while a list may only be late to show what was sent; what is kept of it is not to be relied on. */
export function mayShowLate({ remembered, environment }: Observed, name: string): boolean {
  const sent = remembered.futile?.get(name);
  return sent !== undefined && environment.clock.now() - sent.at <= times.longest;
}

/** True where a change is the difference that is reported: nothing is sent that would bring it. */
export function isOnlyReported({ management, observing, next }: Observed, { reason }: Unready): boolean {
  const reports = observing || management.driftPolicy === "Report";
  return reports && reason === "Updating" && (next.drift ?? []).length > 0;
}

/** What the object waits for; what was sent for it long ago and did not take effect is not waited for any more. */
export function unready({ remembered, environment, next }: Observed, progress: Unready): Waiting | Stalled {
  const { reason, message, afterMs = 5_000 } = progress;
  const sent = Math.max(-Infinity, ...[...(remembered.futile?.values() ?? [])].map(({ at }) => at));
  const unheeded = (next.drift ?? []).length > 0 && environment.clock.now() - sent > times.longest;
  if (reason !== "Updating" || !unheeded || sent === -Infinity) return new Waiting(reason, message, afterMs);
  return new Stalled(
    "Drifted",
    `${message}: the cloud accepted the change and has not carried it out. It is sent again at growing intervals, and at once when the spec or the cloud object changes`,
  );
}

/** A digest, since a change may hold secrets. */
export function markOf({ object }: Observed, change: unknown): string {
  const text = JSON.stringify([object.metadata.generation, change]);
  return createHash("sha256").update(text).digest("base64");
}

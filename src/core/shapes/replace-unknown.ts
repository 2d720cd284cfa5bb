/** Deletes a cloud object of which nobody knows the secret. The operator then creates another one. */
import { Stalled, Waiting } from "../kind/outcome.ts";
import type { Located, Observed, Reconciliation } from "../model/context.ts";
import { minuteOf } from "../model/uncertain.ts";
import { announce } from "../store/announce.ts";
import { recordedOf } from "../store/proven.ts";
import type { Proven } from "../store/proven.ts";
import { renewing } from "../secrets/shown-once.ts";
import { removeOther } from "./delete.ts";
import { times } from "../kind/times.ts";

/**
 * Milliseconds between two deletions. The pause doubles from the first to the longest while one deletion follows another:
 * each of them creates a key, also if somebody deletes every Secret, or if the service breaks off every response.
 */
const pause = { firstMs: 30_000, longestMs: 3_600_000 };

/** Deletes a cloud object of which nobody knows the secret, and reports why. Throws `Waiting` until it is gone. */
export async function discardUnknown(at: Located, found: Proven, why: string): Promise<void> {
  const { environment, object, remembered } = at;
  const now = environment.clock.now();
  const { discarded } = remembered;
  const leftMs = discarded ? discarded.at + discarded.pauseMs - now : 0;
  if (leftMs > 0 && remembered.deleted !== found.id) {
    const time = minuteOf(environment.clock.date().getTime() + leftMs);
    const what = `${why}. The one before it was deleted for the same reason; ${found.id} is deleted at ${time}`;
    throw new Waiting("Updating", what, leftMs);
  }
  await removeOther(at, found);
  remembered.discarded = { at: now, pauseMs: nextPauseMs(discarded, now) };
  const note = `Deleted ${found.id}: ${why}. A new one is created`;
  announce(environment, object, { type: "Warning", reason: "SecretUnknown", action: "Replace", note, id: found.id });
}

/** Doubles the pause if the deletion before it ended less than two pauses ago. */
function nextPauseMs(last: Reconciliation["remembered"]["discarded"], now: number): number {
  if (!last || now - last.at > 2 * last.pauseMs) return pause.firstMs;
  return Math.min(pause.longestMs, 2 * last.pauseMs);
}

/** Replaces a cloud object whose secret is in no Secret any more, where that is permitted. Always throws. */
export async function replaceUnknown(at: Observed, secretName: string): Promise<never> {
  const { management, id } = at;
  const why = `Secret ${secretName} does not hold the secret of ${id}, which the cloud API shows only when it is created`;
  if (management.driftPolicy === "Report" || management.missingPolicy === "Report")
    throw new Stalled("SecretUnknown", `${why}. ${id} is not replaced. ${renewing(at)}`);
  await discardUnknown(at, recordedOf(at), why);
  throw new Waiting("Creating", `${why}. It was deleted, and a new one is created`, times.fresh);
}

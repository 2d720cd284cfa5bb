/** Deletes a cloud object whose secret was lost. The operator then creates a new cloud object. */
import { nameOf, nounOf } from "../kind/naming.ts";
import { Stalled, Waiting } from "../kind/outcome.ts";
import type { Located, Observed, Context } from "../model/context.ts";
import { deletedID } from "../model/deletion.ts";
import { minuteOf } from "../model/uncertain.ts";
import { announce } from "../store/announce.ts";
import { recordedOf } from "../store/proven.ts";
import type { Proven } from "../store/proven.ts";
import { renewing } from "../secrets/shown-once.ts";
import { removeOther } from "./delete.ts";
import { laterCreation } from "./planned-creation.ts";
import { times } from "../kind/times.ts";

/**
 * Milliseconds between two deletions. The pause doubles while deletions follow each other. For example, if a user
 * deletes every Secret, or if a gateway cuts every response, each deletion leads to a new key.
 */
const pause = { firstMs: 30_000, longestMs: 3_600_000 };

/**
 * Deletes the cloud object, and emits an event with the reason. Throws `Waiting` during the pause, and until the cloud
 * object is absent.
 */
export async function discardUnknown(ctx: Located, found: Proven, why: string): Promise<void> {
  const { environment, object, remembered } = ctx;
  const now = environment.clock.now();
  const { discarded } = remembered;
  const leftMs = discarded ? discarded.at + discarded.pauseMs - now : 0;
  if (leftMs > 0 && deletedID(remembered) !== found.id) {
    const time = minuteOf(environment.clock.date().getTime() + leftMs);
    const what = `${why}. The operator deleted the previous ${nounOf(ctx.kind)} for the same reason. It deletes ${nameOf(ctx.kind, found.id)} at ${time}`;
    throw new Waiting("Updating", what, leftMs);
  }
  await removeOther(ctx, found, { because: why, following: async () => [await laterCreation(ctx)] });
  remembered.discarded = { at: now, pauseMs: nextPauseMs(discarded, now) };
  const note = `Deleted ${nameOf(ctx.kind, found.id)}: ${why}. The operator creates a new ${nounOf(ctx.kind)}`;
  announce(environment, object, { type: "Warning", reason: "SecretUnknown", action: "Replace", note, id: found.id });
}

function nextPauseMs(last: Context["remembered"]["discarded"], now: number): number {
  if (!last || now - last.at > 2 * last.pauseMs) return pause.firstMs;
  return Math.min(pause.longestMs, 2 * last.pauseMs);
}

/** Replaces a cloud object whose secret was lost, if the policies permit. Always throws. */
export async function replaceUnknown(ctx: Observed, secretName: string): Promise<never> {
  const { management, id, kind, row } = ctx;
  const why = `Secret ${secretName} does not contain the secret of ${nameOf(kind, id, row)}, which the cloud API shows only at the creation`;
  if (management.driftPolicy === "Report" || management.missingPolicy === "Report")
    throw new Stalled("SecretUnknown", `${why}. The operator does not replace it. ${renewing(ctx)}`);
  await discardUnknown(ctx, recordedOf(ctx), why);
  throw new Waiting("Creating", `${why}. The operator deleted it, and creates a new ${nounOf(kind)}`, times.fresh);
}

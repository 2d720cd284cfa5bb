/** Records the start and the end of a run. */
import { nameOf } from "../kind/naming.ts";
import { announce } from "../store/announce.ts";
import type { Operation, Run } from "../kind/status-schema.ts";
import { settleMsOf } from "../model/settle.ts";
import { eventOf } from "../read/account-events.ts";
import type { Located } from "../model/context.ts";
import { wakeReferred } from "../model/referred.ts";

/** The ID of the target is known. The target can be absent. */
export type Acted = Located & { id: string };

type Ended = NonNullable<Run["result"]>;

export function end(ctx: Acted, { id, time }: Pick<Operation, "id" | "time">, result: Ended, message?: string): void {
  const finishedAt = result === "Superseded" ? ctx.next.run?.finishedAt : cloudTime(ctx);
  noteRun(ctx, {
    ...(ctx.next.run ?? { id, startedAt: time }),
    ...(finishedAt !== undefined && { finishedAt }),
    ...(ctx.next.run?.progressPercent !== undefined && result === "Complete" && { progressPercent: 100 }),
    result,
    ...(message !== undefined && { message: message.slice(0, 1_024) }),
  });
  wakeReferred(ctx);
  const type = result === "Failed" ? "Warning" : "Normal";
  const text = message ?? `${nameOfRun(ctx, id)} is complete`;
  announce(ctx.environment, ctx.object, { type, reason: result, action: "Run", note: text, id: ctx.id });
}

/** Returns the action for messages, or the kind if the operator sent no request. */
export function nameOfRun({ entry, kind }: Pick<Acted, "entry" | "kind">, id: string): string {
  const sent = entry?.operations?.find((one) => one.id === id);
  return sent ? sent.action : `this ${kind.kind}`;
}

export const cloudTime = (ctx: Acted): string => ctx.session.client.serverTime().toISOString();

/** Stores the run in memory, too, because the API server can refuse the status. */
export function noteRun(ctx: Acted, run: Run): void {
  ctx.next.run = run;
  ctx.remembered.run = run;
}

/** Ends the run of an absent target: `Complete` if an account event reports the success, otherwise `Failed`. */
export async function endOfGone(
  ctx: Acted,
  operation: Operation,
  what = `${nameOf(ctx.kind, ctx.id)} no longer exists in the cloud`,
): Promise<void> {
  // A much later event belongs to another request.
  const told = await eventOf(ctx, ctx.id, operation, settleMsOf(ctx));
  if (told === "finished") return end(ctx, operation, "Complete");
  const events = told === undefined ? "no event of the cloud reports" : `an event of the cloud reports "${told}" for`;
  end(ctx, operation, "Failed", `${what}, and ${events} ${operation.action}`);
}

/**
 * Ends the run if the ID of the target now names another cloud object. The operator sends no request to the new cloud
 * object.
 */
export async function endOfReplaced(ctx: Acted, operation: Operation | undefined): Promise<void> {
  const what = `${nameOf(ctx.kind, ctx.id)} is now a different cloud object with the same ID`;
  if (operation) return endOfGone(ctx, operation, what);
  end(
    ctx,
    { id: ctx.object.metadata.uid.slice(0, 8), time: cloudTime(ctx) },
    "Failed",
    `${what}. The operator sent no request`,
  );
}

/** Decides the verdict on an error of a reconcile. A refusal with a blocker is no fault of the spec. */
import { isRefusal, refusalBehind } from "../send/refusals.ts";
import { verdictOf } from "../kind/outcome.ts";
import type { Verdict } from "../kind/outcome.ts";
import { blockersOf, namesOfBlockers } from "../read/blockers.ts";
import { explained, isWrongValue } from "../read/explain.ts";
import type { Context } from "../model/context.ts";
import { isConnected } from "../model/context.ts";
import { times } from "../kind/times.ts";

/**
 * Attempts before the operator reports a refusal without a blocker as Stalled. The objects of one apply arrive in a few
 * seconds.
 */
const finalAttempt = 3;

/** Returns the verdict, with a message that the user can act on. After a refusal, a change of a blocker wakes the object. */
export async function interpreted(ctx: Context, error: unknown): Promise<Verdict> {
  const verdict = verdictOf(error);
  const refusal = isRefusal(error) ? refusalBehind(ctx, error) : undefined;
  if (!refusal || !isRefusal(error) || verdict.state !== "stalled" || !isConnected(ctx)) {
    endWait(ctx);
    return explained(ctx, error, verdict);
  }
  const { clock, changes } = ctx.environment;
  if (await isWrongValue(ctx, error)) {
    endWait(ctx);
    refusal.pauseMs = times.longest;
    return explained(ctx, error, { ...verdict, pauseMs: times.longest });
  }
  const blockers = blockersOf(ctx, refusal.subjects);
  changes.await(ctx.key, [...new Set([...refusal.subjects.filter((one) => one !== ctx.key), ...blockers])]);
  const afterMs = Math.max(times.fresh, refusal.at + refusal.pauseMs - clock.now());
  const { reason, message } = verdict;
  if (blockers.length > 0) {
    const told = await explained(ctx, error, { state: "waiting" as const, reason, message, afterMs });
    const waits = `The operator sends the request again when ${namesOfBlockers(ctx, blockers)} changed`;
    return { ...told, reason: "WaitingForChange", message: `${told.message.replace(/\.$/, "")}. ${waits}` };
  }
  if (refusal.times < finalAttempt && refusal.pauseMs <= times.apply)
    return explained(ctx, error, { state: "waiting", reason, message, afterMs });
  return explained(ctx, error, { ...verdict, pauseMs: afterMs });
}

export function endWait({ environment, key }: Context): void {
  environment.changes.await(key, []);
}

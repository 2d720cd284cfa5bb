/** Polls less often during a long wait. Adds a way out to the message if a deletion waits for a long time. */
import { patience } from "../../queue/patience.ts";
import { leaving } from "../model/uncertain.ts";
import type { Verdict } from "../kind/outcome.ts";
import type { Reason } from "../kind/reasons.ts";
import type { Context } from "../model/context.ts";
import { times } from "../kind/times.ts";

type Wait = Extract<Verdict, { state: "waiting" | "stalled" }>;

/** Reasons that end without a user in most cases. The message names the way out after a long deletion. */
const passing = new Set<Reason>([
  "CloudUnavailable",
  "RateLimited",
  "Busy",
  "Deleting",
  "Refused",
  "WaitingForChange",
  "Forbidden",
]);

/** Reasons for which a deletion can wait for ever. The message names the way out immediately. */
const endless = new Set<Reason>(["CreateUncertain", "WaitingForReference", "WaitingForAccount", "WaitingForSecret"]);

const rowReasons = new Set<Reason>(["Busy", "Deleting", "Provisioning", "Updating"]);

/** Remembers the reason of the wait. Returns the start of the wait, clock milliseconds; undefined without a wait. */
export function noteWaiting({ remembered, environment }: Context, verdict: Verdict): number | undefined {
  if (verdict.state === "superseded") return remembered.waiting?.since;
  if (verdict.state !== "waiting") remembered.waiting = undefined;
  else if (remembered.waiting?.reason !== verdict.reason)
    remembered.waiting = { reason: verdict.reason, since: environment.clock.now() };
  return remembered.waiting?.since;
}

/** Returns the verdict with a longer interval after a long wait, and with the way out for a deletion. */
export function withPatience(ctx: Context, verdict: Verdict, since: number | undefined): Verdict {
  const isHeld = verdict.state === "waiting" || verdict.state === "stalled";
  const deleting = ctx.object.metadata.deletionTimestamp !== undefined;
  if (!isHeld || (!deleting && !refusals.has(verdict.reason))) return verdict;
  const patiently = verdict.state === "waiting" ? withBackoff(ctx, verdict, since) : verdict;
  return deleting ? withWayOut(ctx, patiently) : patiently;
}

/** Temporary refusals of the cloud API, which can last for hours. */
const refusals = new Set<Reason>(["Busy", "RateLimited"]);

function withBackoff(
  { environment, object }: Context,
  verdict: Extract<Verdict, { state: "waiting" }>,
  since: number | undefined,
): Wait {
  const { afterMs = Infinity, reason } = verdict;
  if (afterMs >= times.again) return verdict;
  const now = environment.clock.now();
  const isShown = object.metadata.deletionTimestamp !== undefined && rowReasons.has(reason);
  const firstMs = isShown ? Math.min(afterMs, times.soon) : afterMs;
  return { ...verdict, afterMs: patience(now - (since ?? now), firstMs) };
}

/** Adds the command that ends a deletion without the cloud, if only a user can end the wait, or if the wait lasts long. */
function withWayOut({ environment, object }: Context, verdict: Wait): Verdict {
  const { memory, clock, settle } = environment;
  const deletingMs = memory.deletingMs(object.metadata.uid, clock.now());
  const isLong = deletingMs > settle.billableMs;
  const needsUser = verdict.state === "stalled" ? !passing.has(verdict.reason) : endless.has(verdict.reason);
  if (!needsUser && !(isLong && passing.has(verdict.reason))) return verdict;
  return { ...verdict, message: `${verdict.message.replace(/\.$/, "")}. ${leaving(object)}` };
}

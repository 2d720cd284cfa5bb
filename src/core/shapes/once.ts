/**
 * Runs an action once. The signed journal entry contains the operation before the request leaves, so that a restart or a
 * restored manifest does not repeat the action. If the request got no clear response, the row, an account event or the
 * user decides the outcome.
 */
import { nameOf } from "../kind/naming.ts";
import type { JsonObject } from "../../api/types.ts";
import { leftOf } from "../model/elapsed.ts";
import { settleMsOf } from "../model/settle.ts";
import { settle } from "../model/settlement.ts";
import type { Evidence } from "../model/settlement.ts";
import { isUnsent, isUnstored } from "../model/unsent.ts";
import type { Operation, Run } from "../kind/status-schema.ts";
import { isUnreadableRow, Stalled, Waiting } from "../kind/outcome.ts";
import type { Verdict } from "../kind/outcome.ts";
import { finalizer } from "../kind/resource.ts";
import { beginRun } from "./begin-run.ts";
import { readDetails } from "../read/details.ts";
import { locate, locateRecorded, targetOf } from "./locate.ts";
import { isAllowedAgain, isReplaced, isRestored, repeatOf, takenOver } from "../send/operation.ts";
import { eventOf, progressOf } from "../read/account-events.ts";
import { findRow, readRow } from "../read/lookup.ts";
import type { Connected, Located, Observed, Context } from "../model/context.ts";
import { live, toObserved, withFacts } from "../model/context.ts";
import { end, endOfGone, endOfReplaced, nameOfRun, noteRun } from "./run.ts";
import type { Acted } from "./run.ts";
import { times } from "../kind/times.ts";

/** Returns the verdict of a finished run; undefined before the end. */
export function endedRun(ctx: Context): Verdict | undefined {
  const { run } = ctx.next;
  if (run?.result === "Complete")
    return { state: "ready", reason: "Complete", message: `${nameOfRun(ctx, run.id)} is complete` };
  if (run?.result === "Superseded") return { state: "ready", reason: "Superseded", message: run.message ?? "" };
  if (run?.result !== "Failed") return undefined;
  return { state: "stalled", reason: "Failed", message: `${nameOfRun(ctx, run.id)} failed: ${run.message ?? ""}` };
}

/** Tests if the operator watches the result of a complete run. For other finished runs, the operator sends no reads. */
export function isFollowed({ kind, next: { run } }: Context): boolean {
  return kind.superseded !== undefined && run?.result === "Complete" && run.made !== undefined;
}

/** Starts or follows the run. Throws `Waiting` until the run has ended. */
export async function runOnce(ctx: Connected): Promise<Verdict> {
  const ended = endedRun(ctx);
  if (ended) return afterRun(ctx, ended);
  const begun = begunOperation(ctx);
  const restored = isRestored(ctx);
  const followed = begun && (restored || !isAllowedAgain(ctx, begun)) ? begun : undefined;
  // The journal entry names the target of a started run. The references of the spec can have changed.
  const known = followed && ctx.entry?.is?.id;
  const located = await (known === undefined ? locate(ctx) : locateRecorded(ctx));
  const id = known ?? (await targetOf(located));
  if (followed && restored) throw await takenOver(located, id, followed);
  const row = await readQuietly(located, id);
  if (isReplaced(ctx, id, row)) await endOfReplaced(withFacts(located, { id }), begun);
  else if (row && followed) await follow(await detailed(located, { id, row }, followed), followed);
  else if (row) await beginRun(await detailed(located, { id, row }), begun);
  else if (followed) await endOfGone(withFacts(located, { id }), followed);
  else throw new Waiting("WaitingForReference", `${nameOf(ctx.kind, id)} does not exist in the cloud`, times.quiet);
  return endedRun(ctx) ?? { state: "superseded", afterMs: times.soon };
}

/** Reads the row without waking the object. Otherwise a row that differs in each response would defeat the backoff. */
async function readQuietly(ctx: Located, id: string): Promise<JsonObject | undefined> {
  const { session, collection, key } = ctx;
  session.observer.forget(key);
  try {
    return await readRow(ctx, id);
  } catch (error) {
    // The path of the row can be unreachable, so a change of the list also wakes the object.
    if (!isUnreadableRow(error)) session.observer.depend(key, [{ collection, id }]);
    throw error;
  }
}

async function detailed(ctx: Located, found: { id: string; row: JsonObject }, followed?: Operation): Promise<Observed> {
  const observed = toObserved(ctx, found);
  const details = await readDetails(observed, ctx.environment.clock.now(), followed?.applies);
  return withFacts(observed, { details });
}

/** Tests at each poll if the result of the run still exists. */
async function afterRun(ctx: Connected, ended: Verdict): Promise<Verdict> {
  const { run } = ctx.next;
  const id = ctx.entry?.is?.id;
  if (id === undefined || run?.made === undefined) return ended;
  const located: Acted = withFacts(await locateRecorded(ctx), { id });
  const row = await findRow(located, id);
  if (!row) return supersede(located, run, `${nameOf(ctx.kind, id)} no longer exists in the cloud`);
  const found = toObserved(located, { id, row });
  const observed = withFacts(found, { details: await readDetails(found) });
  const why = ctx.kind.superseded?.(live(observed));
  return why === undefined ? ended : supersede(observed, run, why);
}

function supersede(ctx: Acted, { id, startedAt: time, made }: Run, why: string): Verdict {
  end(
    ctx,
    { id, time },
    "Superseded",
    `the result of this run (${made}) is gone, and the operator does not create it again: ${why}`,
  );
  return endedRun(ctx) ?? { state: "superseded", afterMs: times.soon };
}

/**
 * Returns the started operation, unless the cloud API certainly refused it. The status does not count, because users
 * can edit the status.
 *
 * The operator stores finalizer and journal entry together. A finalizer without a journal entry means that a user removed the
 * record, and the outcome is unknown. The outcome is also unknown if the key of a restored record was lost.
 */
function begunOperation(ctx: Connected): Operation | undefined {
  const { entry } = ctx;
  const begun = entry?.operations?.at(-1);
  if (begun) return isUnsent(ctx.remembered, begun) ? undefined : begun;
  if (entry || isUnstored(ctx)) return undefined;
  const { uid, creationTimestamp, finalizers } = ctx.object.metadata;
  const { id = uid.slice(0, 8), startedAt = creationTimestamp } = ctx.next.run ?? {};
  if (!ctx.next.run && !finalizers?.includes(finalizer) && ctx.statement.state !== "unproven") return undefined;
  return { id, action: "An operation without a record", time: startedAt };
}

async function follow(ctx: Observed, operation: Operation): Promise<void> {
  const { kind, next } = ctx;
  const known = next.run?.id === operation.id ? next.run : { id: operation.id, startedAt: operation.time };
  noteRun(ctx, known);
  const view = { ...live(ctx), applied: operation.applies };
  const progress = kind.ready?.(view);
  if (progress && !progress.ready) {
    noteRun(ctx, { ...known, ...(await progressOf(ctx, ctx.id, operation)) });
    throw new Waiting("Running", progress.message, progress.afterMs ?? times.short);
  }
  const made = kind.made?.(view);
  if (made) noteRun(ctx, { ...known, made: made.id });
  const heard = known.accepted ? "was accepted" : "got no clear response";
  const what = `${operation.action} ${heard}`;
  const leftMs = leftOf(ctx, operation);
  const judged = known.accepted && !kind.made;
  const { shown, why } = await shownOf(ctx, operation, { made, isEvident: kind.evident?.(view), judged, leftMs, what });
  const settlement = settle({ shown, hadNoEffect: false, leftMs, isAllowedAgain: false, isRepeatable: false });
  if (settlement === "done") return end(ctx, operation, "Complete");
  if (settlement === "failed") return end(ctx, operation, "Failed", why);
  if (settlement === "pending") {
    const waiting = `${what}. The operator waits for the cloud to show the result`;
    throw new Waiting("Running", waiting, Math.min(leftMs, judged ? 15_000 : 5_000));
  }
  throw new Stalled(
    "OperationUncertain",
    `${what}, and the cloud does not show the result. The operator does not repeat the operation. To send it again: ${repeatOf(ctx, operation)}`,
  );
}

interface Signs {
  /** The result of a kind that names its result. */
  made: { failed?: string | undefined } | undefined;
  /** The row shows the effect; undefined for a kind whose row shows no effect. */
  isEvident: boolean | undefined;
  /** The response is the evidence, unless the row shows the opposite. */
  judged: boolean | undefined;
  leftMs: number;
  /** The operation, for the reason. */
  what: string;
}

async function shownOf(
  ctx: Observed,
  operation: Operation,
  { made, isEvident, judged, leftMs, what }: Signs,
): Promise<{ shown: Evidence["shown"]; why?: string }> {
  if (made?.failed !== undefined) return { shown: "failure", why: made.failed };
  if (made || isEvident || (judged && isEvident === undefined)) return { shown: "result" };
  // The row can be late, or show a later change by another user. A much later event also belongs to another change.
  const told = ctx.kind.made ? undefined : await eventOf(ctx, ctx.id, operation, settleMsOf(ctx));
  if (told === "finished") return { shown: "result" };
  if (told === "failed") return { shown: "failure", why: `${what}, and an event of the cloud reports a failure` };
  if (leftMs > 0 || !ctx.next.run?.accepted) return { shown: "nothing" };
  return { shown: "failure", why: `${what}, and the cloud does not show its result` };
}

/** Sends the only request of an action: checks the conditions before the request, and interprets a refusal. */
import { nameOf } from "../kind/naming.ts";
import { isDeepStrictEqual } from "node:util";
import type { HttpError } from "../../api/errors.ts";
import { announce } from "../store/announce.ts";
import { isAnother, originOf } from "../model/origin.ts";
import { noteRefusal, refuseAgain } from "../send/refusals.ts";
import { rewriteEntry } from "../store/rewrite-entry.ts";
import type { Call } from "../kind/call.ts";
import { effectOf } from "../kind/changes.ts";
import type { Operation } from "../kind/status-schema.ts";
import { describeRequest, isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
import { blockersOf, subjectsOf } from "../read/blockers.ts";
import { sendChange } from "../send/change.ts";
import { outgoing } from "../model/outgoing.ts";
import { readDetails } from "../read/details.ts";
import { refusalOf } from "../read/explain.ts";
import { beginOperation, isAllowedAgain, isFinal, isForAnother, repeatOf } from "../send/operation.ts";
import { eventOf, lastEventOf } from "../read/account-events.ts";
import { refuseExpired, refuseSwitchedOff, requireApproval } from "../send/permission.ts";
import { readRow } from "../read/lookup.ts";
import type { Observed } from "../model/context.ts";
import { busyOf, live, toObserved, withFacts } from "../model/context.ts";
import { resolveReferences } from "../secrets/references.ts";
import { end, endOfGone, noteRun, cloudTime } from "./run.ts";
import { withActionLock } from "../send/action-lock.ts";
import { times } from "../kind/times.ts";

/**
 * Sends the request. `before`: the earlier operation, if the user permits a retry. Throws `Waiting` until the request
 * can leave, and after the cloud API accepted the request.
 */
export async function beginRun(ctx: Observed, before: Operation | undefined): Promise<void> {
  refuseSwitchedOff(ctx);
  refuseExpired(ctx);
  requireIdle(ctx);
  await refuseTold(ctx);
  withFacts(ctx, { desired: await resolveReferences(ctx, { creating: true }) });
  const call = ctx.kind.request?.(live(ctx));
  if (!call) return end(ctx, { id: ctx.object.metadata.uid.slice(0, 8), time: cloudTime(ctx) }, "Complete");
  if (before && isForAnother(before, call))
    return endOfGone(ctx, before, `the target of ${before.action} is now a different cloud object with the same ID`);
  await requireApproval(ctx, [call]);
  refuseAgain(ctx, call);
  await withActionLock(ctx, call, () => sendRun(ctx, call));
}

async function sendRun(ctx: Observed, call: Call): Promise<void> {
  const after = await lastEventOf(ctx, ctx.id, call);
  const operation = await beginOperation(ctx, call, after);
  try {
    await sendChange(ctx, call, { urgent: ctx.urgent, priority: "update" }, (askedAt) => proveRun(ctx, call, askedAt));
  } catch (error) {
    if (!isHttpError(error) || error.outcome !== "refused") throw error;
    ctx.remembered.refusedOperation = operation.id;
    if (!isFinal(error)) noteRefusal(ctx, call, error);
    if ((await isRefusedForGood(ctx, error)) && !isAboutToEnd(ctx, call))
      return end(
        ctx,
        operation,
        "Failed",
        (await refusalOf(ctx, error, call)) ?? `${describeRequest(error)} ${error.what}`,
      );
    // The signed journal entry records the refusal, because a restarted operator does not trust the status.
    await rewriteEntry(ctx, ctx.id, { operations: [] });
    requireIdle(ctx);
    throw error;
  }
  noteRun(ctx, { id: operation.id, startedAt: operation.time, accepted: true });
  const { action } = call;
  const text = effectOf(ctx.kind, call, ctx.spec);
  announce(ctx.environment, ctx.object, { type: "Normal", reason: action, action, note: text, id: ctx.id });
  throw new Waiting("Running", `${action} is running`, times.soon);
}

/**
 * Throws `Stalled` if the cloud already executed the request. After a restart, only the journal entry states that the request
 * did nothing, and a user can restore an older journal entry. An account event from after the journal entry proves the execution.
 */
async function refuseTold(ctx: Observed): Promise<void> {
  const { operations, attempt: id, time } = ctx.entry ?? {};
  if (id === undefined || operations?.length !== 0 || ctx.remembered.refusedOperation || isAllowedAgain(ctx, { id }))
    return;
  const told = await eventOf(ctx, ctx.id, { time: time ?? "" });
  // Without account events for the kind, the operator cannot prove that the request did nothing.
  if (told === undefined && ctx.kind.events) return;
  const what = ctx.kind.events
    ? `an event of the cloud reports the same operation on ${nameOf(ctx.kind, ctx.id)} since the creation of this object`
    : "an earlier process of the operator perhaps sent the operation, and the cloud has no events for it";
  throw new Stalled(
    "OperationUncertain",
    `${what}. The operator sends no request. To send it: ${repeatOf(ctx, { id })}`,
  );
}

/**
 * Decides again after a wait, because a user can change the same cloud objects, and the cloud API can reuse IDs. Throws
 * `Waiting` if the decision differs.
 */
async function proveRun(ctx: Observed, call: Call, askedAt: number): Promise<void> {
  const startedAt = ctx.environment.clock.now();
  if (startedAt - askedAt <= times.fresh) return;
  refuseExpired(ctx);
  const row = await readRow(ctx, ctx.id);
  if (row && !isAnother(originOf(ctx.kind, ctx.row), originOf(ctx.kind, row))) {
    const anew: Observed = { ...ctx, startedAt, row };
    anew.details = await readDetails(anew, startedAt);
    anew.desired = await resolveReferences(anew, { creating: true });
    const again = ctx.kind.request?.(live(anew));
    const isSame = again !== undefined && outgoing(anew, again).digest === outgoing(ctx, call).digest;
    if (isSame && isDeepStrictEqual(again.applies, call.applies)) return;
  }
  throw new Waiting("Updating", "the facts behind the request changed while the request waited", times.fresh, {
    transient: true,
  });
}

/**
 * Tests if another custom resource is about to change the same cloud objects. The operator then retries after the
 * change.
 */
function isAboutToEnd(ctx: Observed, call: Call): boolean {
  return blockersOf(ctx, subjectsOf(ctx, call), { recently: false }).length > 0;
}

function requireIdle(ctx: Observed): void {
  const busy = busyOf(ctx);
  if (busy) throw new Waiting("Busy", busy.message, busy.afterMs ?? times.short);
}

/**
 * Tests if a refusal is final. A 404 is final only if a read shows the target. A target that became busy is no final
 * refusal.
 */
async function isRefusedForGood(ctx: Observed, error: HttpError): Promise<boolean> {
  const row = error.status === 404 || isFinal(error) ? await readRow(ctx, ctx.id) : undefined;
  if (error.status === 404) return row !== undefined;
  return isFinal(error) && busyOf(row ? toObserved(ctx, { id: ctx.id, row }) : ctx) === undefined;
}

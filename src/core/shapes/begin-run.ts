/** Sends the only request of an action: checks the conditions before the request, and interprets a refusal. */
import { isDeepStrictEqual } from "node:util";
import type { HttpError } from "../../api/errors.ts";
import { announce } from "../store/announce.ts";
import { isAnother, originOf } from "../model/origin.ts";
import { noteRefusal, refuseAgain } from "../send/refusals.ts";
import { restateIntent } from "../store/restate.ts";
import type { Call } from "../kind/call.ts";
import type { Operation } from "../kind/status-schema.ts";
import { isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
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
import { busyOf, live } from "../model/context.ts";
import { resolveReferences } from "../secrets/references.ts";
import { end, endOfGone, note, now } from "./run.ts";
import { inTurn } from "../send/action-lock.ts";
import { times } from "../kind/times.ts";

/**
 * Sends the request. `before`: the earlier operation, if the user permits a retry. Throws `Waiting` until the request
 * can leave, and after the cloud API accepted the request.
 */
export async function beginRun(at: Observed, before: Operation | undefined): Promise<void> {
  refuseSwitchedOff(at);
  refuseExpired(at);
  requireIdle(at);
  await refuseTold(at);
  at.wanted = await resolveReferences(at, { creating: true });
  const call = at.kind.request?.(live(at));
  if (!call) return end(at, { id: at.object.metadata.uid.slice(0, 8), time: now(at) }, "Complete");
  if (before && isForAnother(before, call))
    return endOfGone(at, before, `what ${before.action} was asked for is another cloud object by now`);
  await requireApproval(at, [call]);
  refuseAgain(at, call);
  await inTurn(at, call, () => send(at, call));
}

async function send(at: Observed, call: Call): Promise<void> {
  const after = await lastEventOf(at, at.id, call);
  const operation = await beginOperation(at, call, after);
  try {
    await sendChange(at, call, { urgent: at.urgent, priority: "update" }, (askedAt) => proveRun(at, call, askedAt));
  } catch (error) {
    if (!isHttpError(error) || error.outcome !== "refused") throw error;
    at.remembered.refusedOperation = operation.id;
    if (!isFinal(error)) noteRefusal(at, call, error);
    if ((await isRefusedForGood(at, error)) && !isAboutToEnd(at, call))
      return end(at, operation, "Failed", (await refusalOf(at, error, call)) ?? error.message);
    // The signed intent records the refusal, because a restarted operator does not trust the status.
    await restateIntent(at, at.id, { operations: [] });
    requireIdle(at);
    throw error;
  }
  note(at, { id: operation.id, startedAt: operation.time, accepted: true });
  const { action, note: text } = call;
  announce(at.environment, at.object, { type: "Normal", reason: action, action, note: text, id: at.id });
  throw new Waiting("Running", `${action} (operation ${operation.id}) is running`, times.soon);
}

/**
 * Throws `Stalled` if the cloud already executed the request. After a restart, only the intent states that the request
 * did nothing, and a user can restore an older intent. An account event from after the intent proves the execution.
 */
async function refuseTold(at: Observed): Promise<void> {
  const { operations, attempt: id, time } = at.intent ?? {};
  if (id === undefined || operations?.length !== 0 || at.remembered.refusedOperation || isAllowedAgain(at, { id }))
    return;
  const told = await eventOf(at, at.id, { time: time ?? "" });
  // Without account events for the kind, the operator cannot prove that the request did nothing.
  if (told === undefined && at.kind.events) return;
  const what = at.kind.events
    ? `an event of the cloud reports the same on ${at.id} since this object asked for it`
    : `this object has asked for it before, with an operator that has ended since, and no event of the cloud tells of the like`;
  throw new Stalled("OperationUncertain", `${what}. Nothing is sent. To send it: ${repeatOf(at, { id })}`);
}

/**
 * Decides again after a wait, because a user can change the same cloud objects, and the cloud API can reuse IDs. Throws
 * `Waiting` if the decision differs.
 */
async function proveRun(at: Observed, call: Call, askedAt: number): Promise<void> {
  const startedAt = at.environment.clock.now();
  if (startedAt - askedAt <= times.fresh) return;
  refuseExpired(at);
  const row = await readRow(at, at.id);
  if (row && !isAnother(originOf(at.kind, at.row), originOf(at.kind, row))) {
    const anew: Observed = { ...at, startedAt, row };
    anew.details = await readDetails(anew, startedAt);
    anew.wanted = await resolveReferences(anew, { creating: true });
    const again = at.kind.request?.(live(anew));
    const isSame = again !== undefined && outgoing(anew, again).digest === outgoing(at, call).digest;
    if (isSame && isDeepStrictEqual(again.applies, call.applies)) return;
  }
  throw new Waiting("Updating", "what the request was based on changed while it was held", times.fresh, {
    transient: true,
  });
}

/**
 * Tests if another custom resource is about to change the same cloud objects. The operator then retries after the
 * change.
 */
function isAboutToEnd(at: Observed, call: Call): boolean {
  return blockersOf(at, subjectsOf(at, call), { recently: false }).length > 0;
}

function requireIdle(at: Observed): void {
  const busy = busyOf(at);
  if (busy) throw new Waiting("Busy", busy.message, busy.afterMs ?? times.short);
}

/**
 * Tests if a refusal is final. A 404 is final only if a read shows the target. A target that became busy is no final
 * refusal.
 */
async function isRefusedForGood(at: Observed, error: HttpError): Promise<boolean> {
  const row = error.status === 404 || isFinal(error) ? await readRow(at, at.id) : undefined;
  if (error.status === 404) return row !== undefined;
  return isFinal(error) && busyOf(Object.assign(at, row && { row })) === undefined;
}

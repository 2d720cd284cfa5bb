/** The one request of what runs once: what must be so before it leaves, and what a refusal means. */
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
 * Sends the request. `before`: the operation that a person allows to be sent again. Throws `Waiting` until it may leave, and once it
 * was accepted.
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
    // Nothing came of it: the signed record says so, since a restart does not believe the status.
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
 * After a restart the intent alone says that nothing came of a request. It may be an older one that somebody has put back:
 * what the cloud tells of since then is not done again.
 */
async function refuseTold(at: Observed): Promise<void> {
  const { operations, attempt: id, time } = at.intent ?? {};
  if (id === undefined || operations?.length !== 0 || at.remembered.refusedOperation || isAllowedAgain(at, { id }))
    return;
  const told = await eventOf(at, at.id, { time: time ?? "" });
  // Where no event tells of the like, nothing shows that it was not done.
  if (told === undefined && at.kind.events) return;
  const what = at.kind.events
    ? `an event of the cloud reports the same on ${at.id} since this object asked for it`
    : `this object has asked for it before, with an operator that has ended since, and no event of the cloud tells of the like`;
  throw new Stalled("OperationUncertain", `${what}. Nothing is sent. To send it: ${repeatOf(at, { id })}`);
}

/**
 * What was held is decided anew: others act on the same cloud objects meanwhile, and ids are used again. Throws `Waiting` where it
 * would be another request, or none.
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

/** Another object is about to change the same cloud objects, and the request is sent again after that. */
function isAboutToEnd(at: Observed, call: Call): boolean {
  return blockersOf(at, subjectsOf(at, call), { recently: false }).length > 0;
}

function requireIdle(at: Observed): void {
  const busy = busyOf(at);
  if (busy) throw new Waiting("Busy", busy.message, busy.afterMs ?? times.short);
}

/** A 404 is believed where what is acted on is shown, so that something else does not exist; what became busy is waited for. */
async function isRefusedForGood(at: Observed, error: HttpError): Promise<boolean> {
  const row = error.status === 404 || isFinal(error) ? await readRow(at, at.id) : undefined;
  if (error.status === 404) return row !== undefined;
  return isFinal(error) && busyOf(Object.assign(at, row && { row })) === undefined;
}

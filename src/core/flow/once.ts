/**
 * What runs once. The operation is in the signed intent before its request leaves, so that neither a restart nor a restored
 * or repeated manifest runs it again; of a request without a clear response, the row tells, or a person.
 */
import type { HttpError } from "../../api/errors.ts";
import type { JsonObject } from "../../api/types.ts";
import { announce } from "./announce.ts";
import { noteRefusal, refuseAgain } from "../claim/refusal.ts";
import { restateIntent } from "../claim/restate.ts";
import { leftOf, settleMsOf } from "../claim/search.ts";
import type { Operation, Run } from "../kind/status-schema.ts";
import { isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
import type { Verdict } from "../kind/outcome.ts";
import { finalizer } from "../kind/resource.ts";
import { sendChange } from "./change.ts";
import { refusalOf } from "./explain.ts";
import { readDetails } from "./details.ts";
import { locate, locateRecorded, targetOf } from "./locate.ts";
import {
  beginOperation,
  isAllowedAgain,
  isFinal,
  isForAnother,
  isReplaced,
  isRestored,
  repeatOf,
  takenOver,
} from "./operation.ts";
import { eventOf, progressOf } from "./outlived.ts";
import { refuseExpired, refuseSwitchedOff, requireApproval } from "./permission.ts";
import { findRow, readRow } from "./presence.ts";
import type { Connected, Located, Observed, Reconciliation } from "./reconciliation.ts";
import { busyOf, live } from "./reconciliation.ts";
import { resolveReferences } from "./references.ts";
import { wakeReferred } from "./referred.ts";

/** What an object says that has run; undefined while it has not. */
export function endedRun({ next: { run } }: Reconciliation): Verdict | undefined {
  if (run?.result === "Complete")
    return { state: "ready", reason: "Complete", message: `operation ${run.id} is complete` };
  if (run?.result === "Superseded") return { state: "ready", reason: "Superseded", message: run.message ?? "" };
  if (run?.result !== "Failed") return undefined;
  return { state: "stalled", reason: "Failed", message: `operation ${run.id} failed: ${run.message ?? ""}` };
}

/** True for a run that is complete and whose work may be replaced later; of all others nothing is read any more. */
export function isFollowed({ kind, next: { run } }: Reconciliation): boolean {
  return kind.superseded !== undefined && run?.result === "Complete" && run.made !== undefined;
}

/** Begins the run, or follows it. Throws `Waiting` until it has ended. */
export async function runOnce(at: Connected): Promise<Verdict> {
  const ended = endedRun(at);
  if (ended) return afterRun(at, ended);
  const begun = begunOperation(at);
  const restored = isRestored(at);
  const followed = begun && (restored || !isAllowedAgain(at, begun)) ? begun : undefined;
  // What was begun is followed by the id that the intent names, whatever became of what the spec refers to.
  const known = followed && at.intent?.is?.id;
  const located = await (known === undefined ? locate(at) : locateRecorded(at));
  const id = known ?? (await targetOf(located));
  if (followed && restored) throw await takenOver(located, id, followed);
  const row = await readRow(located, id);
  if (begun && isReplaced(at, id, row))
    await endOfGone(
      Object.assign(located, { id }),
      begun,
      `${id} in ${located.collection.path} is another cloud object by now`,
    );
  else if (row && followed) await follow(await detailed(located, { id, row }, followed), followed);
  else if (row) await begin(await detailed(located, { id, row }), begun);
  else if (followed) await endOfGone(Object.assign(located, { id }), followed);
  else throw new Waiting("WaitingForReference", `${id} does not exist in ${located.collection.path}`, 60_000);
  return endedRun(at) ?? { state: "superseded", afterMs: 1_000 };
}

/** What else the run is judged by is read as often as the row. */
async function detailed(at: Located, found: { id: string; row: JsonObject }, followed?: Operation): Promise<Observed> {
  const observed: Observed = Object.assign(at, found);
  observed.details = await readDetails(observed, at.environment.clock.now(), followed?.applies);
  return observed;
}

/** Reads, with the sweep, whether what the run has made is still there. */
async function afterRun(at: Connected, ended: Verdict): Promise<Verdict> {
  const { run } = at.next;
  const id = at.intent?.is?.id;
  if (id === undefined || run?.made === undefined) return ended;
  const located: Acted = Object.assign(await locateRecorded(at), { id });
  const row = await findRow(located, id);
  if (!row) return supersede(located, run, `${id} does not exist in ${located.collection.path} any more`);
  const observed: Observed = Object.assign(located, { row });
  observed.details = await readDetails(observed);
  const why = at.kind.superseded?.(live(observed));
  return why === undefined ? ended : supersede(observed, run, why);
}

function supersede(at: Acted, { id, startedAt: time, made }: Run, why: string): Verdict {
  end(at, { id, time }, "Superseded", `${made}: ${why}. It is not made again`);
  return endedRun(at) ?? { state: "superseded", afterMs: 1_000 };
}

/**
 * The operation that was begun, unless it was certainly refused. Whether it is settled is not asked: people may edit the
 * status. The finalizer is stored together with the intent: where it stands without one, somebody has removed the record,
 * and it is not known what was begun. Nor is it where a restored record is of a key that was lost.
 */
function begunOperation(at: Connected): Operation | undefined {
  const { intent } = at;
  const begun = intent?.operations?.at(-1);
  if (begun) return begun.id === at.remembered.refusedOperation ? undefined : begun;
  if (intent) return undefined;
  const { uid, creationTimestamp, finalizers } = at.object.metadata;
  const { id = uid.slice(0, 8), startedAt = creationTimestamp } = at.next.run ?? {};
  if (!at.next.run && !finalizers?.includes(finalizer) && at.statement.state !== "unproven") return undefined;
  return { id, action: "A request without a record", time: startedAt };
}

async function begin(at: Observed, before: Operation | undefined): Promise<void> {
  refuseSwitchedOff(at);
  refuseExpired(at);
  requireIdle(at);
  await refuseTold(at);
  at.wanted = await resolveReferences(at, true);
  const call = at.kind.request?.(live(at));
  if (!call) return end(at, { id: at.object.metadata.uid.slice(0, 8), time: now(at) }, "Complete");
  if (before && isForAnother(before, call))
    return endOfGone(at, before, `what ${before.action} was asked for is another cloud object by now`);
  await requireApproval(at, [call]);
  refuseAgain(at, call);
  const operation = await beginOperation(at, call);
  try {
    await sendChange(at, call, { urgent: at.urgent, priority: "update" });
  } catch (error) {
    if (!isHttpError(error) || error.outcome !== "refused") throw error;
    at.remembered.refusedOperation = operation.id;
    if (!isFinal(error)) noteRefusal(at, call, error);
    if (await isRefusedForGood(at, error))
      return end(at, operation, "Failed", (await refusalOf(at, error)) ?? error.message);
    // Nothing came of it: the signed record says so, since a restart does not believe the status.
    await restateIntent(at, at.id, { operations: [] });
    requireIdle(at);
    throw error;
  }
  note(at, { id: operation.id, startedAt: operation.time, accepted: true });
  const { action, note: text } = call;
  announce(at.environment, at.object, { type: "Normal", reason: action, action, note: text, id: at.id });
  throw new Waiting("Running", `${action} (operation ${operation.id}) is running`, 2_000);
}

async function follow(at: Observed, operation: Operation): Promise<void> {
  const { kind, next } = at;
  const known = next.run?.id === operation.id ? next.run : { id: operation.id, startedAt: operation.time };
  note(at, known);
  const view = { ...live(at), applied: operation.applies };
  const progress = kind.ready?.(view);
  if (progress && !progress.ready) {
    note(at, { ...known, ...(await progressOf(at, at.id, operation)) });
    throw new Waiting("Running", progress.message, progress.afterMs ?? 5_000);
  }
  const made = kind.made?.(view);
  if (made) note(at, { ...known, made: made.id });
  if (made?.failed !== undefined) return end(at, operation, "Failed", made.failed);
  const shown = kind.evident?.(view);
  const judged = known.accepted && !kind.made;
  if (made || shown || (judged && shown === undefined)) return end(at, operation, "Complete");
  const heard = known.accepted ? "was accepted" : "got no clear response";
  const what = `${operation.action} (operation ${operation.id}) ${heard}`;
  // The row may show it late, or show what somebody has done since; an event from long after is of that, too.
  const told = kind.made ? undefined : await eventOf(at, at.id, operation, settleMsOf(at));
  if (told === "finished") return end(at, operation, "Complete");
  if (told === "failed") return end(at, operation, "Failed", `${what}, and an event of the cloud says that it failed`);
  const leftMs = leftOf(at, operation);
  const waiting = `${what}; waiting for the cloud to show the result`;
  if (leftMs > 0) throw new Waiting("Running", waiting, Math.min(leftMs, judged ? 15_000 : 5_000));
  if (known.accepted) return end(at, operation, "Failed", `${what}, and the cloud does not show its result`);
  throw new Stalled(
    "OperationUncertain",
    `${what}, and nothing shows whether it was carried out. It is not repeated. To send it again: ${repeatOf(at, operation)}`,
  );
}

/** Nothing can be sent to it again, so the run has ended either way. */
async function endOfGone(
  at: Acted,
  operation: Operation,
  what = `${at.id} does not exist in ${at.collection.path} any more`,
): Promise<void> {
  const told = await eventOf(at, at.id, operation);
  if (told === "finished") return end(at, operation, "Complete");
  const events = told === undefined ? "no event of the cloud reports" : `an event of the cloud says "${told}" of`;
  end(at, operation, "Failed", `${what}, and ${events} ${operation.action} (operation ${operation.id})`);
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
  if (told === undefined) return;
  throw new Stalled(
    "OperationUncertain",
    `an event of the cloud reports the same on ${at.id} since this object asked for it. Nothing is sent. To send it: ${repeatOf(at, { id })}`,
  );
}

function requireIdle(at: Observed): void {
  const busy = busyOf(at);
  if (busy) throw new Waiting("Busy", busy.message, busy.afterMs ?? 5_000);
}

/** A 404 is believed where what is acted on is shown, so that something else does not exist; what became busy is waited for. */
async function isRefusedForGood(at: Observed, error: HttpError): Promise<boolean> {
  const row = error.status === 404 || isFinal(error) ? await readRow(at, at.id) : undefined;
  if (error.status === 404) return row !== undefined;
  return isFinal(error) && busyOf(Object.assign(at, row && { row })) === undefined;
}

/** The id of what is acted on is known; it may be gone. */
type Acted = Located & { id: string };

type Ended = NonNullable<Run["result"]>;

function end(at: Acted, { id, time }: Pick<Operation, "id" | "time">, result: Ended, message?: string): void {
  const finishedAt = result === "Superseded" ? at.next.run?.finishedAt : now(at);
  note(at, {
    ...(at.next.run ?? { id, startedAt: time }),
    ...(finishedAt !== undefined && { finishedAt }),
    ...(at.next.run?.progressPercent !== undefined && result === "Complete" && { progressPercent: 100 }),
    result,
    ...(message !== undefined && { message: message.slice(0, 1_024) }),
  });
  wakeReferred(at);
  const type = result === "Failed" ? "Warning" : "Normal";
  const text = message ?? `operation ${id} is complete`;
  announce(at.environment, at.object, { type, reason: result, action: "Run", note: text, id: at.id });
}

const now = (at: Acted): string => at.session.client.serverTime().toISOString();

/** Known to this process at once: the status that says so may be refused. */
function note(at: Acted, run: Run): void {
  at.next.run = run;
  at.remembered.run = run;
}

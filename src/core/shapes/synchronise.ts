/**
 * Layer `core/shapes`: creation, change and deletion of one cloud object, a setting, an action, a mirror or a survey.
 * The layer imports `core/send` and lower layers.
 *
 * Brings an existing cloud object to the desired state: one update of the fields that differ, then the steps.
 */
import { isDeepStrictEqual } from "node:util";
import { announce } from "../store/announce.ts";
import { waitForCreated } from "../send/just-created.ts";
import { markAsSet } from "./as-set.ts";
import { isCarried, originOf } from "../model/origin.ts";
import { differencesIn, disruptiveValues, fixedDifferencesIn, keyFieldsOf } from "../kind/fields.ts";
import type { HttpError } from "../../api/errors.ts";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call, Request } from "../kind/call.ts";
import { describeChange, lineDifferences } from "../kind/words.ts";
import type { Difference } from "../kind/differences.ts";
import { countCorrection, isFutile, isUndoneAgain, markOf, noteSent } from "../send/ineffective.ts";
import { noteDrift, noteRepair, wasMadeSo } from "../model/drift.ts";
import {
  beginOperation,
  endOperation,
  followOperations,
  isFinal,
  isUnasked,
  settleOperations,
} from "../send/operation.ts";
import { carryOut } from "../send/change.ts";
import { handOverEach, noteHoldings } from "../send/hand-over.ts";
import { mayChange, requireApproval } from "../send/permission.ts";
import { isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
import { isDone, isStillMeant, keepDone } from "../send/expected.ts";
import { refuseBeside } from "../read/beside.ts";
import { requireStepReach } from "../read/permitted.ts";
import { readRow, requireUnchanged } from "../read/lookup.ts";
import type { Observed } from "../model/context.ts";
import { claimedIn, withAdditions, withdrawnIn } from "../store/additions.ts";
import { appliedOf } from "../store/applied.ts";
import { decideStep } from "./decide-step.ts";
import type { AnyStep } from "./decide-step.ts";
import { busyOf, live } from "../model/context.ts";
import { isRefusal, noteRefusal, refuseAgain } from "../send/refusals.ts";
import { setAsOwn } from "./setting.ts";
import { addObserved, showRow } from "../read/show-observed.ts";
import { tagged, untagged } from "../model/tags.ts";
import { besideRuns } from "../send/action-lock.ts";
import { times } from "../kind/times.ts";

/**
 * Brings the cloud object to the desired state, as far as the policy permits. Throws `Waiting` while the cloud applies
 * a change.
 */
export async function synchronise(at: Observed): Promise<void> {
  if (!at.observing) await followOperations(at);
  at.next.drift = [];
  showRow(at);
  const found = fieldDifferences(at);
  if (found.length > 0) await update(at, found);
  else at.remembered.futile?.delete(updating);
  await runSteps(at);
  const { planned = [] } = at;
  if (planned.length === 0) return;
  delete at.planned;
  await requireApproval(at, planned);
  await synchronise(at);
}

function fieldDifferences(at: Observed): Difference[] {
  return [...differencesIn(at.kind, at.wanted, untagged(at, at.row)), ...withdrawnIn(at, at.row)];
}

async function update(at: Observed, found: Difference[]): Promise<void> {
  if (wasMadeSo(at)) noteDrift(at);
  const mark = markOf(at, found);
  // The mark already contains the differences.
  const isGivenUp = (): boolean => isFutile(at, updating, { mark, found: mark, tries: updateTries });
  if (isGivenUp() || isUndoneAgain(at, mark)) return void (at.next.drift = found);
  refuseHidden(at);
  if (found.some(({ field }) => at.kind.fields[field]?.key)) await refuseBeside(at, at.wanted);
  const call = updateCall(at, found);
  if (!mayChange(at, [call], found)) return;
  if (call.about !== undefined) return ask(at, call);
  const answer = await withAdditions(at, call, () => send(at, call));
  keepDone(at, call);
  const shown = rowOf(at, answer);
  const row = shown ?? (await readRow(at, at.id));
  if (!row) throw new Waiting("Updating", "the cloud object disappeared during an update", times.soon);
  at.row = row;
  at.remembered.changedAt = undefined;
  at.session.observer.put(at.collection, at.id, row, at.key);
  const { action, note } = call;
  const reason = wasMadeSo(at) ? "Corrected" : "Updated";
  announce(at.environment, at.object, { type: "Normal", reason, action, note, id: at.id });
  countCorrection(at, mark, found);
  const left = fieldDifferences(at);
  if (left.length > 0) at.next.drift = left;
  // If the cloud API ignores a value, the operator reports the difference and does not send the value repeatedly.
  if (markOf(at, left) === mark) noteSent(at, updating, mark, shown ? updateTries : 1);
  // A gateway can have answered instead of the cloud API.
  if (!shown && left.length > 0 && !isGivenUp())
    throw new Waiting("Updating", "the cloud does not show the changes yet");
}

/** Throws if the cloud API hides the carrier of the cloud object. The ID can belong to another user. */
function refuseHidden({ kind, id, isRecalled, row }: Observed): void {
  if (!isCarried(kind) || !(isRecalled || originOf(kind, row) === undefined)) return;
  const what = `the cloud API does not show ${keyFieldsOf(kind).join(" or ")} of ${id}`;
  if (!isRecalled) throw new Stalled("Unreadable", `${what}. It is not changed`, times.quiet);
  const text = `${what} while ${id} is shared. It is not changed. End the sharing first`;
  throw new Waiting("WaitingForDependents", text, times.quiet);
}

/** Name of the update among the ineffective changes of the steps. */
const updating = "update";

/** Number of attempts for an update without effect whose response does not show the row. */
const updateTries = 5;

/** Sends a request once if no row shows its effect. The kind interprets the outcome. */
async function ask(at: Observed, call: Call): Promise<void> {
  try {
    await perform(at, call);
  } catch (error) {
    if (!isHttpError(error) || !isFinal(error)) throw error;
  }
  await refresh(at);
  const left = fieldDifferences(at);
  if (left.length > 0) await update(at, left);
}

function updateCall(at: Observed, found: Difference[]): Call {
  const { kind, collection } = at;
  const wanted: JsonObject = Object.fromEntries(found.map((one) => [one.field, one.wanted]));
  const body = "tags" in wanted ? tagged(at, wanted) : wanted;
  const whole = { method: "PUT" as const, path: collection.itemPath(at.id), body };
  const request = kind.verbs?.update?.(live(at), body) ?? whole;
  return { action: "Update", note: describeChange(at.kind, found), ...claimedIn(at, found), ...request };
}

/** Returns the row of a response; undefined for another response. `{}` is no row, even if each field is optional. */
function rowOf({ collection, id }: Observed, answer: Json): JsonObject | undefined {
  if (isDeepStrictEqual(answer, {})) return undefined;
  try {
    const row = collection.project(answer as JsonObject);
    return collection.idOf(row) === id ? row : undefined;
  } catch {
    return undefined;
  }
}

async function runSteps(at: Observed): Promise<void> {
  if (await runStepsOnce(at)) {
    // A second comparison detects a step without effect immediately.
    if (await runStepsOnce(at)) throw new Waiting("Updating", "the cloud does not show the changes yet");
  }
  // The operator did not apply the planned calls.
  if (at.planned) return;
  if (!at.observing) {
    settleOperations(at, disruptiveValues(at.kind, at.spec));
    const applied = { ...appliedOf(at, { ...at.intent?.applied, ...at.next.applied }), ...(await markAsSet(at)) };
    at.next.applied = Object.keys(applied).length > 0 ? applied : undefined;
  }
  // The operator only reports a value that no update changes: a user asks for disruption, and the operator does not
  // infer it.
  at.next.drift = [...(at.next.drift ?? []), ...fixedDifferencesIn(at.kind, at.wanted, at.row)];
}

/** Returns true if the operator sent calls. Later steps see the results of earlier steps. */
async function runStepsOnce(at: Observed): Promise<boolean> {
  let acted = false;
  let refusal: HttpError | undefined;
  for (const [name, step] of Object.entries(at.kind.steps ?? {})) {
    try {
      if (await runStep(at, name, step, refusal !== undefined)) acted = true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal ??= error;
    }
  }
  if (refusal !== undefined) throw refusal;
  return acted;
}

/**
 * Sends the calls of a step. `isAfterRefusal`: the cloud API refused an earlier step. The operator then sends no destructive call,
 * but another call can end the refusal. Example: a disk shrinks only after the shutdown of its instance.
 */
async function runStep(at: Observed, name: string, step: AnyStep, isAfterRefusal: boolean): Promise<boolean> {
  requireStepReach(at, name, step);
  const { reads, current, calls } = await decideStep(at, name, step);
  if (step.exclusive && current !== undefined) noteHoldings(at, step.exclusive.holds(current), calls);
  if (isAfterRefusal && calls.some(({ destructive, applies }) => destructive === true || applies !== undefined))
    return false;
  const words = step.words?.(live(at), current);
  addObserved(at, words?.cloud);
  if (calls.length === 0) {
    at.remembered.futile?.delete(name);
    return false;
  }
  if (reads) waitForCreated(at, step, reads);
  if (wasMadeSo(at)) noteDrift(at);
  // The operator never repeats a destructive call.
  const final = calls.some(({ destructive }) => destructive);
  const change = { mark: markOf(at, calls), found: markOf(at, [at.row, current]), final };
  const lines = words ? lineDifferences(words.spec ?? (at.spec as JsonObject), words.cloud) : [];
  const noted = calls.map(({ action, note }) => ({ field: action, wanted: null, found: undefined, remedy: note }));
  const found = lines.length > 0 && !isUnasked(at, calls) ? lines : noted;
  if (isUnasked(at, calls) || isFutile(at, name, change) || isUndoneAgain(at, change.mark)) {
    at.next.drift = [...(at.next.drift ?? []), ...found];
    return false;
  }
  if (!mayChange(at, calls, found)) return false;
  // A call outdates the read, even if the call failed.
  const outdate = () => reads && at.session.observer.invalidate(reads.path);
  const sendOne = (call: Call) => besideRuns(at, call, () => perform(at, call)).finally(outdate);
  if (step.exclusive) await handOverEach(at, calls, sendOne);
  else for (const call of calls) await sendOne(call);
  noteSent(at, name, change.mark);
  countCorrection(at, change.mark, found);
  await refresh(at);
  waitWhileBusy(at);
  return true;
}

async function perform(at: Observed, call: Call): Promise<void> {
  const { action, note, destructive, applies } = call;
  if (!(await isStillMeant(at, call))) return;
  if (destructive) refuseAgain(at, call);
  if (destructive) await beginOperation(at, call);
  try {
    await withAdditions(at, call, () => send(at, call));
  } catch (error) {
    if (destructive) noteRefusal(at, call, error);
    if (destructive) await endOperation(at, call, error);
    if (!(await isDone(at, call, error))) throw error;
  }
  if (destructive) await endOperation(at, call);
  keepDone(at, call);
  // The cloud can show the applied values later.
  if (applies) at.next.applied = { ...at.next.applied, ...applies };
  announce(at.environment, at.object, { type: "Normal", reason: action, action, note, id: at.id });
}

/** Sends one change. Stores the ID before the request, and marks earlier reads as outdated. */
async function send(at: Observed, request: Request): Promise<Json> {
  // The list can be one poll old, and the cloud API can have reused the ID since.
  if (!at.fresh) await requireUnchanged(at);
  at.remembered.changedAt = at.environment.clock.now();
  const answer = await setAsOwn(at, () => carryOut(at, request, { urgent: at.urgent, priority: "update" }));
  noteRepair(at);
  return answer;
}

/** Throws `Waiting` if a step made the cloud object busy. The cloud API would refuse the next step. */
function waitWhileBusy(at: Observed): void {
  const busy = busyOf(at);
  if (busy) throw new Waiting(busy.reason, busy.message, busy.afterMs ?? times.short);
}

async function refresh(at: Observed): Promise<void> {
  const row = await readRow(at, at.id);
  if (!row) throw new Waiting("Updating", "the cloud object disappeared during a change", times.soon);
  at.row = row;
}

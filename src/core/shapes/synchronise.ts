/**
 * Layer `core/shapes`: creation, change and deletion of one cloud object, a setting, an action, a mirror or a survey. The layer imports
 * `core/send` and lower layers.
 *
 * Bringing an existing cloud object to what the spec wants: one update of the fields that differ, then the steps.
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

/** Brings the cloud object to its spec, as far as its policy permits. Throws `Waiting` while the cloud works on it. */
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
  // What is found is part of the mark.
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
  // A value that the cloud API keeps is not sent again and again; the difference is reported instead.
  if (markOf(at, left) === mark) noteSent(at, updating, mark, shown ? updateTries : 1);
  // Something between here and the cloud may have answered in its place.
  if (!shown && left.length > 0 && !isGivenUp())
    throw new Waiting("Updating", "the cloud does not show the changes yet");
}

/** Throws if the cloud API does not show what carries the cloud object: the ID may belong to another user. */
function refuseHidden({ kind, id, isRecalled, row }: Observed): void {
  if (!isCarried(kind) || !(isRecalled || originOf(kind, row) === undefined)) return;
  const what = `the cloud API does not show ${keyFieldsOf(kind).join(" or ")} of ${id}`;
  if (!isRecalled) throw new Stalled("Unreadable", `${what}. It is not changed`, times.quiet);
  const text = `${what} while ${id} is shared. It is not changed. End the sharing first`;
  throw new Waiting("WaitingForDependents", text, times.quiet);
}

/** The update among what may be futile, beside the steps. */
const updating = "update";

/** So often an update is sent whose answer does not show the row, and that does not take effect. */
const updateTries = 5;

/** What no row shows is asked for once; the kind says what follows from what came of it. */
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

/** Undefined for an answer that is no row; `{}` is none, also where each of its fields may be missing. */
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
    // What was set is compared once more, so that a step that does not take effect is seen at once.
    if (await runStepsOnce(at)) throw new Waiting("Updating", "the cloud does not show the changes yet");
  }
  // What waits for an approval was not applied.
  if (at.planned) return;
  if (!at.observing) {
    settleOperations(at, disruptiveValues(at.kind, at.spec));
    const applied = { ...appliedOf(at, { ...at.intent?.applied, ...at.next.applied }), ...(await markAsSet(at)) };
    at.next.applied = Object.keys(applied).length > 0 ? applied : undefined;
  }
  // The operator only reports a value that no update changes: a user asks for disruption, and the operator does not infer it.
  at.next.drift = [...(at.next.drift ?? []), ...fixedDifferencesIn(at.kind, at.wanted, at.row)];
}

/** True when calls were made. Later steps see the results of earlier ones. */
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
  // What destroys is never repeated by itself.
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
  // A call makes the read old, also if the call failed.
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
  // What it applies stays awaited.
  if (applies) at.next.applied = { ...at.next.applied, ...applies };
  announce(at.environment, at.object, { type: "Normal", reason: action, action, note, id: at.id });
}

/** Sends one change. The id is saved before, and what was read is old from now on. */
async function send(at: Observed, request: Request): Promise<Json> {
  // A list may be a sweep old, and the id mean something else by now.
  if (!at.fresh) await requireUnchanged(at);
  at.remembered.changedAt = at.environment.clock.now();
  const answer = await setAsOwn(at, () => carryOut(at, request, { urgent: at.urgent, priority: "update" }));
  noteRepair(at);
  return answer;
}

/** A step may set the cloud to work, which then refuses the next one. */
function waitWhileBusy(at: Observed): void {
  const busy = busyOf(at);
  if (busy) throw new Waiting(busy.reason, busy.message, busy.afterMs ?? times.short);
}

async function refresh(at: Observed): Promise<void> {
  const row = await readRow(at, at.id);
  if (!row) throw new Waiting("Updating", "the cloud object disappeared during a change", times.soon);
  at.row = row;
}

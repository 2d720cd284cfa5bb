/**
 * Layer `core/shapes`: creation, change and deletion of one cloud object, a setting, an action, a mirror or a survey.
 * The layer imports `core/send` and lower layers.
 *
 * Brings an existing cloud object to the desired state: one update of the fields that differ, then the steps.
 */
import { nameOf } from "../kind/naming.ts";
import { isDeepStrictEqual } from "node:util";
import { announce } from "../store/announce.ts";
import { waitForCreated } from "../send/just-created.ts";
import { markAsSet } from "./as-set.ts";
import { isCarried, originOf } from "../model/origin.ts";
import { differencesIn, disruptiveValues, fixedDifferencesIn, keyFieldsOf } from "../kind/fields.ts";
import type { HttpError } from "../../api/errors.ts";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call, Request } from "../kind/call.ts";
import { withOtherEntries } from "../kind/added-entries.ts";
import { changesBetween, effectOf } from "../kind/changes.ts";
import { concernsOf } from "../kind/concern.ts";
import { lineDifferences } from "../kind/words.ts";
import type { Difference } from "../kind/differences.ts";
import { countCorrection, isIneffective, isUndoneAgain, markOf, noteSent } from "../send/ineffective.ts";
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
import { askFor, permittedOf, refuseLacking } from "../send/permission.ts";
import { isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
import { isDone, isStillMeant, keepDone } from "../send/expected.ts";
import { refuseBeside } from "../read/beside.ts";
import { requireStepReach } from "../read/permitted.ts";
import { readRow, requireUnchanged } from "../read/lookup.ts";
import type { Observed } from "../model/context.ts";
import { claimedIn, withAdditions } from "../store/additions.ts";
import { appliedOf } from "../store/applied.ts";
import { decideStep } from "./decide-step.ts";
import type { AnyStep } from "./decide-step.ts";
import { busyOf, live } from "../model/context.ts";
import { isRefusal, noteRefusal, refuseAgain } from "../send/refusals.ts";
import { setAsOwn } from "./setting.ts";
import { addObserved, showRow } from "../read/show-observed.ts";
import { tagged, untagged } from "../model/tags.ts";
import { besideActions } from "../send/action-lock.ts";
import { times } from "../kind/times.ts";

/**
 * Brings the cloud object to the desired state, as far as the policy permits. Throws `Waiting` while the cloud applies
 * a change.
 */
export async function synchronise(ctx: Observed): Promise<void> {
  if (!ctx.observing) await followOperations(ctx);
  ctx.next.drift = [];
  showRow(ctx);
  const found = fieldDifferences(ctx);
  if (found.length > 0) await update(ctx, found);
  else ctx.remembered.ineffective?.delete(updating);
  await runSteps(ctx);
  const { planned } = ctx;
  if (!planned) return;
  delete ctx.planned;
  await askFor(ctx, planned.calls, planned.reason);
  await synchronise(ctx);
}

function fieldDifferences(ctx: Observed): Difference[] {
  const row = untagged(ctx, ctx.row);
  return withOtherEntries(ctx.kind, ctx.desired, row, ctx.next.applied, differencesIn(ctx.kind, ctx.desired, row));
}

async function update(ctx: Observed, found: Difference[]): Promise<void> {
  if (wasMadeSo(ctx)) noteDrift(ctx);
  const mark = markOf(ctx, found);
  // The mark already contains the differences.
  const isGivenUp = (): boolean => isIneffective(ctx, updating, { mark, found: mark, tries: updateTries });
  if (isGivenUp() || isUndoneAgain(ctx, mark)) return void (ctx.next.drift = found);
  refuseHidden(ctx);
  if (found.some(({ field }) => ctx.kind.fields[field]?.key)) await refuseBeside(ctx, ctx.desired);
  const call = updateCall(ctx, found);
  if (permittedOf(ctx, { calls: [call], found, concerns: concernsOf(ctx.kind, found) }).length === 0) return;
  if (call.about !== undefined) return ask(ctx, call);
  const answer = await withAdditions(ctx, call, () => sendUpdate(ctx, call));
  keepDone(ctx, call);
  const shown = rowInAnswer(ctx, answer);
  const row = shown ?? (await readRow(ctx, ctx.id));
  if (!row) throw new Waiting("Updating", "the cloud object disappeared during an update", times.soon);
  ctx.row = row;
  ctx.remembered.changedAt = undefined;
  ctx.session.observer.put(ctx.collection, ctx.id, row, ctx.key);
  announceChange(ctx, call, "Updated");
  countCorrection(ctx, mark, found);
  const left = fieldDifferences(ctx);
  if (left.length > 0) ctx.next.drift = left;
  // If the cloud API ignores a value, the operator reports the difference and does not send the value repeatedly.
  if (markOf(ctx, left) === mark) noteSent(ctx, updating, mark, shown ? updateTries : 1);
  // A gateway can have answered instead of the cloud API.
  if (!shown && left.length > 0 && !isGivenUp())
    throw new Waiting("Updating", "the cloud does not show the changes yet");
}

/** Throws if the cloud API hides the carrier of the cloud object. The ID can belong to another user. */
function refuseHidden({ kind, id, isRecalled, row }: Observed): void {
  if (!isCarried(kind) || !(isRecalled || originOf(kind, row) === undefined)) return;
  const what = `the cloud API does not show ${keyFieldsOf(kind).join(" or ")} of ${nameOf(kind, id)}`;
  if (!isRecalled) throw new Stalled("Unreadable", `${what}. The operator does not change it`, times.quiet);
  const text = `${what} while it is shared. The operator does not change it. End the sharing first`;
  throw new Waiting("WaitingForDependents", text, times.quiet);
}

/** Name of the update among the ineffective changes of the steps. */
const updating = "update";

/** Number of attempts for an update without effect whose response does not show the row. */
const updateTries = 5;

/** Sends a request once if no row shows its effect. The kind interprets the outcome. */
async function ask(ctx: Observed, call: Call): Promise<void> {
  try {
    await perform(ctx, call);
  } catch (error) {
    if (!isHttpError(error) || !isFinal(error)) throw error;
  }
  await refresh(ctx);
  const left = fieldDifferences(ctx);
  if (left.length > 0) await update(ctx, left);
}

function updateCall(ctx: Observed, found: Difference[]): Call {
  const { kind, collection } = ctx;
  const wanted: JsonObject = Object.fromEntries(found.map((one) => [one.field, one.desired]));
  const body = "tags" in wanted ? tagged(ctx, wanted) : wanted;
  const whole = { method: "PUT" as const, path: collection.itemPath(ctx.id), body };
  const request = kind.verbs?.update?.(live(ctx), body) ?? whole;
  // A kind whose update is no plain change of fields describes the effect itself.
  const effect = "note" in request ? {} : { changes: found };
  return { action: "Update", note: "", ...effect, ...claimedIn(ctx, found), ...request };
}

/** Returns the row of a response; undefined for another response. `{}` is no row, even if each field is optional. */
function rowInAnswer({ collection, id }: Observed, answer: Json): JsonObject | undefined {
  if (isDeepStrictEqual(answer, {})) return undefined;
  try {
    const row = collection.project(answer as JsonObject);
    return collection.idOf(row) === id ? row : undefined;
  } catch {
    return undefined;
  }
}

async function runSteps(ctx: Observed): Promise<void> {
  if (await runStepsOnce(ctx)) {
    // A second comparison detects a step without effect immediately.
    if (await runStepsOnce(ctx)) throw new Waiting("Updating", "the cloud does not show the changes yet");
  }
  // The operator did not apply the planned calls.
  if (ctx.planned) return;
  if (!ctx.observing) {
    settleOperations(ctx, disruptiveValues(ctx.kind, ctx.spec));
    const applied = { ...appliedOf(ctx, { ...ctx.entry?.applied, ...ctx.next.applied }), ...(await markAsSet(ctx)) };
    ctx.next.applied = Object.keys(applied).length > 0 ? applied : undefined;
  }
  // The operator only reports a value that no update changes: a user asks for disruption, and the operator does not
  // infer it.
  ctx.next.drift = [...(ctx.next.drift ?? []), ...fixedDifferencesIn(ctx.kind, ctx.desired, ctx.row)];
}

/** Returns true if the operator sent calls. Later steps see the results of earlier steps. */
async function runStepsOnce(ctx: Observed): Promise<boolean> {
  let acted = false;
  let refusal: HttpError | undefined;
  for (const [name, step] of Object.entries(ctx.kind.steps ?? {})) {
    try {
      if (await runStep(ctx, name, step, refusal !== undefined)) acted = true;
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
async function runStep(ctx: Observed, name: string, step: AnyStep, isAfterRefusal: boolean): Promise<boolean> {
  requireStepReach(ctx, name, step);
  const { reads, current, calls } = await decideStep(ctx, name, step);
  if (step.exclusive && current !== undefined) noteHoldings(ctx, step.exclusive.holds(current), calls);
  if (isAfterRefusal && calls.some(({ destructive, applies }) => destructive === true || applies !== undefined))
    return false;
  const words = step.describe?.(live(ctx), current);
  addObserved(ctx, words?.cloud);
  if (calls.length === 0) {
    ctx.remembered.ineffective?.delete(name);
    return false;
  }
  if (reads) waitForCreated(ctx, step, reads);
  if (wasMadeSo(ctx)) noteDrift(ctx);
  // The operator never repeats a destructive call.
  const final = calls.some(({ destructive }) => destructive);
  const change = { mark: markOf(ctx, calls), found: markOf(ctx, [ctx.row, current]), final };
  const changes = words ? changesBetween(words.spec ?? (ctx.spec as JsonObject), words.cloud) : [];
  const told = calls.length === 1 ? calls.map((call) => ({ changes, ...call })) : calls;
  const lines = changes.flatMap((one) => lineDifferences(one.desired, one.observed, one.field));
  const noted = calls.map(({ action, note }) => ({ field: action, desired: null, observed: undefined, remedy: note }));
  const found = lines.length > 0 && !isUnasked(ctx, calls) ? lines : noted;
  if (isUnasked(ctx, calls) || isIneffective(ctx, name, change) || isUndoneAgain(ctx, change.mark)) {
    ctx.next.drift = [...(ctx.next.drift ?? []), ...found];
    return false;
  }
  refuseLacking(ctx, calls);
  const permitted = permittedOf(ctx, { calls: told, found, concerns: [step.concerns] });
  if (permitted.length === 0) return false;
  // After a call, the cached response is outdated. A failed call can have an effect, too.
  const outdate = () => reads && ctx.session.observer.invalidate(reads.path);
  const sendOne = (call: Call) => besideActions(ctx, call, () => perform(ctx, call)).finally(outdate);
  if (step.exclusive) await handOverEach(ctx, permitted, sendOne);
  else for (const call of step.oneAtATime ? permitted.slice(0, 1) : permitted) await sendOne(call);
  noteSent(ctx, name, change.mark);
  countCorrection(ctx, change.mark, found);
  await refresh(ctx);
  waitWhileBusy(ctx);
  return true;
}

async function perform(ctx: Observed, call: Call): Promise<void> {
  const { action, destructive, applies } = call;
  if (!(await isStillMeant(ctx, call))) return;
  if (destructive) refuseAgain(ctx, call);
  if (destructive) await beginOperation(ctx, call);
  try {
    await withAdditions(ctx, call, () => sendUpdate(ctx, call));
  } catch (error) {
    if (destructive) noteRefusal(ctx, call, error);
    if (destructive) await endOperation(ctx, call, error);
    if (!(await isDone(ctx, call, error))) throw error;
  }
  if (destructive) await endOperation(ctx, call);
  keepDone(ctx, call);
  // The cloud can show the applied values later.
  if (applies) ctx.next.applied = { ...ctx.next.applied, ...applies };
  announceChange(ctx, call, action);
}

/** Emits the event about a change. `Corrected`: the cloud differed from the unchanged spec. */
function announceChange(ctx: Observed, call: Call, otherwise: string): void {
  const reason = wasMadeSo(ctx) ? "Corrected" : otherwise;
  const { action } = call;
  const note = effectOf(ctx.kind, call);
  announce(ctx.environment, ctx.object, { type: "Normal", reason, action, note, id: ctx.id });
}

/** Sends one change. Stores the ID before the request, and marks earlier reads as outdated. */
async function sendUpdate(ctx: Observed, request: Request): Promise<Json> {
  // The list can be one poll old, and the cloud API can have reused the ID since.
  if (!ctx.fresh) await requireUnchanged(ctx);
  ctx.remembered.changedAt = ctx.environment.clock.now();
  const answer = await setAsOwn(ctx, () => carryOut(ctx, request, { urgent: ctx.urgent, priority: "update" }));
  noteRepair(ctx);
  return answer;
}

/** Throws `Waiting` if a step made the cloud object busy. The cloud API would refuse the next step. */
function waitWhileBusy(ctx: Observed): void {
  const busy = busyOf(ctx);
  if (busy) throw new Waiting(busy.reason, busy.message, busy.afterMs ?? times.short);
}

async function refresh(ctx: Observed): Promise<void> {
  const row = await readRow(ctx, ctx.id);
  if (!row) throw new Waiting("Updating", "the cloud object disappeared during a change", times.soon);
  ctx.row = row;
}

/**
 * Destructive operations: rebuild, resize, migrate, cancel backups. A repetition would destroy data.
 *
 * The signed journal entry has the ID of an operation before the request leaves. The operation stays open until the cloud object
 * shows the result. A response is no proof, because a proxy can send one. The operator never repeats an operation automatically.
 */
import { isOfObject } from "../model/journal.ts";
import { retryOperationAnnotation } from "../kind/annotations.ts";
import type { HttpError } from "../../api/errors.ts";
import { disruptiveValues, valueText } from "../kind/fields.ts";
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../api/types.ts";
import { confirmStillMeant } from "../read/confirm.ts";
import { saveStatus } from "../store/record.ts";
import { rewriteEntry } from "../store/rewrite-entry.ts";
import { leftOf } from "../model/elapsed.ts";
import { isAnother, originOf } from "../model/origin.ts";
import { settleMsOf } from "../model/settle.ts";
import { settle } from "../model/settlement.ts";
import type { Evidence } from "../model/settlement.ts";
import { annotate, minuteOf } from "../model/uncertain.ts";
import { isUnsent, store } from "../model/unsent.ts";
import type { Operation } from "../kind/status-schema.ts";
import type { Call } from "../kind/call.ts";
import { isBusy, isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
import { readRow, requireUnchanged } from "../read/lookup.ts";
import type { Located, Observed, Context } from "../model/context.ts";
import { times } from "../kind/times.ts";

/**
 * Records an operation before its request. Throws if another operation has an unknown outcome, if the custom resource changed, or if
 * the cloud object changed.
 */
export async function beginOperation(ctx: Observed, call: Call, after?: string): Promise<Operation> {
  const { action, applies, about } = call;
  refuseUncertain(ctx, call);
  await confirmStillMeant(ctx);
  await requireUnchanged(ctx);
  const time = ctx.session.client.serverTime().toISOString();
  const operation = {
    id: randomUUID().slice(0, 8),
    action,
    time,
    ...(applies && { applies }),
    ...(about !== undefined && { about }),
    ...(after !== undefined && { after }),
  };
  const operations = [...ctx.next.operations.filter((other) => other.action !== action), operation];
  // A backup can lack the status, and users can edit the status. The journal entry therefore has the operation.
  const origin = ctx.next.origin ?? originOf(ctx.kind, ctx.row);
  await store(ctx.remembered, operation.id, () => rewriteEntry(ctx, ctx.id, { ...ctx.entry, operations }, origin));
  ctx.next.operations = operations;
  return operation;
}

/** Returns true if the object was restored with the journal entry of an earlier object. */
export function isRestored(ctx: Context): boolean {
  const { entry } = ctx;
  return entry !== undefined && !isOfObject(entry, ctx.object);
}

/** Returns true if the call applies other values than the recorded operation. A permitted repetition must apply the same values. */
export function isForAnother({ applies = {} }: Operation, call: Call): boolean {
  return Object.entries(applies).some(([field, value]) => (call.applies?.[field] ?? value) !== value);
}

/** Returns true if the ID now means another cloud object, to which the operator sent no operation. */
export function isReplaced({ kind, entry }: Context, id: string, row: JsonObject | undefined): boolean {
  return row !== undefined && entry?.is?.id === id && isAnother(entry.is.origin, originOf(kind, row));
}

/**
 * Records the operation for the restored object with a new ID. Otherwise an annotation from the backup would permit a repetition
 * that the operator already sent.
 */
export async function takenOver(ctx: Located, id: string, operation: Operation): Promise<Waiting> {
  await rewriteEntry(ctx, id, { ...ctx.entry, operations: [{ ...operation, id: randomUUID().slice(0, 8) }] });
  return new Waiting("Running", `${operation.action} was sent for an earlier object of this name`, times.fresh);
}

/** Records the end of a call. A certain refusal ends the operation. After another error, the outcome is unknown. */
export async function endOperation(ctx: Observed, { action, about }: Call, error?: unknown): Promise<void> {
  // No row shows the result of a call with `about`, so the response is the evidence.
  if (error === undefined) return about === undefined ? undefined : settleWhere(ctx, (one) => one.action === action);
  if (!isHttpError(error) || error.outcome !== "refused") return;
  settleWhere(ctx, (operation) => operation.action === action);
  const because = isFinal(error) ? { refused: refusalReason(error) } : undefined;
  ctx.next.operations = ctx.next.operations.map((one) => (one.action === action ? refused(one, because) : one));
  await saveStatus(ctx);
}

/** Returns true for a refusal that only a change of the spec can end. */
export function isFinal(error: HttpError): boolean {
  return error.outcome === "refused" && error.status === 400 && !isBusy(error);
}

function refusalReason({ errors, message }: HttpError): string {
  return (errors[0]?.reason ?? message).slice(0, 253);
}

/** Returns the operation after a refusal. Only a final refusal keeps `about`, because the operator may retry after any other. */
function refused({ about, ...operation }: Operation, because: { refused: string } | undefined): Operation {
  return because && about !== undefined ? { ...operation, about, ...because } : operation;
}

/** Reads the cloud object again if operations are open, and settles the operations whose result the row shows. */
export async function followOperations(ctx: Observed): Promise<void> {
  const { next } = ctx;
  const begun = [...(ctx.entry?.operations ?? []), ...next.operations];
  next.operations = lastOfEach(begun.filter((one) => !isUnsent(ctx.remembered, one)));
  if (openOf(ctx).length === 0) return;
  const row = await readRow(ctx, ctx.id);
  if (!row) throw new Waiting("Updating", "the cloud object is missing during an operation", times.soon);
  ctx.row = row;
  for (const operation of openOf(ctx)) {
    const { applies } = operation;
    if (!applies) continue;
    // If the applied values are unknown, no other field disrupts.
    const applied = next.applied ?? disruptiveValues(ctx.kind, ctx.spec);
    if (showsApplied(ctx, applies)) {
      next.applied = { ...applied, ...applies };
      settleWhere(ctx, (other) => other === operation);
    } else if (isAllowedAgain(ctx, operation)) {
      // The cloud accepted the operation and did not carry it out, so the row has the applied values.
      const shown = Object.keys(applies).flatMap((field) => {
        const value = shownText(ctx, field);
        return value === undefined ? [] : [[field, value] as const];
      });
      next.applied = { ...applied, ...Object.fromEntries(shown) };
    }
  }
}

/** Settles all operations after the last step. Throws while an open operation can still change a desired value. */
export function settleOperations(ctx: Observed, desired: Record<string, string> = {}): void {
  for (const operation of openOf(ctx)) {
    const { applies = {} } = operation;
    // Another user can have set the desired values.
    const isAsDesired = Object.keys(applies).every((field) => shownText(ctx, field) === desired[field]);
    const evidence = { shown: showsApplied(ctx, applies) ? "result" : "nothing", isRepeatable: isAsDesired } as const;
    refuseOpen(ctx, operation, { ...evidence, isAllowedAgain: false });
  }
  settleWhere(ctx, () => true);
}

function showsApplied(ctx: Observed, applies: Record<string, string>): boolean {
  return Object.entries(applies).every(([field, value]) => shownText(ctx, field) === value);
}

/** Returns the observed value of a field in the form of the record. */
function shownText({ kind, row }: Observed, field: string): string | undefined {
  const shown = kind.fields[field]?.observed?.(row);
  return shown === undefined || shown === null ? undefined : valueText(shown);
}

/** Returns true if a call is `unasked` and has no open operation. */
export function isUnasked(ctx: Observed, calls: Call[]): boolean {
  const begun = ctx.entry?.operations ?? [];
  const open = openOf(ctx).filter(({ id }) => begun.some((one) => one.id === id));
  return calls.some(({ unasked, action }) => unasked && !open.some((one) => one.action === action));
}

function openOf({ next }: Observed): Operation[] {
  return next.operations.filter(({ settled }) => !settled);
}

function settleWhere({ next }: Observed, over: (operation: Operation) => boolean): void {
  next.operations = next.operations.map((one) => (over(one) ? { ...one, settled: true } : one));
}

/** Returns the newest operation of each action, or the last one with the same time. */
function lastOfEach(operations: Operation[]): Operation[] {
  const last = new Map<string, Operation>();
  for (const operation of operations) {
    const known = last.get(operation.action);
    if (!known || known.time <= operation.time) last.set(operation.action, operation);
  }
  return [...last.values()];
}

function refuseUncertain(ctx: Observed, call: Call): void {
  for (const operation of openOf(ctx)) {
    const isRepeatable = !isSameOperation(operation, call);
    const evidence = { shown: "nothing", isRepeatable, isAllowedAgain: isAllowedAgain(ctx, operation) } as const;
    refuseOpen(ctx, operation, evidence, call.note);
  }
}

/** Throws `Waiting` while the operation can still take effect, and `Stalled` if a user must decide. */
function refuseOpen(
  ctx: Observed,
  operation: Operation,
  evidence: Pick<Evidence, "shown" | "isRepeatable" | "isAllowedAgain">,
  note?: string,
): void {
  const leftMs = evidence.isAllowedAgain ? 0 : leftOf(ctx, operation);
  const settlement = settle({ ...evidence, leftMs, hadNoEffect: false });
  if (settlement === "pending") throw awaited(ctx, operation, leftMs);
  if (settlement === "uncertain") throw operationUncertain(ctx, operation, note);
}

/** Returns true if the call repeats the operation. Only the applied values count, because a generated password in the body can differ. */
function isSameOperation({ action, applies, about }: Operation, call: Call): boolean {
  return action === call.action && about === call.about && isDeepStrictEqual(applies, call.applies);
}

/** Returns true if an annotation permits a repetition of the operation. */
export function isAllowedAgain({ object }: Context, { id }: Pick<Operation, "id">): boolean {
  return object.metadata.annotations?.[retryOperationAnnotation] === id;
}

function awaited(ctx: Observed, { action, time }: Operation, leftMs: number): Waiting {
  const until = minuteOf(Date.parse(time) + settleMsOf(ctx));
  const text = `${action} was sent. The operator waits for the cloud to show the result, until ${until} at the latest`;
  return new Waiting("Updating", text, Math.min(leftMs, 5_000));
}

/** Returns the command that permits a repetition. */
export function repeatOf({ object }: Context, { id }: Pick<Operation, "id">): string {
  return annotate(object, `${retryOperationAnnotation}=${id}`);
}

function operationUncertain(ctx: Observed, { action, id }: Operation, note?: string): Stalled {
  const what = note === undefined ? "" : `: ${note}`;
  return new Stalled(
    "OperationUncertain",
    `${action} was sent, and the cloud does not show the result${what}. The operator does not repeat the operation. To send it again: ${repeatOf(ctx, { id })}`,
    60_000,
  );
}

/**
 * Operations of which a second one destroys: rebuild, resize, migrate, cancelling backups.
 *
 * Each has an id in the signed journal entry before it is sent, and is open until the cloud object shows what it applies, accepted or not:
 * a response may come from something between here and the cloud. It is never repeated automatically.
 */
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
import { annotate, minuteOf } from "../model/uncertain.ts";
import { isUnsent, store } from "../model/unsent.ts";
import type { Operation } from "../kind/status-schema.ts";
import type { Call } from "../kind/call.ts";
import { isBusy, isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
import { readRow, requireUnchanged } from "../read/lookup.ts";
import type { Located, Observed, Context } from "../model/context.ts";
import { times } from "../kind/times.ts";

/** Before a destructive call: nothing uncertain is open, the object still asks for it, and the cloud object is the same. */
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
  // In the journal entry, not in the status: a backup without status, or somebody who edits it, must not have it sent again.
  const origin = ctx.next.origin ?? originOf(ctx.kind, ctx.row);
  await store(ctx.remembered, operation.id, () => rewriteEntry(ctx, ctx.id, { ...ctx.entry, operations }, origin));
  ctx.next.operations = operations;
  return operation;
}

/** True for an object that was restored with the record of an earlier one. */
export function isRestored(ctx: Context): boolean {
  const { entry } = ctx;
  return entry !== undefined && entry.uid !== ctx.object.metadata.uid;
}

/** What a person has sent again is for what it was for at first. */
export function isForAnother({ applies = {} }: Operation, call: Call): boolean {
  return Object.entries(applies).some(([field, value]) => (call.applies?.[field] ?? value) !== value);
}

/** Its id may mean another one by now, to which nothing was sent. */
export function isReplaced({ kind, entry }: Context, id: string, row: JsonObject | undefined): boolean {
  return row !== undefined && entry?.is?.id === id && isAnother(entry.is.origin, originOf(kind, row));
}

/**
 * The operation becomes the restored object's own, under another id: what people allowed before the backup was made, and
 * was done since, is not allowed again by the annotation in it.
 */
export async function takenOver(ctx: Located, id: string, operation: Operation): Promise<Waiting> {
  await rewriteEntry(ctx, id, { ...ctx.entry, operations: [{ ...operation, id: randomUUID().slice(0, 8) }] });
  return new Waiting("Running", `${operation.action} was sent for an earlier object of this name`, times.fresh);
}

/** The call ended. Where it failed: if it was certainly refused, the operation is over; otherwise nothing is known of it. */
export async function endOperation(ctx: Observed, { action, about }: Call, error?: unknown): Promise<void> {
  // What no row shows is known by its answer.
  if (error === undefined) return about === undefined ? undefined : settleWhere(ctx, (one) => one.action === action);
  if (!isHttpError(error) || error.outcome !== "refused") return;
  settleWhere(ctx, (operation) => operation.action === action);
  const because = isFinal(error) ? { refused: reasonOf(error) } : undefined;
  ctx.next.operations = ctx.next.operations.map((one) => (one.action === action ? refused(one, because) : one));
  await saveStatus(ctx);
}

/** True for a refusal that does not pass by itself. */
export function isFinal(error: HttpError): boolean {
  return error.outcome === "refused" && error.status === 400 && !isBusy(error);
}

function reasonOf({ errors, message }: HttpError): string {
  return (errors[0]?.reason ?? message).slice(0, 253);
}

/** What was refused for now was not asked for. */
function refused({ about, ...operation }: Operation, because: { refused: string } | undefined): Operation {
  return because && about !== undefined ? { ...operation, about, ...because } : operation;
}

/** Where earlier operations are open, the cloud object is read afresh: it may show that they were done. */
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
    // Where it is not known what was applied, nothing else disrupts.
    const applied = next.applied ?? disruptiveValues(ctx.kind, ctx.spec);
    if (showsApplied(ctx, applies)) {
      next.applied = { ...applied, ...applies };
      settleWhere(ctx, (other) => other === operation);
    } else if (isAllowedAgain(ctx, operation)) {
      // What was accepted and not done was not applied.
      const shown = Object.keys(applies).flatMap((field) => {
        const value = shownText(ctx, field);
        return value === undefined ? [] : [[field, value] as const];
      });
      next.applied = { ...applied, ...Object.fromEntries(shown) };
    }
  }
}

/** No step asks for an operation any more. Throws while one is open that may still change what the spec asks for. */
export function settleOperations(ctx: Observed, wanted: Record<string, string> = {}): void {
  for (const operation of openOf(ctx)) {
    if (!operation.applies || showsApplied(ctx, operation.applies)) continue;
    const leftMs = leftOf(ctx, operation);
    if (leftMs > 0) throw awaited(ctx, operation, leftMs);
    const missed = Object.keys(operation.applies).some((field) => shownText(ctx, field) !== wanted[field]);
    if (missed) throw uncertain(ctx, operation);
  }
  settleWhere(ctx, () => true);
}

function showsApplied(ctx: Observed, applies: Record<string, string>): boolean {
  return Object.entries(applies).every(([field, value]) => shownText(ctx, field) === value);
}

/** What the cloud object has in a field, as what was applied is recorded. */
function shownText({ kind, row }: Observed, field: string): string | undefined {
  const shown = kind.fields[field]?.observed?.(row);
  return shown === undefined || shown === null ? undefined : valueText(shown);
}

/** True for calls that no change of the spec asks for; what was begun when one did stays asked for until it is over. */
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

/** The newest of each action; of one that is named twice, the last entry. */
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
    if (isAllowedAgain(ctx, operation)) continue;
    const leftMs = leftOf(ctx, operation);
    if (leftMs > 0) throw awaited(ctx, operation, leftMs);
    if (isSameOperation(operation, call)) throw uncertain(ctx, operation, call.note);
  }
}

/** What applies other values is a new wish, not a repetition; of what else is in a body, a generated password may be another one by now. */
function isSameOperation({ action, applies, about }: Operation, call: Call): boolean {
  return action === call.action && about === call.about && isDeepStrictEqual(applies, call.applies);
}

/** True where a person allows by an annotation that it is sent again. */
export function isAllowedAgain({ object }: Context, { id }: Pick<Operation, "id">): boolean {
  return object.metadata.annotations?.[retryOperationAnnotation] === id;
}

function awaited(ctx: Observed, { action, id, time }: Operation, leftMs: number): Waiting {
  const until = minuteOf(Date.parse(time) + settleMsOf(ctx));
  const text = `${action} (operation ${id}) was sent; the operator waits for the cloud object to show the result, until ${until} at the latest`;
  return new Waiting("Updating", text, Math.min(leftMs, 5_000));
}

/** How a person has it sent again. */
export function repeatOf({ object }: Context, { id }: Pick<Operation, "id">): string {
  return annotate(object, `${retryOperationAnnotation}=${id}`);
}

function uncertain(ctx: Observed, { action, id }: Operation, note?: string): Stalled {
  const what = note === undefined ? "" : `: ${note}`;
  return new Stalled(
    "OperationUncertain",
    `${action} (operation ${id}) was sent, and the cloud object does not show that it was done${what}. It is not repeated automatically. To send it again: ${repeatOf(ctx, { id })}`,
    60_000,
  );
}

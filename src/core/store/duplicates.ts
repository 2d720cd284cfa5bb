/**
 * Reports duplicates. A duplicate is a row with the values of an unanswered create request of this object. The row did
 * not exist before the first attempt, and no custom resource owns it. The owner of the row is unknown, so the operator
 * never changes the row.
 */
import { nameOf, sentence } from "../kind/naming.ts";
import { retryCreateAnnotation } from "../kind/annotations.ts";
import type { JsonObject } from "../../api/types.ts";
import type { Snapshot } from "../../observe/types.ts";
import { announce } from "./announce.ts";
import type { Located, Observed } from "../model/context.ts";
import { listOf } from "../kind/differences.ts";
import { keyIn } from "../kind/fields.ts";
import { Stalled, Waiting } from "../kind/outcome.ts";
import { candidates } from "../model/candidates.ts";
import { isDiscarded } from "../model/ownership.ts";
import { creatorOf } from "../model/creator.ts";
import { elapsedMs, sinceSent } from "../model/elapsed.ts";
import { didNothing } from "../model/attempt.ts";
import { deletedID } from "../model/deletion.ts";
import { givenUp, isOfObject } from "../model/journal.ts";
import type { JournalEntry } from "../model/journal.ts";
import { ownerOf } from "../model/owners.ts";
import { settleMsOf } from "../model/settle.ts";
import { late, notFound } from "../model/uncertain.ts";

/**
 * Searches for duplicates in the snapshot, and reports them. Sends no request if every attempt got a response. Lists
 * again before a deletion ends, because no later reconcile searches. Returns unreadable rows, for messages.
 */
export async function noteDuplicates(ctx: Located): Promise<string[]> {
  const former = formerPatterns(ctx);
  ctx.next.duplicates = { ids: [], text: "" };
  if (former.length === 0) return [];
  const { session, collection, urgent, startedAt, object } = ctx;
  const goes = object.metadata.deletionTimestamp !== undefined;
  const list = await session.observer.snapshot(collection, { urgent, ...(goes && { after: startedAt }) });
  const found = former.flatMap((pattern) => duplicatesIn(ctx, list.rows, pattern));
  const ids = [...new Set(found)];
  ctx.next.duplicates = { ids, text: duplicateText(ctx, ids) };
  if (!goes) tell(ctx);
  return unclaimedUnread(ctx, list);
}

function unclaimedUnread(ctx: Located, { unreadable, whole }: Snapshot): string[] {
  const ids = [...unreadable.keys()].filter((id) => !ctx.entry?.known.includes(id) && !isClaimed(ctx, id));
  return whole ? ids : [...ids, withoutID];
}

/**
 * Throws `Stalled` if an abandoned attempt created a billable cloud object, unless the user permitted another attempt.
 */
export async function refuseDuplicates(ctx: Located, entry: JournalEntry | undefined): Promise<void> {
  if (!entry?.former || !ctx.kind.billable) return;
  if (ctx.object.metadata.annotations?.[retryCreateAnnotation] === entry.attempt) return;
  const [unread] = await noteDuplicates(ctx);
  const { ids = [] } = ctx.next.duplicates ?? {};
  if (ids.length > 0) throw late(ctx, entry, ids);
  if (unread !== undefined)
    throw notFound(ctx, entry, `the operator cannot read ${unreadName(ctx, [unread])}, which it perhaps created`);
}

/** Calls `refuseDuplicates` before the operator asks the user about an uncertain creation. Always throws. */
export async function refuseLate(ctx: Located, entry: JournalEntry, error: unknown): Promise<never> {
  if (error instanceof Stalled) await refuseDuplicates(ctx, entry);
  throw error;
}

/**
 * Reports duplicates at the end of a deletion. Throws `Waiting` while the cloud can still execute an abandoned attempt.
 */
export async function tellDuplicates(ctx: Located): Promise<void> {
  const { entry } = ctx;
  if (!entry || formerPatterns(ctx).length === 0) return;
  const unread = await noteDuplicates(ctx);
  const leftMs = settleMsOf(ctx) - sinceSent(ctx, entry);
  if (leftMs > 0)
    throw new Waiting(
      "Deleting",
      "an earlier create request got no response. The operator waits until the cloud can no longer execute it, to report a late result",
      leftMs,
    );
  tell(ctx);
  if (unread.length > 0) tellUnread(ctx, unread);
}

function tellUnread(ctx: Located, unread: string[]): void {
  const { environment, object, next } = ctx;
  const what = `the operator cannot read ${unreadName(ctx, unread)}`;
  const note = `${what}, which an unanswered create request of this object perhaps created. Check the cloud`;
  announce(environment, object, { type: "Warning", reason: "CreatedLate", action: "Delete", note, id: next.id });
}

/** Returns the patterns of the abandoned attempts, also before a journal entry names them. */
export function formerPatterns(ctx: Located): JsonObject[] {
  const { next, object, remembered, entry } = ctx;
  if (!entry) return [];
  // The attempt can be the planned replacement of the adopted cloud object.
  const isOpen = entry.is === undefined && !didNothing(remembered, entry) && entry.previous !== next.id;
  // The operator deleted a cloud object with a lost secret, which can have belonged to another user.
  const isGivenUp = ((isOpen && next.adopted === true) || isDiscarded(ctx, entry)) && isOfObject(entry, object);
  return isGivenUp ? givenUp(entry) : (entry.former ?? []);
}

function duplicatesIn(ctx: Located, rows: ReadonlyMap<string, JsonObject>, pattern: JsonObject): string[] {
  const { kind, desired, entry } = ctx;
  // Another object creates a cloud object with the same values.
  if (!entry || creatorOf(ctx, keyIn(kind, pattern)) !== undefined) return [];
  const lost = { known: entry.known, pattern, ...(entry.tag !== undefined && { tag: entry.tag }) };
  return candidates(rows, { entry: lost, kind, desired, claimed: (id) => isClaimed(ctx, id) });
}

function isClaimed({ environment, object, collection, next, remembered }: Located, id: string): boolean {
  // The cloud API can reuse the ID of a deleted cloud object.
  const isOwn = id === next.id && id !== deletedID(remembered);
  return isOwn || ownerOf(environment, object, { collection: collection.path, id }) !== undefined;
}

/** Returns milliseconds until the next search; undefined: at the resync. */
export function duplicatesDueMs(ctx: Observed): number | undefined {
  const { session, environment, entry } = ctx;
  if (!entry || formerPatterns(ctx).length === 0) return undefined;
  const isRecent = elapsedMs(session, entry.time) < environment.settle.billableMs + environment.pollMs;
  return isRecent ? environment.pollMs : undefined;
}

/** Emits an event for new duplicates, and again at the end of the object. */
function tell({ environment, object, status, next }: Located): void {
  const { ids, text } = next.duplicates ?? { ids: [], text: "" };
  const told = status.conditions?.some(({ type, message }) => type === "Duplicate" && message === text);
  if (ids.length === 0 || (told && object.metadata.deletionTimestamp === undefined)) return;
  announce(environment, object, { type: "Warning", reason: "CreatedLate", action: "Create", note: text, id: next.id });
}

/** Returns the text of the condition and the event; empty without duplicates. */
function duplicateText({ kind }: Located, ids: string[]): string {
  const [first] = ids;
  if (first === undefined) return "";
  const what = `${nameOf(kind, listOf(ids))}: equal to an unanswered create request of this object, and managed by no object. The cloud perhaps executed the request late`;
  return sentence(
    `${what}. Delete it in the cloud, or manage it with a new object that sets spec.management.adopt.id: "${first}"`,
  );
}

const withoutID = "without an ID";

function unreadName({ kind }: Located, unread: string[]): string {
  return nameOf(kind, listOf(unread));
}

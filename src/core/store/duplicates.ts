/**
 * Reports duplicates. A duplicate is a row with the values of an unanswered create request of this object. The row did
 * not exist before the first attempt, and no custom resource owns it. The owner of the row is unknown, so the operator
 * never changes the row.
 */
import { retryCreateAnnotation } from "../kind/annotations.ts";
import type { JsonObject } from "../../api/types.ts";
import type { Snapshot } from "../../observe/types.ts";
import { announce } from "./announce.ts";
import type { Located, Observed } from "../model/context.ts";
import { named } from "../kind/differences.ts";
import { keyIn } from "../kind/fields.ts";
import { Stalled, Waiting } from "../kind/outcome.ts";
import { candidates } from "../model/candidates.ts";
import { isDiscarded } from "../model/claim.ts";
import { creatorOf } from "../model/creator.ts";
import { elapsedMs, sinceSent } from "../model/elapsed.ts";
import { givenUp } from "../model/intent.ts";
import type { Intent } from "../model/intent.ts";
import { ownerOf } from "../model/ownership.ts";
import { settleMsOf } from "../model/settle.ts";
import { late, notFound } from "../model/uncertain.ts";

/**
 * Searches for duplicates in the snapshot, and reports them. Sends no request if every attempt got a response. Lists
 * again before a deletion ends, because no later reconcile searches. Returns unreadable rows, for messages.
 */
export async function noteDuplicates(at: Located): Promise<string[]> {
  const former = formerOf(at);
  at.next.duplicates = { ids: [], text: "" };
  if (former.length === 0) return [];
  const { session, collection, urgent, startedAt, object } = at;
  const goes = object.metadata.deletionTimestamp !== undefined;
  const list = await session.observer.snapshot(collection, { urgent, ...(goes && { after: startedAt }) });
  const found = former.flatMap((pattern) => duplicatesIn(at, list.rows, pattern));
  const ids = [...new Set(found)];
  at.next.duplicates = { ids, text: textOf(at, ids) };
  if (!goes) tell(at);
  return unreadIn(at, list);
}

function unreadIn(at: Located, { unreadable, whole }: Snapshot): string[] {
  const ids = [...unreadable.keys()].filter((id) => !at.intent?.known.includes(id) && !isClaimed(at, id));
  return whole ? ids : [...ids, "a row without an id"];
}

/**
 * Throws `Stalled` if an abandoned attempt created a billable cloud object, unless the user permitted another attempt.
 */
export async function refuseDuplicates(at: Located, intent: Intent | undefined): Promise<void> {
  if (!intent?.former || !at.kind.billable) return;
  if (at.object.metadata.annotations?.[retryCreateAnnotation] === intent.attempt) return;
  const [unread] = await noteDuplicates(at);
  const { ids = [] } = at.next.duplicates ?? {};
  if (ids.length > 0) throw late(at, intent, ids);
  if (unread !== undefined)
    throw notFound(at, intent, `${unread} in ${at.collection.path} cannot be read, and may be what it has created`);
}

/** Calls `refuseDuplicates` before the operator asks the user about an uncertain creation. Always throws. */
export async function refuseLate(at: Located, intent: Intent, error: unknown): Promise<never> {
  if (error instanceof Stalled) await refuseDuplicates(at, intent);
  throw error;
}

/**
 * Reports duplicates at the end of a deletion. Throws `Waiting` while the cloud can still execute an abandoned attempt.
 */
export async function tellDuplicates(at: Located): Promise<void> {
  const { intent } = at;
  if (!intent || formerOf(at).length === 0) return;
  const unread = await noteDuplicates(at);
  const leftMs = settleMsOf(at) - sinceSent(at, intent);
  if (leftMs > 0)
    throw new Waiting(
      "Deleting",
      "an earlier create request got no response and may still be carried out; waiting, to report what it creates",
      leftMs,
    );
  tell(at);
  if (unread.length > 0) tellUnread(at, unread);
}

function tellUnread({ environment, object, collection, next }: Located, unread: string[]): void {
  const what = `${named(unread)} in ${collection.path} cannot be read`;
  const note = `${what}, and may be what a create request of this object that got no response has created. Look for it in the cloud`;
  announce(environment, object, { type: "Warning", reason: "CreatedLate", action: "Delete", note, id: next.id });
}

/** Returns the patterns of the abandoned attempts, also before an intent names them. */
export function formerOf(at: Located): JsonObject[] {
  const { next, object, remembered, intent } = at;
  if (!intent) return [];
  // The attempt can be the planned replacement of the adopted cloud object.
  const isOpen = intent.is === undefined && intent.attempt !== remembered.refusedAttempt && intent.previous !== next.id;
  // The operator deleted a cloud object with a lost secret, which can have belonged to another user.
  const isGivenUp =
    ((isOpen && next.adopted === true) || isDiscarded(at, intent)) && intent.uid === object.metadata.uid;
  return isGivenUp ? givenUp(intent) : (intent.former ?? []);
}

function duplicatesIn(at: Located, rows: ReadonlyMap<string, JsonObject>, pattern: JsonObject): string[] {
  const { kind, wanted, intent } = at;
  // Another object creates a cloud object with the same values.
  if (!intent || creatorOf(at, keyIn(kind, pattern)) !== undefined) return [];
  const lost = { known: intent.known, pattern, ...(intent.tag !== undefined && { tag: intent.tag }) };
  return candidates(rows, { intent: lost, kind, wanted, claimed: (id) => isClaimed(at, id) });
}

function isClaimed({ environment, object, collection, next, remembered }: Located, id: string): boolean {
  // The cloud API can reuse the ID of a deleted cloud object.
  const isOwn = id === next.id && id !== remembered.deleted;
  return isOwn || ownerOf(environment, object, { collection: collection.path, id }) !== undefined;
}

/** Returns milliseconds until the next search; undefined: at the resync. */
export function duplicatesDueMs(at: Observed): number | undefined {
  const { session, environment, intent } = at;
  if (!intent || formerOf(at).length === 0) return undefined;
  const isRecent = elapsedMs(session, intent.time) < environment.settle.billableMs + environment.sweepMs;
  return isRecent ? environment.sweepMs : undefined;
}

/** Emits an event for new duplicates, and again at the end of the object. */
function tell({ environment, object, status, next }: Located): void {
  const { ids, text } = next.duplicates ?? { ids: [], text: "" };
  const told = status.conditions?.some(({ type, message }) => type === "Duplicate" && message === text);
  if (ids.length === 0 || (told && object.metadata.deletionTimestamp === undefined)) return;
  announce(environment, object, { type: "Warning", reason: "CreatedLate", action: "Create", note: text, id: next.id });
}

/** Returns the text of the condition and the event; empty without duplicates. */
function textOf({ collection }: Located, [first, ...others]: string[]): string {
  if (first === undefined) return "";
  const shown = named([first, ...others]);
  const has = others.length === 0 ? "has" : "have";
  return `${shown} in ${collection.path} ${has} the values of a create request of this object that got no response, and no object manages ${others.length === 0 ? "it" : "them"}: the cloud may have executed the request late. Delete it in the cloud, or manage it with another object that sets spec.management.adopt.id: "${first}"`;
}

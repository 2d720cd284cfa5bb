/**
 * Duplicates: a row with the values of a create request of this object that got no response, which was not there before the first
 * attempt and which no custom resource owns. Nothing proves whose row it is, so the operator reports it and never changes it.
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
 * Searches for duplicates in the snapshot, and reports them. Sends no request if every attempt got a response. Before a deletion ends,
 * nobody searches later: then the operator lists again. Returns rows that cannot be read, for messages.
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

/** Returns rows that cannot be read, and so can be duplicates. */
function unreadIn(at: Located, { unreadable, whole }: Snapshot): string[] {
  const ids = [...unreadable.keys()].filter((id) => !at.intent?.known.includes(id) && !isClaimed(at, id));
  return whole ? ids : [...ids, "a row without an id"];
}

/** Throws `Stalled` if a former attempt has created a billable cloud object by now, unless the user allowed another one since. */
export async function refuseDuplicates(at: Located, intent: Intent | undefined): Promise<void> {
  if (!intent?.former || !at.kind.billable) return;
  if (at.object.metadata.annotations?.[retryCreateAnnotation] === intent.attempt) return;
  const [unread] = await noteDuplicates(at);
  const { ids = [] } = at.next.duplicates ?? {};
  if (ids.length > 0) throw late(at, intent, ids);
  if (unread !== undefined)
    throw notFound(at, intent, `${unread} in ${at.collection.path} cannot be read, and may be what it has created`);
}

/** As `refuseDuplicates`, before the operator asks the user about an uncertain creation. Always throws. */
export async function refuseLate(at: Located, intent: Intent, error: unknown): Promise<never> {
  if (error instanceof Stalled) await refuseDuplicates(at, intent);
  throw error;
}

/** Reports duplicates at the end of a deletion. Throws `Waiting` while the cloud can still execute a former attempt. */
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

/** Returns the patterns of the attempts that were given up, also before an intent says so. */
export function formerOf(at: Located): JsonObject[] {
  const { next, object, remembered, intent } = at;
  if (!intent) return [];
  // The attempt can be about to replace the adopted cloud object.
  const isOpen = intent.is === undefined && intent.attempt !== remembered.refusedAttempt && intent.previous !== next.id;
  // The cloud object that was deleted because nobody knows its secret can have belonged to another user.
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
  // A row with the ID of a deleted cloud object is another one.
  const isOwn = id === next.id && id !== remembered.deleted;
  return isOwn || ownerOf(environment, object, { collection: collection.path, id }) !== undefined;
}

/** Returns when to search again, milliseconds; undefined: with the resync. */
export function duplicatesDueMs(at: Observed): number | undefined {
  const { session, environment, intent } = at;
  if (!intent || formerOf(at).length === 0) return undefined;
  const isRecent = elapsedMs(session, intent.time) < environment.settle.billableMs + environment.sweepMs;
  return isRecent ? environment.sweepMs : undefined;
}

/** Emits an event for new duplicates, and at the end of the object. */
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

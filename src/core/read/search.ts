/** Searches for the result of a create request without a response. */
import { nameOf, nounOf } from "../kind/naming.ts";
import { retryCreateAnnotation } from "../kind/annotations.ts";
import type { JsonObject } from "../../api/types.ts";
import type { Snapshot } from "../../observe/types.ts";
import { patience } from "../../queue/patience.ts";
import { matches } from "../kind/differences.ts";
import { keyIn, shows } from "../kind/fields.ts";
import { isHttpError, Waiting } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import type { Located } from "../model/context.ts";
import { digestOf } from "../model/context.ts";
import { wholeList } from "./whole-list.ts";
import { candidates } from "../model/candidates.ts";
import type { LostCreation } from "../model/candidates.ts";
import { isDiscarded } from "../model/ownership.ts";
import { requesterOf } from "../model/creator.ts";
import { doubtIn } from "./doubt.ts";
import type { Doubt } from "./doubt.ts";
import { elapsedMs, sinceSent } from "../model/elapsed.ts";
import { settleMsOf } from "../model/settle.ts";
import { isOfObject } from "../model/journal.ts";
import type { JournalEntry } from "../model/journal.ts";
import { ownerOf } from "../model/owners.ts";
import { deletes, mayBe, notFound, restored, searching, several } from "../model/uncertain.ts";
import { times } from "../kind/times.ts";

export interface Found {
  id: string;
  row: JsonObject;
}

/**
 * Returns the result of an open attempt; undefined if the attempt created nothing, by evidence or by a decision of the
 * user. Throws `Waiting` during the search, and `Stalled` if a user must decide.
 */
export async function searchLost(ctx: Located, entry: JournalEntry, after = ctx.startedAt): Promise<Found | undefined> {
  const didNothing = isKnownRefused(ctx, entry);
  // An earlier attempt without a response can have a result.
  if (didNothing && entry.since === undefined) return undefined;
  const { environment, kind, object, collection, session, desired } = ctx;
  const key = keyIn(kind, entry.pattern);
  const snapshot = await wholeList(ctx, collection, after);
  noteSearched(ctx, entry, snapshot, didNothing);
  const lost: LostCreation = {
    entry,
    kind,
    desired,
    isSent: kind.shownDigests && ((row) => matches(entry.applied ?? {}, kind.shownDigests?.(row, digestOf(ctx)) ?? {})),
    claimed: (id, row) =>
      ownerOf(environment, object, { collection: collection.path, id }) !== undefined ||
      (!ctx.orphaned && requesterOf(ctx, row, key) !== undefined),
  };
  const found = exactOf(kind, snapshot, entry, candidates(snapshot.rows, lost));
  const doubt = found.length > 0 ? undefined : doubtIn(ctx, snapshot, entry, lost);
  const chosen = ctx.management.adopt?.id;
  const isChoice = chosen !== undefined && (found.includes(chosen) || doubt?.ids.includes(chosen) === true);
  const [id, ...others] = isChoice ? [chosen] : found;
  // If a user deletes one of these cloud objects, the search has another result.
  const seen = [...found, ...(doubt?.ids ?? [])].map((one) => ({ collection, id: one }));
  if (seen.length > 0) session.observer.depend(ctx.key, seen);
  if (others.length > 0) throw several(ctx, entry, found);
  if (id !== undefined && id !== chosen && isConcluded(ctx, entry)) return laterThan(ctx, entry, found);
  if (id !== undefined) {
    // Restored objects are exempt: a user can have changed the settings since the backup.
    if (id !== chosen && isOfObject(entry, object) && !(await isSetSo(ctx, id)))
      throw mayBe(ctx, entry, { ids: [id], why: "its settings are not those of the request" });
    return { id, row: snapshot.rows.get(id) ?? {} };
  }
  if (didNothing || (await isDiscardedAndGone(ctx, entry, snapshot))) return undefined;
  return giveUpSearch(ctx, entry, { snapshot, doubt });
}

/** Returns the rows that show the request exactly, or all rows if no row does. */
function exactOf(kind: Kind, { rows }: Snapshot, { pattern }: JournalEntry, found: string[]): string[] {
  const exact = found.filter((id) => shows(kind, rows.get(id) ?? {}, pattern));
  return exact.length > 0 ? exact : found;
}

/** Returns true if this process knows, or the status of an earlier process shows, that the attempt did nothing. */
function isKnownRefused({ remembered, next }: Located, { attempt, since }: JournalEntry): boolean {
  if (since !== undefined && attempt === next.refusedAttempt && next.deletedID === undefined)
    remembered.refusedAttempt = attempt;
  return attempt === remembered.refusedAttempt;
}

/** Returns false if the cloud API refuses to show the settings. */
async function isSetSo(ctx: Located, id: string): Promise<boolean> {
  try {
    return await showsSettings(ctx, id);
  } catch (error) {
    if (isHttpError(error) && [400, 403, 404].includes(error.status ?? 0)) return false;
    throw error;
  }
}

async function isDiscardedAndGone(ctx: Located, entry: JournalEntry, { rows }: Snapshot): Promise<boolean> {
  const { deletedID: id } = ctx.next;
  if (id === undefined || !isDiscarded(ctx, entry) || rows.has(id)) return false;
  const row = await ctx.session.observer.read(ctx.collection, id, { after: ctx.startedAt, urgent: ctx.urgent });
  if (row) return false;
  ctx.remembered.refusedAttempt = entry.attempt;
  return true;
}

/**
 * Records the search. If the attempt did nothing, the operator searches for the attempt before, so the earlier search
 * continues.
 */
function noteSearched(
  { remembered }: Located,
  { attempt }: JournalEntry,
  { startedAt }: Snapshot,
  didNothing: boolean,
): void {
  const { searched } = remembered;
  if (searched?.attempt !== attempt)
    remembered.searched = {
      attempt,
      at: startedAt,
      again: false,
      concluded: didNothing && searched?.concluded === true,
    };
  else if (startedAt > searched.at) searched.again = true;
}

/**
 * Returns true if the journal entry excludes a cloud object: the journal entry names another ID, or the ID was known before the
 * attempt.
 */
export function contradicts({ entry }: Located, id: string): boolean {
  if (!entry || entry.previous === id) return false;
  return entry.is ? entry.is.id !== id : entry.known.includes(id);
}

interface Searched {
  snapshot: Snapshot;
  doubt: Doubt | undefined;
}

function giveUpSearch(ctx: Located, entry: JournalEntry, { snapshot, doubt }: Searched): undefined {
  const { object } = ctx;
  const waitMs = waitMsOf(ctx, entry);
  const leftMs = waitMs - sinceSent(ctx, entry);
  if (leftMs > 0) throw stillSearching(ctx, entry, Math.min(leftMs, againMs(ctx, entry, waitMs)));
  // Pages can shift during a list and hide a row, so a second list must agree.
  if (ctx.remembered.searched?.again !== true) throw stillSearching(ctx, entry, times.soon);
  // A grant can hide the row. If the cloud API enforces names, the refusal of the next request then shows that the row exists.
  const isConclusive = entry.tag === undefined && ctx.kind.unique !== "enforced" && !isAccepted(ctx, entry);
  if (ctx.remembered.searched) ctx.remembered.searched.concluded ||= isConclusive;
  if (object.metadata.annotations?.[retryCreateAnnotation] === entry.attempt) return undefined;
  waitForCreatable(ctx);
  if (!isOfObject(entry, object)) throw restored(ctx, entry);
  if (doubt) throw mayBe(ctx, entry, doubt);
  const unread = [...snapshot.unreadable.keys()].filter((id) => !entry.known.includes(id));
  if (unread.length > 0) throw notFound(ctx, entry, `the operator cannot read ${nameOf(ctx.kind, unread[0])}`);
  if (isRepeatable(ctx, entry)) return undefined;
  throw notFound(ctx, entry, `no matching ${nounOf(ctx.kind)} exists in the cloud`);
}

/** Returns true if a second request does no harm: the cloud API refuses a duplicate, or a duplicate costs nothing. */
function isRepeatable(ctx: Located, entry: JournalEntry): boolean {
  return !isAccepted(ctx, entry) && (ctx.kind.unique === "enforced" || !ctx.kind.billable);
}

/**
 * Returns true if this process found no result until the request could no longer take effect. A search never counts as
 * concluded if the request has a tag, or if the cloud API enforces names.
 */
function isConcluded({ remembered: { searched } }: Located, { attempt }: JournalEntry): boolean {
  return searched?.attempt === attempt && searched.concluded;
}

/**
 * Handles rows from after the end of the search, which another user created. Throws `Stalled` unless a second request
 * is harmless or permitted by the user.
 */
function laterThan(ctx: Located, entry: JournalEntry, ids: string[]): undefined {
  if (isRepeatable(ctx, entry) || ctx.object.metadata.annotations?.[retryCreateAnnotation] === entry.attempt)
    return undefined;
  throw mayBe(ctx, entry, { ids, why: "it appeared after the request could take effect" });
}

const searchWaits = { share: 1 / 8, mostMs: 120_000 };

/**
 * Returns the duration of the search, milliseconds: the time in which the request can take effect. After several
 * attempts without a response, the search before the next attempt is longer.
 */
function waitMsOf(ctx: Located, { attempt, since }: JournalEntry): number {
  const { annotations, deletionTimestamp } = ctx.object.metadata;
  const isLast = deletionTimestamp !== undefined || annotations?.[retryCreateAnnotation] === attempt;
  const lastsMs = since === undefined || isLast ? 0 : elapsedMs(ctx.session, since);
  return patience(lastsMs, settleMsOf(ctx), searchWaits);
}

/** Returns the wait during the search. `afterMs`: time until the next search. */
export function stillSearching(ctx: Located, entry: JournalEntry, afterMs: number): Waiting {
  const { clock } = ctx.environment;
  const { lost } = ctx.remembered;
  const sentAt =
    lost?.attempt === entry.attempt ? clock.date().getTime() + lost.at - clock.now() : Date.parse(entry.time);
  return searching(ctx, entry, afterMs, sentAt + waitMsOf(ctx, entry));
}

/** Returns true if the cloud API accepted the request with a response that names no cloud object. */
function isAccepted({ remembered: { lost } }: Located, { attempt }: JournalEntry): boolean {
  return lost?.attempt === attempt && lost.message === undefined;
}

/**
 * Returns the time until the next search, milliseconds. The result of an accepted request will appear, so the first
 * searches follow quickly.
 */
function againMs(ctx: Located, entry: JournalEntry, waitMs: number): number {
  const longest = Math.max(waitMs / 6, 200);
  return isAccepted(ctx, entry) ? Math.min(longest, Math.max(2_000, sinceSent(ctx, entry) / 10)) : longest;
}

/** Throws `Waiting` while the cloud API refuses creations: the cloud can still execute the previous request. */
export function waitForCreatable(ctx: Located): void {
  const { kind, desired, orphaned } = ctx;
  // A search for a deletion has no references, and `creatable` needs references.
  if (orphaned || deletes(ctx)) return;
  const progress = kind.creatable?.(desired);
  if (progress && !progress.ready)
    throw new Waiting(progress.reason, progress.message, progress.afterMs ?? times.again);
}

/**
 * Returns true if the cloud shows the settings of the creation. If a create request can return an existing cloud
 * object, the settings distinguish the result from a cloud object of another user.
 */
export async function showsSettings({ kind, desired, session, environment }: Located, id: string): Promise<boolean> {
  const { path, fields } = kind.sets?.(desired, id) ?? {};
  if (path === undefined || fields === undefined || Object.keys(fields).length === 0) return true;
  const needs = Object.keys(fields);
  const shown = await session.observer.detail(path, { after: environment.clock.now(), urgent: true, needs });
  return matches((shown ?? {}) as JsonObject, fields);
}

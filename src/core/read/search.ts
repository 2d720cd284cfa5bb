/** Searches for the result of a create request without a response. */
import { nameOf, nounOf } from "../kind/naming.ts";
import { retryCreateAnnotation } from "../kind/annotations.ts";
import type { JsonObject } from "../../api/types.ts";
import type { Snapshot } from "../../observe/types.ts";
import { patience } from "../../queue/patience.ts";
import { matches } from "../kind/differences.ts";
import { keyIn, shows } from "../kind/fields.ts";
import { isHttpError, Waiting } from "../kind/outcome.ts";
import type { Stalled } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import type { Located } from "../model/context.ts";
import { digestOf } from "../model/context.ts";
import { wholeList } from "./whole-list.ts";
import { candidates } from "../model/candidates.ts";
import type { LostCreation } from "../model/candidates.ts";
import { requesterOf } from "../model/creator.ts";
import { doubtIn } from "./doubt.ts";
import type { Doubt } from "./doubt.ts";
import { elapsedMs, sinceSent } from "../model/elapsed.ts";
import { isSuccessorOfDiscarded } from "../model/ownership.ts";
import { settleMsOf } from "../model/settle.ts";
import { settle } from "../model/settlement.ts";
import type { Evidence } from "../model/settlement.ts";
import { didNothing, isAccepted, lostIn, noteNoEffect, noteSearched, searchOf } from "../model/attempt.ts";
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
  // An earlier attempt without a response can have a result.
  if (isKnownRefused(ctx, entry) && entry.since === undefined) return undefined;
  const snapshot = await wholeList(ctx, ctx.collection, after);
  noteSearched(ctx.remembered, entry, snapshot.startedAt);
  const matching = matchingIn(ctx, entry, snapshot);
  const evidence = await evidenceOf(ctx, entry, snapshot, matching);
  const settlement = settle(evidence);
  if (settlement === "pending") throw stillSearching(ctx, entry, Math.min(evidence.leftMs, againMs(ctx, entry)));
  if (settlement === "uncertain") throw uncertain(ctx, entry, { snapshot, matching, evidence });
  const { id = "" } = matching;
  return settlement === "done" ? { id, row: snapshot.rows.get(id) ?? {} } : undefined;
}

interface Matching {
  /** The chosen row, or the first row that shows the request. */
  id: string | undefined;
  /** The rows that show the request. */
  found: string[];
  /** The near matches; undefined without one, and if a row shows the request. */
  doubt: Doubt | undefined;
  /** The user chose the row. */
  isChoice: boolean;
}

function matchingIn(ctx: Located, entry: JournalEntry, snapshot: Snapshot): Matching {
  const { environment, kind, object, collection, session, desired } = ctx;
  const key = keyIn(kind, entry.pattern);
  const lost: LostCreation = {
    entry,
    kind,
    desired,
    isSent: kind.shownDigests && ((row) => matches(entry.applied ?? {}, kind.shownDigests?.(row, digestOf(ctx)) ?? {})),
    claimed: (id, row) =>
      isSuccessorOfDiscarded(ctx, id, row) ||
      ownerOf(environment, object, { collection: collection.path, id }) !== undefined ||
      (!ctx.orphaned && requesterOf(ctx, row, key) !== undefined),
  };
  const found = exactOf(kind, snapshot, entry, candidates(snapshot.rows, lost));
  const doubt = found.length > 0 ? undefined : doubtIn(ctx, snapshot, entry, lost);
  // If a user deletes one of these cloud objects, the search has another result.
  const seen = [...found, ...(doubt?.ids ?? [])].map((one) => ({ collection, id: one }));
  if (seen.length > 0) session.observer.depend(ctx.key, seen);
  const chosen = ctx.management.adopt?.id;
  const isChoice = chosen !== undefined && (found.includes(chosen) || doubt?.ids.includes(chosen) === true);
  return { id: isChoice ? chosen : found[0], found, doubt, isChoice };
}

async function evidenceOf(
  ctx: Located,
  entry: JournalEntry,
  snapshot: Snapshot,
  { id, found, doubt, isChoice }: Matching,
): Promise<Evidence> {
  const { object, kind, remembered } = ctx;
  const isAllowedAgain = object.metadata.annotations?.[retryCreateAnnotation] === entry.attempt;
  const isOwn = isOfObject(entry, object);
  const rest = { hadNoEffect: false, leftMs: 0, isAllowedAgain, isRepeatable: isRepeatable(ctx, entry) };
  if (isChoice) return { ...rest, shown: "result" };
  const leftMs = waitMsOf(ctx, entry) - sinceSent(ctx, entry);
  if (found.length > 1) return { ...rest, shown: "unclear", leftMs };
  if (id !== undefined) {
    // Another user created a row that appears after the end of the search.
    if (searchOf(remembered, entry)?.concluded) return { ...rest, shown: "nothing" };
    // Restored objects are exempt: a user can have changed the settings since the backup.
    return { ...rest, shown: !isOwn || (await isSetSo(ctx, id)) ? "result" : "unclear", leftMs };
  }
  const shown = doubt ? "near" : "nothing";
  if (didNothing(remembered, entry) || (await isDiscardedAndGone(ctx, entry, snapshot)))
    return { ...rest, shown: "nothing", hadNoEffect: true };
  const search = searchOf(remembered, entry);
  if (leftMs > 0) return { ...rest, shown, leftMs };
  // Pages can shift during a list and hide a row, so a second list must agree.
  if (!search?.again) return { ...rest, shown, leftMs: times.soon };
  // A grant can hide the row. If the cloud API enforces names, the refusal of the next request then shows that the row exists.
  search.concluded ||= entry.tag === undefined && kind.unique !== "enforced" && !isAccepted(remembered, entry);
  const isReadable = unreadIn(entry, snapshot) === undefined;
  return { ...rest, shown, isRepeatable: rest.isRepeatable && isOwn && isReadable };
}

function unreadIn({ known }: JournalEntry, { unreadable }: Snapshot): string | undefined {
  return [...unreadable.keys()].find((id) => !known.includes(id));
}

/** Returns the question to the user. Throws `Waiting` while the cloud API refuses creations. */
function uncertain(
  ctx: Located,
  entry: JournalEntry,
  { snapshot, matching, evidence }: { snapshot: Snapshot; matching: Matching; evidence: Evidence },
): Stalled {
  const { found, doubt, id } = matching;
  if (found.length > 1) return several(ctx, entry, found);
  if (id !== undefined) {
    const isLate = evidence.shown === "nothing";
    const why = isLate ? "it appeared after the request could take effect" : otherSettings;
    return mayBe(ctx, entry, { ids: [id], why });
  }
  waitForCreatable(ctx);
  if (!isOfObject(entry, ctx.object)) return restored(ctx, entry);
  if (doubt) return mayBe(ctx, entry, doubt);
  const unread = unreadIn(entry, snapshot);
  const isUnread = unread !== undefined;
  return notFound(
    ctx,
    entry,
    isUnread
      ? `the operator cannot read ${nameOf(ctx.kind, unread)}`
      : `no matching ${nounOf(ctx.kind)} exists in the cloud`,
  );
}

const otherSettings = "its settings are not those of the request";

/** Returns the rows that show the request exactly, or all rows if no row does. */
function exactOf(kind: Kind, { rows }: Snapshot, { pattern }: JournalEntry, found: string[]): string[] {
  const exact = found.filter((id) => shows(kind, rows.get(id) ?? {}, pattern));
  return exact.length > 0 ? exact : found;
}

/** Returns true if this process knows, or the status of an earlier process shows, that the attempt did nothing. */
function isKnownRefused({ remembered, next }: Located, entry: JournalEntry): boolean {
  const { attempt, since } = entry;
  if (since !== undefined && attempt === next.refusedAttempt && !didNothing(remembered, entry))
    noteNoEffect(remembered, attempt, "refused");
  return didNothing(remembered, entry);
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
  const { attempt, id = "" } = ctx.next.discarded ?? {};
  if (attempt !== entry.attempt) return false;
  const listed = rows.get(id);
  const row =
    listed ?? (await ctx.session.observer.read(ctx.collection, id, { after: ctx.startedAt, urgent: ctx.urgent }));
  if (row && !isSuccessorOfDiscarded(ctx, id, row)) return false;
  noteNoEffect(ctx.remembered, entry.attempt, "refused");
  return true;
}

/**
 * Returns true if the journal entry excludes a cloud object: the journal entry names another ID, or the ID was known before the
 * attempt.
 */
export function contradicts({ entry }: Located, id: string): boolean {
  if (!entry || entry.previous === id) return false;
  return entry.is ? entry.is.id !== id : entry.known.includes(id);
}

/** Returns true if a second request does no harm: the cloud API refuses a duplicate, or a duplicate costs nothing. */
function isRepeatable(ctx: Located, entry: JournalEntry): boolean {
  return !isAccepted(ctx.remembered, entry) && (ctx.kind.unique === "enforced" || !ctx.kind.billable);
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
  const lost = lostIn(ctx.remembered, entry);
  const sentAt = lost ? clock.date().getTime() + lost.at - clock.now() : Date.parse(entry.time);
  return searching(ctx, entry, afterMs, sentAt + waitMsOf(ctx, entry));
}

/**
 * Returns the time until the next search, milliseconds. The result of an accepted request will appear, so the first
 * searches follow quickly.
 */
function againMs(ctx: Located, entry: JournalEntry): number {
  const longest = Math.max(waitMsOf(ctx, entry) / 6, 200);
  return isAccepted(ctx.remembered, entry) ? Math.min(longest, Math.max(2_000, sinceSent(ctx, entry) / 10)) : longest;
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

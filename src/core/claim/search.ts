/** Finding what an attempt created whose response was lost: design, section 5, step 8. */
import type { JsonObject } from "../../api/types.ts";
import type { Snapshot } from "../../observe/types.ts";
import { patience } from "../../queue/patience.ts";
import { matches } from "../kind/differences.ts";
import { keyIn, shows, unlikeIn } from "../kind/fields.ts";
import { isHttpError, Waiting } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import { eventsSince } from "../flow/outlived.ts";
import type { Located } from "../flow/reconciliation.ts";
import { digestOf } from "../flow/reconciliation.ts";
import { wholeList } from "../flow/whole-list.ts";
import { begunAt, candidates, createdOf } from "./candidates.ts";
import type { LostCreation } from "./candidates.ts";
import { isDiscarded } from "./claim.ts";
import { creatorOf } from "./creator.ts";
import { doubtIn } from "./doubt.ts";
import type { Doubt } from "./doubt.ts";
import { elapsedMs, sinceSent } from "./elapsed.ts";
import { settleMsOf } from "./settle.ts";
import { retryCreateAnnotation } from "./intent.ts";
import type { Intent } from "./intent.ts";
import { apiTime, originOf } from "./origin.ts";
import { ownerOf } from "./ownership.ts";
import { isProven } from "./proof.ts";
import { roundingMs, skewOf, unknownSkewMs } from "./skew.ts";
import { deletes, mayBe, notFound, restored, searching, several, untold } from "./uncertain.ts";

export interface Found {
  id: string;
  row: JsonObject;
}

/** Searches for what an open attempt created. Undefined: it created nothing, for certain or because the user says so. */
export async function searchLost(at: Located, intent: Intent, after = at.startedAt): Promise<Found | undefined> {
  const didNothing = isKnownRefused(at, intent);
  // The one before it may have created something all the same.
  if (didNothing && intent.since === undefined) return undefined;
  const { environment, kind, object, collection, session, wanted } = at;
  // What matches may as well be what another object creates just now.
  const contested = !at.stray && creatorOf(at, keyIn(kind, intent.pattern)) !== undefined;
  const snapshot = await wholeList(at, collection, after);
  noteSearched(at, intent, snapshot);
  const lost: LostCreation = {
    intent,
    kind,
    wanted,
    isSent: kind.shownDigests && ((row) => matches(intent.applied ?? {}, kind.shownDigests?.(row, digestOf(at)) ?? {})),
    skewMs: intent.skewMs ?? skewOf(at),
    ...withinOf(at, intent, didNothing),
    claimed: (id) => contested || ownerOf(environment, object, { collection: collection.path, id }) !== undefined,
  };
  const found = exactOf(kind, snapshot, intent, candidates(snapshot.rows, lost));
  const doubt = found.length > 0 ? undefined : doubtIn(at, snapshot, intent, lost);
  const chosen = at.management.adopt?.id;
  const isChoice = chosen !== undefined && (found.includes(chosen) || doubt?.ids.includes(chosen) === true);
  const [id, ...others] = isChoice ? [chosen] : found;
  // If a user deletes one of these cloud objects, the search has another result.
  const seen = [...found, ...(doubt?.ids ?? [])].map((one) => ({ collection, id: one }));
  if (seen.length > 0) session.observer.depend(at.key, seen);
  if (others.length > 0) throw several(at, intent, found);
  if (id !== undefined && (id === chosen || !(await isLaterThan(at, intent, id)))) {
    // Of a restored object others may have changed since what it does not manage.
    if (id !== chosen && intent.uid === object.metadata.uid && !(await isSetSo(at, id)))
      throw mayBe(at, intent, { ids: [id], why: "its settings are not those of the request" });
    return { id, row: snapshot.rows.get(id) ?? {} };
  }
  if (didNothing || (await isDiscardedAndGone(at, intent, snapshot))) return undefined;
  return giveUpSearch(at, intent, { snapshot, lost, doubt });
}

/** Returns the rows that show the request exactly; if none does, all rows, which show the request in the normal form of the kind. */
function exactOf(kind: Kind, { rows }: Snapshot, { pattern }: Intent, found: string[]): string[] {
  const exact = found.filter((id) => shows(kind, rows.get(id) ?? {}, pattern));
  return exact.length > 0 ? exact : found;
}

/** By this process, or by the status, which a process before it has left. */
function isKnownRefused({ remembered, next }: Located, { attempt, since }: Intent): boolean {
  if (since !== undefined && attempt === next.refusedAttempt && next.deletedID === undefined)
    remembered.refusedAttempt = attempt;
  return attempt === remembered.refusedAttempt;
}

/** What the cloud API refuses to show proves nothing. */
async function isSetSo(at: Located, id: string): Promise<boolean> {
  try {
    return await showsSettings(at, id);
  } catch (error) {
    if (isHttpError(error) && [400, 403, 404].includes(error.status ?? 0)) return false;
    throw error;
  }
}

async function isDiscardedAndGone(at: Located, intent: Intent, { rows }: Snapshot): Promise<boolean> {
  const { deletedID: id } = at.next;
  if (id === undefined || !isDiscarded(at, intent) || rows.has(id)) return false;
  const row = await at.session.observer.read(at.collection, id, { after: at.startedAt, urgent: at.urgent });
  if (row) return false;
  at.remembered.refusedAttempt = intent.attempt;
  return true;
}

/**
 * Where neither row nor tag proves anything, an event tells when it was created: true for what appeared long after the
 * attempt, which is somebody else's. Throws where none tells, and it may be.
 */
async function isLaterThan(at: Located, intent: Intent, id: string): Promise<boolean> {
  const { createdEvent: name } = at.kind;
  const { billableMs } = at.environment.settle;
  if (name === undefined || sinceSent(at, intent) <= billableMs) return false;
  if (at.object.metadata.annotations?.[retryCreateAnnotation] === intent.attempt) return true;
  const [told] = await eventsSince(at, id, { names: [name], time: intent.since ?? intent.time });
  if (!told) throw untold(at, intent, id);
  return apiTime(told.created) > at.session.client.serverTime().getTime() - sinceSent(at, intent) + billableMs;
}

/**
 * How long after its intent it may have been created, or seen first where nothing tells when that was: what others create later
 * is not taken for it.
 */
function withinOf(at: Located, intent: Intent, didNothing: boolean): Pick<LostCreation, "withinMs" | "nowMs"> {
  const { billableMs, freeMs } = at.environment.settle;
  // Clocks of which nothing is known yet may differ by this window: it is wide enough.
  const unknownMs = (intent.skewMs ?? skewOf(at)) === undefined ? unknownSkewMs : 0;
  // Of an earlier object of this name: whoever kept its intent must not get what others have created since. What carries
  // its tag may have been created late.
  if (intent.uid !== at.object.metadata.uid)
    return { withinMs: (intent.tag === undefined ? Math.min(freeMs, billableMs) : billableMs) - unknownMs };
  const { createdField, createdEvent, answersNothing } = at.kind;
  // What is answered without naming it is made in its own time, and shown when it is done; of other things an event tells the time.
  if (answersNothing || createdEvent !== undefined) return {};
  const nowMs = at.session.client.serverTime().getTime();
  // The attempt that was refused is newer than those that may have created it.
  const givenUp = didNothing ? intent.earlier?.at(-1) : undefined;
  const sentMs = givenUp ? Date.parse(givenUp.time) : nowMs - sinceSent(at, intent);
  const withinMs = sentMs - Date.parse(intent.time) + 2 * billableMs;
  // A row of its kind that does not tell the time all the same is not excluded by it.
  return createdField === undefined ? { withinMs, nowMs } : { withinMs: withinMs - unknownMs, nowMs: -Infinity };
}

function noteSearched({ remembered }: Located, { attempt }: Intent, { startedAt }: Snapshot): void {
  const { searched } = remembered;
  if (searched?.attempt !== attempt) remembered.searched = { attempt, at: startedAt, again: false };
  else if (startedAt > searched.at) searched.again = true;
}

/**
 * Returns true if the intent of an object excludes a cloud object: the cloud object was there before. An ID without an origin and
 * without a proof can be an edit of a user: the cloud object must show what the intent names.
 */
export function contradicts(at: Located, id: string, row: JsonObject, unknownMs = unknownSkewMs): boolean {
  const { intent, kind, next } = at;
  if (!intent || intent.previous === id) return false;
  if (intent.is) return intent.is.id !== id;
  const isProven = isProvenRecord(at, id);
  if (next.origin === undefined && !isProven && unlikeIn(kind, row, intent.pattern, at.wanted).length > 0) return true;
  const created = createdOf(kind, row);
  const skewMs = intent.skewMs ?? skewOf(at);
  // A clock that moved can seem to date back the choice of a user, and a record of this very time.
  const isOfOrigin = isProven && next.origin !== undefined && next.origin === originOf(kind, row);
  const leewayMs = at.management.adopt?.id === id || isOfOrigin ? unknownSkewMs : 0;
  const notBefore = begunAt(intent) - (skewMs ?? unknownMs) - roundingMs - leewayMs;
  return intent.known.includes(id) || (typeof created === "string" && apiTime(created) < notBefore);
}

/** Returns true for an ID that this process recorded, or that the status records under a proof. */
function isProvenRecord({ next, object, environment, remembered }: Located, id: string): boolean {
  return next.id === id && (remembered.recorded?.id === id || isProven(object, environment.installationKey));
}

interface Searched {
  snapshot: Snapshot;
  lost: LostCreation;
  doubt: Doubt | undefined;
}

function giveUpSearch(at: Located, intent: Intent, { snapshot, lost, doubt }: Searched): undefined {
  const { kind, object } = at;
  const waitMs = waitMsOf(at, intent);
  const leftMs = waitMs - sinceSent(at, intent);
  if (leftMs > 0) throw stillSearching(at, intent, Math.min(leftMs, againMs(at, intent, waitMs)));
  // Pages that shift while they are read may hide a row: one list alone decides nothing.
  if (at.remembered.searched?.again !== true) throw stillSearching(at, intent, 2_000);
  if (object.metadata.annotations?.[retryCreateAnnotation] === intent.attempt) return undefined;
  waitForCreatable(at);
  if (intent.uid !== object.metadata.uid)
    throw restored(at, intent, candidates(snapshot.rows, { ...lost, withinMs: Infinity }));
  if (doubt) throw mayBe(at, intent, doubt);
  const unread = [...snapshot.unreadable.keys()].filter((id) => !intent.known.includes(id));
  if (unread.length > 0) throw notFound(at, intent, `${unread[0]} in ${at.collection.path} cannot be read`);
  if (!isAccepted(at, intent) && (kind.unique === "enforced" || !kind.billable)) return undefined;
  throw notFound(at, intent, "no matching object exists in the cloud");
}

/** How the wait between attempts that get no response grows. */
const waits = { share: 1 / 8, mostMs: 120_000 };

/** As long as the attempt may take effect; and longer where one after the other gets no response, and another is to follow. Milliseconds. */
function waitMsOf(at: Located, { attempt, since }: Intent): number {
  const { annotations, deletionTimestamp } = at.object.metadata;
  const isLast = deletionTimestamp !== undefined || annotations?.[retryCreateAnnotation] === attempt;
  const lastsMs = since === undefined || isLast ? 0 : elapsedMs(at.session, since);
  return patience(lastsMs, settleMsOf(at), waits);
}

/** The wait for what a request has created that got no clear response. */
export function stillSearching(at: Located, intent: Intent, afterMs: number): Waiting {
  const { clock } = at.environment;
  const { lost } = at.remembered;
  const sentAt =
    lost?.attempt === intent.attempt ? clock.date().getTime() + lost.at - clock.now() : Date.parse(intent.time);
  return searching(at, intent, afterMs, sentAt + waitMsOf(at, intent));
}

/** Returns true if the cloud API accepted the request of the attempt with a response that names nothing. */
function isAccepted({ remembered: { lost } }: Located, { attempt }: Intent): boolean {
  return lost?.attempt === attempt && lost.message === undefined;
}

/** Returns the wait before the next search, milliseconds. An accepted cloud object appears for certain: soon at first, then less often. */
function againMs(at: Located, intent: Intent, waitMs: number): number {
  const longest = Math.max(waitMs / 6, 200);
  return isAccepted(at, intent) ? Math.min(longest, Math.max(2_000, sinceSent(at, intent) / 10)) : longest;
}

/** While the cloud API refuses a creation, it may be at work on one: another is not sent, and what was accepted may still appear. */
export function waitForCreatable(at: Located): void {
  const { kind, wanted, stray } = at;
  // What a deletion is found by has no references.
  if (stray || deletes(at)) return;
  const progress = kind.creatable?.(wanted);
  if (progress && !progress.ready) throw new Waiting(progress.reason, progress.message, progress.afterMs ?? 30_000);
}

/** True where what the creation sets beside the row is there: where it answers with what exists, that tells one's own from another's. */
export async function showsSettings({ kind, wanted, session, environment }: Located, id: string): Promise<boolean> {
  const { path, fields } = kind.sets?.(wanted, id) ?? {};
  if (path === undefined || fields === undefined || Object.keys(fields).length === 0) return true;
  const needs = Object.keys(fields);
  const shown = await session.observer.detail(path, { after: environment.clock.now(), urgent: true, needs });
  return matches((shown ?? {}) as JsonObject, fields);
}

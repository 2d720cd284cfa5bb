/**
 * Twins: what an attempt that got no response created after it had been given up, and another one had been sent.
 *
 * Nothing proves a twin: what shows the same fields, was created at about that time and is nobody's may as well be a
 * person's, or what another object left behind. So it is reported, and never changed.
 */
import { named } from "../kind/differences.ts";
import type { Snapshot } from "../../observe/types.ts";
import { elapsedMs, sinceSent } from "./elapsed.ts";
import { settleMsOf } from "./settle.ts";
import { announce } from "../flow/announce.ts";
import { keyIn } from "../kind/fields.ts";
import { Stalled, Waiting } from "../kind/outcome.ts";
import type { Located, Observed } from "../flow/reconciliation.ts";
import { isDiscarded } from "./claim.ts";
import { givenUp, retryCreateAnnotation } from "./intent.ts";
import type { GivenUp, Intent } from "./intent.ts";
import { creatorOf } from "./creator.ts";
import { ownerOf } from "./ownership.ts";
import { apiTime } from "./origin.ts";
import { begunAt, candidates } from "./candidates.ts";
import type { LostCreation } from "./candidates.ts";
import { skewOf, unknownSkewMs } from "./skew.ts";
import { late, notFound } from "./uncertain.ts";

/**
 * Searches for twins, and reports them, in what was listed last, where an attempt was given up; otherwise nothing is asked
 * for. When the object goes, nobody searches after it: then the list is read anew, and they are told of at the end. Answers
 * what cannot be read and may be one as well, for messages.
 */
export async function noteTwins(at: Located): Promise<string[]> {
  const earlier = attemptsBefore(at);
  at.next.twins = { ids: [], text: "" };
  if (earlier.length === 0) return [];
  const { session, collection, urgent, startedAt, object } = at;
  const goes = object.metadata.deletionTimestamp !== undefined;
  const anew = goes || isSoughtByTime(at) ? { after: startedAt } : {};
  const list = await session.observer.snapshot(collection, { urgent, ...anew });
  const found = earlier.flatMap((attempt) => (isContested(at, attempt) ? [] : twinsIn(list.rows, at, attempt)));
  // What was one remains one where it cannot be read for the time being.
  const hidden = knownTwins(at).filter((id) => list.unreadable.has(id) || (!list.whole && !list.rows.has(id)));
  const ids = [...new Set([...found, ...hidden])];
  at.next.twins = { ids, text: textOf(at, ids) };
  if (!goes) tell(at);
  return unreadIn(list, at, earlier);
}

/**
 * Before another is created that costs money: what an attempt that was given up has created by now is named first. Throws
 * `Stalled` unless people have allowed another one since.
 */
export async function refuseTwins(at: Located, intent: Intent | undefined): Promise<void> {
  if (!intent?.earlier || !at.kind.billable) return;
  if (at.object.metadata.annotations?.[retryCreateAnnotation] === intent.attempt) return;
  const [unread] = await noteTwins(at);
  const { ids = [] } = at.next.twins ?? {};
  if (ids.length > 0) throw late(at, intent, ids);
  if (unread !== undefined)
    throw notFound(at, intent, `${unread} in ${at.collection.path} cannot be read, and may be what it has created`);
}

/** …and before people decide that nothing was created. */
export async function refuseLate(at: Located, intent: Intent, error: unknown): Promise<never> {
  if (error instanceof Stalled) await refuseTwins(at, intent);
  throw error;
}

/**
 * Before nobody is left to tell of them. Throws `Waiting` while an attempt that was given up may still be carried out.
 */
export async function tellTwins(at: Located): Promise<void> {
  const last = attemptsBefore(at).at(-1);
  const { intent } = at;
  if (!last || !intent) return;
  const unread = await noteTwins(at);
  const leftMs = settleMsOf(at) - Math.max(elapsedMs(at.session, last.time), sinceSent(at, intent));
  if (leftMs > 0)
    throw new Waiting(
      "Deleting",
      "an earlier create request got no response and may still be carried out; waiting, to report what it creates",
      leftMs,
    );
  tell(at);
  if (unread.length > 0) tellUnread(at, unread);
}

/**
 * The attempts that were given up, with the one that the stored intent has open where another cloud object was adopted
 * since: also before an intent says so.
 */
export function attemptsBefore(at: Located): GivenUp[] {
  const { next, object, remembered, session } = at;
  const { intent } = at;
  if (!intent) return [];
  // What is adopted may be about to be replaced by that attempt.
  const isOpen = intent.is === undefined && intent.attempt !== remembered.refusedAttempt && intent.previous !== next.id;
  // What was deleted in its place, since nobody knows its secret, may have been somebody else's.
  const isGivenUp =
    ((isOpen && next.adopted === true) || isDiscarded(at, intent)) && intent.uid === object.metadata.uid;
  return isGivenUp ? givenUp(intent, session.client.serverTime()) : (intent.earlier ?? []);
}

/** Where rows do not show when they were created, only what is seen in the time of the attempt was created in it. */
function isSoughtByTime(at: Located): boolean {
  const last = attemptsBefore(at).at(-1);
  const { billableMs } = at.environment.settle;
  return at.kind.createdField === undefined && last !== undefined && elapsedMs(at.session, last.time) <= billableMs;
}

/** What was seen in that time remains a twin as long as it is there. The condition names them first. */
function knownTwins({ status, collection }: Located): string[] {
  const known = status.conditions?.find(({ type }) => type === "Duplicate")?.message ?? "";
  const [ids = "", ...others] = known.split(` in ${collection.path} `);
  return others.length === 0 ? [] : ids.split(", ");
}

/** What cannot be read and may be a twin: it was not there before an attempt, is not older than it, and no object manages it. */
function unreadIn({ unreadable, whole }: Snapshot, at: Located, attempts: GivenUp[]): string[] {
  const ids = [...unreadable]
    .filter(
      ([id, { created }]) => attempts.some((attempt) => mayBeOf(at, attempt, { id, created })) && !isClaimed(at, id),
    )
    .map(([id]) => id);
  return whole ? ids : [...ids, "a row without an id"];
}

/** Where rows of its kind do not tell when they were created, only what is seen in the time of the attempt may be of it. */
function mayBeOf(at: Located, attempt: GivenUp, { id, created }: { id: string; created: string | undefined }): boolean {
  if (attempt.known.includes(id)) return false;
  const { billableMs } = at.environment.settle;
  if (created === undefined)
    return at.kind.createdField !== undefined || elapsedMs(at.session, attempt.time) <= billableMs;
  const createdMs = apiTime(created);
  const isEarlier = createdMs < begunAt(attempt) - unknownSkewMs;
  return !isEarlier && !(createdMs > Date.parse(attempt.time) + billableMs + unknownSkewMs);
}

function isClaimed({ environment, object, collection, next, remembered }: Located, id: string): boolean {
  // What has its id after it was deleted is another one.
  const isOwn = id === next.id && id !== remembered.deleted;
  return isOwn || ownerOf(environment, object, { collection: collection.path, id }) !== undefined;
}

function twinsIn(rows: Parameters<typeof candidates>[0], at: Located, attempt: GivenUp): string[] {
  const { environment, kind, session } = at;
  const lost: LostCreation = {
    intent: attempt,
    kind,
    wanted: at.wanted,
    skewMs: at.intent?.skewMs ?? skewOf(at),
    withinMs: environment.settle.billableMs,
    nowMs: session.client.serverTime().getTime(),
    claimed: (id) => isClaimed(at, id),
  };
  const before = knownTwins(at);
  const known = candidates(rows, { ...lost, nowMs: -Infinity }).filter((id) => before.includes(id));
  return [...known, ...candidates(rows, lost)];
}

/** What matches may as well be what another object creates just now. */
function isContested(at: Located, { pattern }: GivenUp): boolean {
  return creatorOf(at, keyIn(at.kind, pattern)) !== undefined;
}

/** When to search again, while an attempt that was given up may still take effect; undefined: with the slow pass. */
export function twinsDueMs(at: Observed): number | undefined {
  const { session, environment } = at;
  const last = attemptsBefore(at).at(-1);
  if (!last) return undefined;
  const ageMs = elapsedMs(session, last.time);
  // The last time shortly before what is seen proves nothing any more.
  if (isSoughtByTime(at)) return Math.max((environment.settle.billableMs - ageMs) / 2, 1_000);
  return ageMs < environment.settle.billableMs + environment.sweepMs ? environment.sweepMs : undefined;
}

/** An event when twins show up, or others do, and when their object goes. */
function tell({ environment, object, status, next }: Located): void {
  const { ids, text } = next.twins ?? { ids: [], text: "" };
  const told = status.conditions?.some(({ type, message }) => type === "Duplicate" && message === text);
  if (ids.length === 0 || (told && object.metadata.deletionTimestamp === undefined)) return;
  announce(environment, object, { type: "Warning", reason: "CreatedLate", action: "Create", note: text, id: next.id });
}

/** Nobody is left to look for it later. */
function tellUnread({ environment, object, collection, next }: Located, unread: string[]): void {
  const what = `${named(unread)} in ${collection.path} cannot be read`;
  const note = `${what}, and may be what a create request of this object that got no response has created. Look for it in the cloud`;
  announce(environment, object, { type: "Warning", reason: "CreatedLate", action: "Delete", note, id: next.id });
}

/** For the condition and the event; empty where there are none. */
function textOf({ collection }: Located, [first, ...others]: string[]): string {
  if (first === undefined) return "";
  const shown = named([first, ...others]);
  const show =
    others.length === 0 ? "shows what this object asked for and was" : "show what this object asked for and were";
  return `${shown} in ${collection.path} ${show} created at that time: a create request that got no response seems to have been carried out late. No object manages it. Delete it in the cloud, or manage it with another object that sets spec.management.adopt.id: "${first}"`;
}

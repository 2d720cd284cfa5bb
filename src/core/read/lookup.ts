/**
 * Whether a cloud object is there: design, section 4, rule 5.
 *
 * Only a 404 means absent, and only to a token that would see the thing: an unrestricted one that just listed the
 * collection. A failed list, a broken gateway and a withdrawn grant never mean gone.
 */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { JsonObject } from "../../api/types.ts";
import { isAnother, originOf } from "../model/origin.ts";
import { elapsedMs } from "../model/elapsed.ts";
import { identity } from "../kind/fields.ts";
import { isHttpError, isUnreadableRow, Stalled, Waiting } from "../kind/outcome.ts";
import type { Unreadable } from "../../observe/types.ts";
import type { Kind } from "../kind/owned.ts";
import type { Located, Observed } from "../model/context.ts";
import { requireIDs, wholeList } from "./whole-list.ts";
import { parentOf } from "./parent-identity.ts";
import { times } from "../kind/times.ts";

/** The row with this id, as read since the last change; undefined where it is absent. Throws where that is unknown. */
export async function findRow(at: Located, id: string): Promise<JsonObject | undefined> {
  const { observer } = at.session;
  const { changedAt } = at.remembered;
  if (changedAt === undefined) {
    const known = (await observer.snapshot(at.collection, { urgent: at.urgent })).rows.get(id);
    if (known) return recalled(at, known);
  }
  return readRow(at, id);
}

/** With what the row does not show for the time being; what nobody has recorded yet is taken to be as wanted. */
export function recalled(at: Located, row: JsonObject): JsonObject {
  const { kind, wanted } = at;
  if (!kind.recall) return row;
  const whole = kind.recall(row, { ...identity(kind, wanted), ...at.intent?.pattern }) as JsonObject;
  at.isRecalled = whole !== row;
  return whole;
}

/** …as read now. */
export async function readRow(at: Located, id: string): Promise<JsonObject | undefined> {
  const { session, collection, environment, urgent, remembered } = at;
  const row = await session.observer.read(collection, id, { after: environment.clock.now(), urgent });
  if (row) {
    remembered.changedAt = undefined;
    Object.assign(at, { fresh: true, readAt: environment.clock.now() });
    return recalled(at, row);
  }
  // The 404 itself takes the row out of what was listed before it.
  return confirmAbsent(at, id, afterNow(at));
}

/** So often in a row it may differ from what was just read before that is said. */
const mostChanges = 5;

/**
 * Reads what a change was decided by before it is sent. Where it differs, all is decided again: throws `Waiting`, with growing
 * delay where that goes on.
 */
export async function requireUnchanged(at: Observed): Promise<void> {
  const { remembered, session } = at;
  // Its own reads wake no object, so that a cloud that contradicts itself is asked with growing delay.
  if (remembered.changing !== undefined) session.observer.forget(at.key);
  const row = await readRow(at, at.id);
  if (isDeepStrictEqual(row, at.row)) return void (remembered.changing = undefined);
  remembered.changing = (remembered.changing ?? 0) + 1;
  if (remembered.changing < mostChanges)
    throw new Waiting("Updating", "the cloud object changed during the reconcile", times.fresh, { transient: true });
  const text = `the cloud API shows ${at.id} otherwise with each read. Nothing is changed until two reads are the same`;
  throw new Waiting("Updating", text);
}

/** …and what waited since then: only whether the id means the same. Throws `Waiting` where it does not, or where nothing has it. */
export async function requireSame(at: Observed): Promise<void> {
  const { kind, session, collection, environment, urgent, id } = at;
  const reading = session.observer.read(collection, id, { after: environment.clock.now(), urgent });
  const row = await reading.catch((error: unknown) => originOnly(kind, error));
  if (row && !isAnother(originOf(kind, at.row), originOf(kind, row)) && isMeant(at, row)) return;
  const what = `${id} in ${collection.path} was replaced or deleted meanwhile`;
  throw new Waiting("Updating", what, times.fresh, { transient: true });
}

/** False for a row that the spec does not mean any more: an address that the cloud has given to another instance. */
export function isMeant({ kind, wanted }: Located, row: JsonObject): boolean {
  return kind.which === undefined || kind.which(wanted, row) !== undefined;
}

/** What of a row that cannot be read tells its origin. Throws the error where nothing does. */
export function originOnly(kind: Kind, error: unknown): JsonObject {
  const row = isUnreadableRow(error) ? createdOnly(kind, error.created) : undefined;
  if (row === undefined) throw error;
  return row;
}

function createdOnly({ createdField }: Kind, created: Unreadable["created"]): JsonObject | undefined {
  return createdField === undefined || created === undefined ? undefined : { [createdField]: created };
}

/** Our own DELETE of the id was accepted, and it means something else by now. */
export function isReused({ kind, next, remembered }: Located, id: string, row: JsonObject): boolean {
  return remembered.deleted === id && isAnother(next.origin, originOf(kind, row));
}

/** Our own DELETE of the id was accepted so lately that what is still shown proves nothing. */
export function isJustDeleted({ remembered, environment }: Located, id: string): boolean {
  const { deleted, deletedAt = -Infinity } = remembered;
  return deleted === id && environment.clock.now() - deletedAt < times.again;
}

/** Later than all that has begun already, also where the clock has not moved since: a microsecond. */
function afterNow({ environment }: Located): number {
  return environment.clock.now() + 0.001;
}

/**
 * Answers the row that a list begun after `after` shows after all; undefined where it is certainly absent. Throws where
 * that cannot be told.
 */
export async function confirmAbsent(at: Located, id: string, after = at.startedAt): Promise<JsonObject | undefined> {
  const { session, collection, urgent, remembered, next } = at;
  const accepted = remembered.deleted === id;
  if (accepted && session.restricted) return proveStillUser(at, at.startedAt);
  let listedAt = at.startedAt;
  try {
    const list = accepted ? session.observer.snapshot(collection, { after, urgent }) : wholeList(at, collection, after);
    const { rows, unreadable, startedAt } = await list;
    listedAt = startedAt;
    // What its list shows is there, whatever its own path answers.
    const unread = unreadable.get(id);
    if (unread && isJustDeleted(at, id)) throw new Waiting("Deleting", `the cloud is deleting ${id}`, times.soon);
    const told = unread && createdOnly(at.kind, unread.created);
    if (unread && !(told && isReused(at, id, told)))
      throw new Stalled("Unreadable", `${id} in ${collection.path} cannot be read: ${unread.reason}`, times.quiet);
    const row = rows.get(id);
    // An answer that says that there is none hides nothing.
    if (row || at.kind.absentIn) return row && recalled(at, row);
  } catch (error) {
    if (!(await isOfAbsentParent(at, error))) throw error;
    // What it is part of was deleted with all its content: how young it is proves nothing more.
    if (at.environment.memory.isRemoved(session.account, collection.path.replace(/\/[^/]+$/, ""))) return undefined;
  }
  if (accepted) return proveStillUser(at, listedAt);
  const isAsked = next.deletedID === id || remembered.askedToDelete === id;
  await (isAsked ? proveUser(at, listedAt) : refuseRestricted(at, id, listedAt));
  if (next.deletedID === id) return undefined;
  waitForYoung(at, id);
  return readAgain(at, id);
}

/** A grant may be back by now that was withdrawn while the list was read: the one who sees all of them is asked for it. */
async function readAgain(at: Located, id: string): Promise<JsonObject | undefined> {
  const { session, collection, environment, urgent } = at;
  const row = await session.observer.read(collection, id, { after: environment.clock.now(), urgent });
  return row && recalled(at, row);
}

/** True for a 404 to a collection because what it is part of is absent: neither the list of its like nor its own path has it. */
export async function isOfAbsentParent(at: Located, error: unknown): Promise<boolean> {
  if (!isHttpError(error) || error.status !== 404) return false;
  const parent = parentOf(at);
  if (!parent) return false;
  const { list, path } = parent;
  const { observer } = at.session;
  // One read for all its parts that ask at the same time.
  const since = { after: at.startedAt, urgent: true };
  const rows = await observer.detail(list.path, { ...since, paged: true });
  if (!Array.isArray(rows)) return false;
  requireIDs(list, rows as JsonObject[]);
  if ((rows as JsonObject[]).some((row) => list.itemPath(list.idOf(row)) === path)) return false;
  return observer.detail(path, since).then(
    () => false,
    (answer: unknown) => {
      if (isHttpError(answer) && answer.status === 404) return true;
      throw answer;
    },
  );
}

/** What was just created may not be shown everywhere yet: it is not missing. */
function waitForYoung(at: Located, id: string): void {
  const { environment, session, next } = at;
  const ofOrigin = elapsedMs(session, next.origin ?? "");
  // Where the API tells no time of creation, the intent was stored just before it.
  const ageMs = Number.isNaN(ofOrigin) ? elapsedMs(session, at.intent?.time ?? "") : ofOrigin;
  const leftMs = environment.settle.freeMs - ageMs;
  if (leftMs > 0 && ageMs > -environment.settle.freeMs)
    throw new Waiting("Creating", `${id} was just created, and the cloud API does not list it yet`, leftMs, {
      transient: true,
    });
}

const profile = z.object({ uid: z.union([z.int(), z.string()]).nullish(), restricted: z.boolean().nullish() });

/**
 * Asks again whose token it is: true where its user is restricted. Throws `Waiting` where another user answers than the one that
 * the account was connected as: nothing of this account is there, and what is there belongs to somebody else. `after`: clock
 * milliseconds; what is read was read later.
 */
export async function proveUser({ session, environment, identity }: Located, after: number): Promise<boolean> {
  const now = { after, urgent: true };
  const answer = profile.safeParse(await session.observer.detail("/profile", now));
  if (!answer.success) throw new Waiting("CloudUnavailable", "GET /profile got a response of an unexpected form");
  const { uid, restricted } = answer.data;
  if (uid !== undefined && uid !== null && Number(uid) !== identity.uid) {
    environment.doubtToken(session);
    const what = `GET /profile shows user ${uid}, and the account was connected as user ${identity.uid}`;
    const text = `${what}; nothing is changed, and nothing is taken to be gone, until that is clear`;
    throw new Waiting("CloudUnavailable", text, undefined, { transient: true });
  }
  // Only an unrestricted user has no grants to list: part 1, section 4.2.
  session.restricted = restricted ?? (await session.observer.detail("/profile/grants", now)) !== undefined;
  return session.restricted;
}

/** Where what is on the way may lead to another account since our own DELETE was accepted. Throws as `proveUser` does. */
async function proveStillUser(at: Located, after: number): Promise<undefined> {
  const { remembered, environment } = at;
  if (environment.clock.now() - (remembered.deletedAt ?? -Infinity) > times.soon) await proveUser(at, after);
  return undefined;
}

/** Throws `Stalled` where a 404 may be a withdrawn grant. */
export async function refuseRestricted(at: Located, what: string, after = at.startedAt): Promise<void> {
  if (!(await proveUser(at, after))) return;
  const isDeleting = at.object.metadata.deletionTimestamp !== undefined;
  throw new Stalled(
    "NotVisible",
    `the token's user is restricted and does not see ${what}; a grant may have been withdrawn`,
    // Somebody waits for it, and nothing tells that the grant is back.
    isDeleting ? 60_000 : undefined,
  );
}

/**
 * Decides if a cloud object exists. Only a 404 to an unrestricted token, together with a complete list without the row,
 * proves absence. A failed list, a broken gateway or a withdrawn grant is no evidence of absence.
 */
import { nameOf } from "../kind/naming.ts";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { JsonObject } from "../../api/types.ts";
import { isAnother, originOf } from "../model/origin.ts";
import { deletedAt, deletedID, isAskedToDelete } from "../model/deletion.ts";
import { elapsedMs } from "../model/elapsed.ts";
import { identity } from "../kind/fields.ts";
import { unreadText, isHttpError, isUnreadableRow, Stalled, Waiting } from "../kind/outcome.ts";
import type { Unreadable } from "../../observe/types.ts";
import type { Kind } from "../kind/owned.ts";
import type { Located, Observed } from "../model/context.ts";
import { withFacts } from "../model/context.ts";
import { requireIDs, wholeList } from "./whole-list.ts";
import { parentOf } from "./parent-identity.ts";
import { times } from "../kind/times.ts";

/**
 * Returns the row of an ID, read after the last change by this process; undefined if the cloud object is absent. Throws
 * if the operator cannot decide.
 */
export async function findRow(ctx: Located, id: string): Promise<JsonObject | undefined> {
  const { observer } = ctx.session;
  const { changedAt } = ctx.remembered;
  if (changedAt === undefined) {
    const known = (await observer.snapshot(ctx.collection, { urgent: ctx.urgent })).rows.get(id);
    if (known) return recalled(ctx, known);
  }
  return readRow(ctx, id);
}

/** Completes a row with values that the cloud API temporarily does not show: from the journal entry, else from the spec. */
export function recalled(ctx: Located, row: JsonObject): JsonObject {
  const { kind, desired } = ctx;
  if (!kind.recall) return row;
  const whole = kind.recall(row, { ...identity(kind, desired), ...ctx.entry?.pattern }) as JsonObject;
  withFacts(ctx, { isRecalled: whole !== row });
  return whole;
}

/** Reads the row of an ID now. Returns undefined and throws as `findRow` does. */
export async function readRow(ctx: Located, id: string): Promise<JsonObject | undefined> {
  const { session, collection, environment, urgent, remembered } = ctx;
  const row = await session.observer.read(collection, id, { after: environment.clock.now(), urgent });
  if (row) {
    remembered.changedAt = undefined;
    withFacts(ctx, { fresh: true, readAt: environment.clock.now() });
    return recalled(ctx, row);
  }
  // The 404 removes the row from the snapshot, so only a later list is evidence.
  return confirmAbsent(ctx, id, afterNow(ctx));
}

/** Number of different reads in a row before the condition reports them. */
const mostChangedReads = 5;

/**
 * Reads the row again before a change leaves. Throws `Waiting` if the row changed since the decision. If the row keeps
 * changing, the next reconciles follow with backoff.
 */
export async function requireUnchanged(ctx: Observed): Promise<void> {
  const { remembered, session } = ctx;
  // The read must not wake this object. Otherwise contradictory responses would cause reconciles without backoff.
  if (remembered.changing !== undefined) session.observer.forget(ctx.key);
  const row = await readRow(ctx, ctx.id);
  if (isDeepStrictEqual(row, ctx.row)) return void (remembered.changing = undefined);
  remembered.changing = (remembered.changing ?? 0) + 1;
  if (remembered.changing < mostChangedReads)
    throw new Waiting("Updating", "the cloud object changed during the reconcile", times.fresh, { transient: true });
  const text = `each read of ${nameOf(ctx.kind, ctx.id)} returns different values. The operator changes nothing until two reads are equal`;
  throw new Waiting("Updating", text);
}

/** Reads the row again after a wait. Throws `Waiting` if the row is absent or has another origin. */
export async function requireSame(ctx: Observed): Promise<void> {
  const { kind, session, collection, environment, urgent, id } = ctx;
  const reading = session.observer.read(collection, id, { after: environment.clock.now(), urgent });
  const row = await reading.catch((error: unknown) => originOnly(kind, error));
  if (row && !isAnother(originOf(kind, ctx.row), originOf(kind, row)) && isDesiredRow(ctx, row)) return;
  const what = `${nameOf(kind, id)} was replaced or deleted during the reconcile`;
  throw new Waiting("Updating", what, times.fresh, { transient: true });
}

/**
 * Returns false for a row that no longer belongs to the spec: for example, the cloud assigned the address to another
 * instance.
 */
export function isDesiredRow({ kind, desired }: Located, row: JsonObject): boolean {
  return kind.which === undefined || kind.which(desired, row) !== undefined;
}

/** Returns the time of creation of an unreadable row. Throws `error` if the time is unknown. */
export function originOnly(kind: Kind, error: unknown): JsonObject {
  const row = isUnreadableRow(error) ? createdOnly(kind, error.created) : undefined;
  if (row === undefined) throw error;
  return row;
}

function createdOnly({ createdField }: Kind, created: Unreadable["created"]): JsonObject | undefined {
  return createdField === undefined || created === undefined ? undefined : { [createdField]: created };
}

/**
 * Returns true if the cloud API accepted a DELETE of the ID by this process, and now shows another origin for the ID.
 */
export function isReused({ kind, next, remembered }: Located, id: string, row: JsonObject): boolean {
  return deletedID(remembered) === id && isAnother(next.origin, originOf(kind, row));
}

/**
 * Returns true for 30 seconds after the cloud API accepted a DELETE of the ID by this process. The cloud API can still
 * show the row.
 */
export function isJustDeleted({ remembered, environment }: Located, id: string): boolean {
  return environment.clock.now() - (deletedAt(remembered, id) ?? -Infinity) < times.again;
}

/**
 * Returns a time after every read in flight, clock milliseconds. The clock may not have advanced, so the time is one
 * microsecond later.
 */
function afterNow({ environment }: Located): number {
  return environment.clock.now() + 0.001;
}

/**
 * Returns the row if a list after `after` (clock milliseconds) shows the ID; undefined if the cloud object is absent.
 * Throws `Waiting` or `Stalled` if the evidence is not sufficient.
 */
export async function confirmAbsent(ctx: Located, id: string, after = ctx.startedAt): Promise<JsonObject | undefined> {
  const { session, collection, urgent, remembered, next } = ctx;
  const accepted = deletedID(remembered) === id;
  if (accepted && session.restricted) return proveStillUser(ctx, ctx.startedAt);
  let listedAt = ctx.startedAt;
  try {
    const list = accepted
      ? session.observer.snapshot(collection, { after, urgent })
      : wholeList(ctx, collection, after);
    const { rows, unreadable, startedAt } = await list;
    listedAt = startedAt;
    // A row in the list proves existence, even if the path of the row answers 404.
    const unread = unreadable.get(id);
    if (unread && isJustDeleted(ctx, id))
      throw new Waiting("Deleting", `the cloud is deleting ${nameOf(ctx.kind, id)}`, times.soon);
    const told = unread && createdOnly(ctx.kind, unread.created);
    if (unread && !(told && isReused(ctx, id, told)))
      throw new Stalled("Unreadable", unreadText(unread, nameOf(ctx.kind, id)), times.quiet);
    const row = rows.get(id);
    // For a kind with `absentIn`, the response itself proves absence.
    if (row || ctx.kind.absentIn) return row && recalled(ctx, row);
  } catch (error) {
    if (!(await isOfAbsentParent(ctx, error))) throw error;
    // The cloud deleted the parent with all contents, so the age of the cloud object does not matter.
    if (ctx.environment.memory.isRemoved(session.account, collection.path.replace(/\/[^/]+$/, ""))) return undefined;
  }
  if (accepted) return proveStillUser(ctx, listedAt);
  const isIntended = [next.deletedID, next.discarded?.id].includes(id);
  const isAsked = isIntended || isAskedToDelete(remembered, id);
  await (isAsked ? proveUser(ctx, listedAt) : refuseRestricted(ctx, nameOf(ctx.kind, id), listedAt));
  if (isIntended) return undefined;
  waitForYoung(ctx, id);
  return readAgain(ctx, id);
}

/** Reads the row again: a user can have restored a withdrawn grant since the list. */
async function readAgain(ctx: Located, id: string): Promise<JsonObject | undefined> {
  const { session, collection, environment, urgent } = ctx;
  const row = await session.observer.read(collection, id, { after: environment.clock.now(), urgent });
  return row && recalled(ctx, row);
}

/**
 * Returns true if `error` is a 404 to a collection of an absent parent. Neither the list of parents nor the path of the
 * parent may show the parent.
 */
export async function isOfAbsentParent(ctx: Located, error: unknown): Promise<boolean> {
  if (!isHttpError(error) || error.status !== 404) return false;
  const parent = parentOf(ctx);
  if (!parent) return false;
  const { list, path } = parent;
  const { observer } = ctx.session;
  // All objects of the parent share the read.
  const since = { after: ctx.startedAt, urgent: true };
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

/** Throws `Waiting` if the cloud object is new: some lists of the cloud may not show new rows yet. */
function waitForYoung(ctx: Located, id: string): void {
  const { environment, session, next } = ctx;
  const ofOrigin = elapsedMs(session, next.origin ?? "");
  // Without a time of creation, the time of the journal entry counts.
  const ageMs = Number.isNaN(ofOrigin) ? elapsedMs(session, ctx.entry?.time ?? "") : ofOrigin;
  const leftMs = environment.settle.freeMs - ageMs;
  if (leftMs > 0 && ageMs > -environment.settle.freeMs)
    throw new Waiting("Creating", `${nameOf(ctx.kind, id)} is new, and the cloud API does not list it yet`, leftMs, {
      transient: true,
    });
}

const profileAnswer = z.object({ uid: z.union([z.int(), z.string()]).nullish(), restricted: z.boolean().nullish() });

/**
 * Asks the cloud API for the user of the token. Returns true if the user is restricted. Throws `Waiting` if the
 * response shows another user than the connected identity: rows of another account are no evidence. `after`: the
 * earliest start of the read, clock milliseconds.
 */
export async function proveUser({ session, environment, identity }: Located, after: number): Promise<boolean> {
  const now = { after, urgent: true };
  const answer = profileAnswer.safeParse(await session.observer.detail("/profile", now));
  if (!answer.success)
    throw new Waiting("CloudUnavailable", "the cloud API returned the profile of the user in an unexpected form");
  const { uid, restricted } = answer.data;
  if (uid !== undefined && uid !== null && Number(uid) !== identity.uid) {
    environment.doubtToken(session);
    const what = `the token belongs to user ${uid}, and the account was connected as user ${identity.uid}`;
    const text = `${what}. The operator changes nothing until the user is clear`;
    throw new Waiting("CloudUnavailable", text, undefined, { transient: true });
  }
  // The cloud API has no list of grants for an unrestricted user.
  session.restricted = restricted ?? (await session.observer.detail("/profile/grants", now)) !== undefined;
  return session.restricted;
}

/**
 * Checks the user again some seconds after an accepted DELETE: a proxy can lead to another account by then. Throws as
 * `proveUser` does.
 */
async function proveStillUser(ctx: Located, after: number): Promise<undefined> {
  const { remembered, environment } = ctx;
  if (environment.clock.now() - (remembered.deletion?.acceptedAt ?? -Infinity) > times.soon)
    await proveUser(ctx, after);
  return undefined;
}

/** Throws `Stalled` if the user of the token is restricted: the 404 can be a withdrawn grant. */
export async function refuseRestricted(ctx: Located, what: string, after = ctx.startedAt): Promise<void> {
  if (!(await proveUser(ctx, after))) return;
  const isDeleting = ctx.object.metadata.deletionTimestamp !== undefined;
  throw new Stalled(
    "NotVisible",
    `the user of the token is restricted, and does not see ${what}. The cause can be a withdrawn grant`,
    // A user waits for the deletion, and no event reports a new grant.
    isDeleting ? 60_000 : undefined,
  );
}

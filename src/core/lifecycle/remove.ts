/**
 * Deletes the cloud object of a deleting custom resource.
 *
 * The operator removes the finalizer only if the cloud API reports that the cloud object is absent, if the operator
 * never created the cloud object, or if the cloud object is orphaned.
 */
import { describeKey } from "../kind/words.ts";
import { nameOf, nounOf, oneOf, sentence } from "../kind/naming.ts";
import { orphanAnnotation } from "../kind/annotations.ts";
import { announce } from "../store/announce.ts";
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { didNothing } from "../model/attempt.ts";
import { deletedID } from "../model/deletion.ts";
import { ownershipOf } from "../model/ownership.ts";
import type { Ownership } from "../model/ownership.ts";
import { originOf } from "../model/origin.ts";
import { accountOf, beats, nameFor, ownerOf } from "../model/owners.ts";
import { isProvenToDelete } from "../store/proven.ts";
import { recordFound } from "../store/record-found.ts";
import { ensureRecorded } from "../store/record.ts";
import { contradicts, searchLost } from "../read/search.ts";
import { appearsForMs } from "../model/settle.ts";
import { elsewhere, lostRecord, unanswered, unproven } from "../model/uncertain.ts";
import { noteDuplicates, refuseLate, tellDuplicates } from "../store/duplicates.ts";
import { retireFormer } from "../shapes/renew.ts";
import { deletionCall, removeObserved } from "../shapes/delete.ts";
import { parentsOf, waitForParent } from "../model/parents.ts";
import { dropFinalizer } from "../store/finalizer.ts";
import { keyIn } from "../kind/fields.ts";
import { Stalled, Waiting } from "../kind/outcome.ts";
import type { Verdict } from "../kind/outcome.ts";
import { isOutdated, isReassigned } from "../read/carrier.ts";
import { isDefinitionDeleted } from "../read/definition.ts";
import { requireAdoption } from "../read/permitted.ts";
import {
  confirmAbsent,
  isJustDeleted,
  isOfAbsentParent,
  isReused,
  originOnly,
  readRow,
  refuseRestricted,
} from "../read/lookup.ts";
import { staysAsItIs } from "../shapes/setting.ts";
import { undoSetting } from "../shapes/undo-setting.ts";
import { locateRecorded } from "../shapes/locate.ts";
import type { Connected, Located, Observed, Context } from "../model/context.ts";
import { toObserved } from "../model/context.ts";
import { isPublishedFor, releaseSecrets } from "../secrets/own-secrets.ts";
import { refuseHeld } from "../read/holders.ts";
import { reportReleased } from "../store/status.ts";
import { times } from "../kind/times.ts";

const gone: Verdict = { state: "gone" };

export function needsNoCloud(ctx: Context): boolean {
  if (whyStays(ctx) !== undefined || ctx.kind.shape === "once" || ctx.kind.shape === "survey") return true;
  return ctx.kind.shape === "setting" ? staysAsItIs(ctx) : ownershipOf(ctx).state === "none";
}

/** Removes the finalizer of an object whose cloud object stays or never existed. */
export async function leaveBehind(ctx: Context): Promise<Verdict> {
  const why = whyStays(ctx);
  if (why !== undefined) {
    waitForCreation(ctx);
    await orphan(ctx, why);
  }
  return releaseObject(ctx);
}

async function releaseObject(ctx: Context): Promise<Verdict> {
  if (ctx.orphaned) return gone;
  await reportReleased(ctx);
  await dropFinalizer(ctx.environment, ctx.kind, ctx.object);
  return gone;
}

/** Deletes the cloud object, then removes the finalizer. Throws `Waiting` until the cloud object is absent. */
export async function remove(ctx: Connected): Promise<Verdict> {
  if (await isDefinitionDeleted(ctx)) {
    await orphan(ctx, "its CustomResourceDefinition is being deleted");
    return releaseObject(ctx);
  }
  // A referrer of a deleted object waits for a new object of that name, so the referrer does not hold the cloud object.
  if (!ctx.orphaned) refuseHeld(ctx);
  waitForParent(ctx);
  if (ctx.kind.shape === "setting") {
    await undoSetting(await locateRecorded(ctx));
    return releaseObject(ctx);
  }
  const claim = ownershipOf(ctx);
  if (claim.state === "unproven") throw unproven(ctx, claim.attempt, claim.why);
  if (claim.state === "elsewhere") throw elsewhere(ctx, claim.id);
  if (claim.state === "none") return releaseObject(ctx);
  const located = await locateRecorded(ctx);
  if (deletedID(ctx.remembered) === undefined) await unlessGone(located, () => noteDuplicates(located));
  const observed = await find(located, claim);
  await retireFormer(located, observed?.id, observed && (() => Promise.resolve([deletionCall(observed)])));
  if (observed) await removeObserved(observed);
  await unlessGone(located, () => tellDuplicates(located));
  return releaseObject(ctx);
}

/** Returns the reason why the cloud object stays; undefined if the operator deletes the cloud object. */
export function whyStays({ kind, management, observing, object }: Context): string | undefined {
  if (kind.stays !== undefined) return kind.stays;
  if (isLetGo(object)) return `this object has the annotation ${orphanAnnotation}`;
  if (observing) return "the policy of this object is Observe";
  return management.deletionPolicy === "Orphan" ? "deletionPolicy is Orphan" : undefined;
}

/**
 * Throws `Waiting` while a create request can still take effect. Until then, the object claims its name, so that a new
 * object creates no duplicate.
 */
function waitForCreation(ctx: Context): void {
  const { environment, kind, object } = ctx;
  const claim = kind.shape === "owned" && !isLetGo(object) ? ownershipOf(ctx) : undefined;
  if (claim?.state !== "open" || didNothing(ctx.remembered, claim.entry)) return;
  const leftMs = appearsForMs(environment, object);
  if (leftMs === 0) return;
  const what = `${unanswered(ctx, claim.entry)}, and the cloud can still execute it`;
  const text = `${what}. Until then, the operator keeps this object, so that no second object creates the same ${nounOf(ctx.kind)}`;
  throw new Waiting("CreateUncertain", text, leftMs);
}

function isLetGo({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[orphanAnnotation] === "true";
}

async function orphan(ctx: Context, why: string): Promise<void> {
  await releaseSecrets(ctx);
  tellOpen(ctx, why);
  if (ctx.next.id === undefined) return;
  const former = ctx.entry?.retires;
  const other =
    former && former.id !== ctx.next.id ? `. Its predecessor ${nameOf(ctx.kind, former.id)} stays, too` : "";
  const note = `${nameOf(ctx.kind, ctx.next.id)} stays in the cloud: ${why}${other}`;
  announce(ctx.environment, ctx.object, {
    type: "Normal",
    reason: "Orphaned",
    action: "Delete",
    note,
    id: ctx.next.id,
  });
}

/** Reports a possible cloud object without a record. A search would need the cloud. */
function tellOpen(ctx: Context, why: string): void {
  const { environment, kind, object } = ctx;
  const what = kind.shape === "owned" ? unrecordedText(ctx, ownershipOf(ctx)) : undefined;
  if (what === undefined) return;
  const note = `${what}: ${why}`;
  announce(environment, object, { type: "Warning", reason: "CreateUncertain", action: "Delete", note, id: undefined });
}

function unrecordedText(ctx: Context, claim: Ownership): string | undefined {
  const account = `CloudAccount ${accountOf(ctx.object)}`;
  if (claim.state === "unproven")
    return `${lostRecord(claim.why)}. ${sentence(oneOf(ctx.kind))} of this object can stay in ${account}`;
  if (claim.state !== "open" || didNothing(ctx.remembered, claim.entry)) return undefined;
  const key = describeKey(ctx.kind, {}, keyIn(ctx.kind, claim.entry.pattern));
  return `${unanswered(ctx, claim.entry)}. ${sentence(oneOf(ctx.kind))} with ${key} can stay in ${account}`;
}

/**
 * Reads the row. If the parent is absent, one list proves the absence of its content, without a GET for each cloud
 * object.
 */
function readToRemove(ctx: Located, id: string): Promise<JsonObject | undefined> {
  if (parentsOf(ctx).every(({ parent }) => parent !== undefined)) return readRow(ctx, id);
  return confirmAbsent(ctx, id);
}

async function find(
  ctx: Located,
  claim: Exclude<Ownership, { state: "none" | "unproven" | "elsewhere" }>,
): Promise<Observed | undefined> {
  const id = claim.state === "recorded" ? claim.id : await finishSearch(ctx, claim);
  if (id === undefined) return undefined;
  const owner = ownerOf(ctx.environment, ctx.object, { id, collection: ctx.collection.path });
  if (owner && beats(ctx, owner) && !(await isOutdated(ctx, owner, id))) return leaveTo(ctx, owner, id);
  if (ctx.next.adopted) requireAdoption(ctx);
  // Reads by this object must not wake the object. Otherwise a cloud API that contradicts itself would defeat the
  // backoff.
  ctx.session.observer.forget(ctx.key);
  let partial = false;
  const row = await readToRemove(ctx, id).catch((error: unknown) => {
    partial = true;
    return unreadRow(ctx, id, error);
  });
  if (!row || isReused(ctx, id, row)) return undefined;
  await refuseAnother(ctx, id, row);
  refuseUntold(ctx, id, row);
  return toObserved(ctx, { id, row, partial });
}

/** Returns the origin of an unreadable row, if the origin proves the owner or a reused ID. Otherwise throws `error`. */
function unreadRow(ctx: Located, id: string, error: unknown): JsonObject {
  const row = originOnly(ctx.kind, error);
  if (originOf(ctx.kind, row) !== ctx.next.origin && !isReused(ctx, id, row)) throw error;
  return row;
}

function leaveTo(ctx: Located, owner: KubeObject, id: string): undefined {
  const note = `${nameOf(ctx.kind, id)} stays in the cloud: ${nameFor(ctx, owner)} manages it`;
  announce(ctx.environment, ctx.object, { type: "Normal", reason: "Orphaned", action: "Delete", note, id });
  return undefined;
}

async function finishSearch(
  ctx: Located,
  { entry }: Extract<Ownership, { state: "open" }>,
): Promise<string | undefined> {
  const found = await unlessGone(ctx, () =>
    searchLost(ctx, entry).catch((error: unknown) => refuseLate(ctx, entry, error)),
  );
  if (found === "gone") return undefined;
  if (found) {
    if (!(await isPublishedFor(ctx, found)) && !isProvenToDelete(ctx, found, entry)) return undefined;
    // After the DELETE, a search is impossible. The record must contain the ID before.
    await recordFound(ctx, found, entry);
    await ensureRecorded(ctx);
    return found.id;
  }
  if (didNothing(ctx.remembered, entry)) return undefined;
  const note = `${unanswered(ctx, entry)}, and no matching ${nounOf(ctx.kind)} exists in the cloud`;
  const warning = { type: "Warning", reason: "CreateUncertain", action: "Delete", note, id: undefined } as const;
  announce(ctx.environment, ctx.object, warning);
  return undefined;
}

/** Returns "gone" if the parent is absent, because an absent parent contains no cloud object. */
async function unlessGone<T>(ctx: Located, look: () => Promise<T>): Promise<T | "gone"> {
  try {
    return await look();
  } catch (error) {
    if (!(await isOfAbsentParent(ctx, error))) throw error;
    await refuseRestricted(ctx, nounOf(ctx.kind));
    return "gone";
  }
}

/**
 * Throws `Stalled` if the row no longer shows a time of creation. After a DELETE, also by a former process, the cloud
 * API can have reused the ID.
 */
function refuseUntold(ctx: Located, id: string, row: JsonObject): void {
  const { kind, next, remembered } = ctx;
  if (isJustDeleted(ctx, id) || (deletedID(remembered) !== id && remembered.seen === id)) return;
  if (kind.createdField === undefined || next.origin === undefined || originOf(kind, row) !== undefined) return;
  const what = `the cloud API no longer shows the creation time of ${nameOf(kind, id)}`;
  const text = `${what}. It can be a different cloud object with the same ID, so the operator does not delete it`;
  throw new Stalled("Unreadable", text, times.quiet);
}

/**
 * Throws `Stalled` if the ID now names a different cloud object. The cloud API reuses IDs, and users can reuse the name
 * of a bucket.
 */
async function refuseAnother(ctx: Located, id: string, row: JsonObject): Promise<void> {
  if (!(await isReassigned(ctx, row)) && !contradicts(ctx, id)) return;
  throw new Stalled(
    "Conflict",
    `${nameOf(ctx.kind, id)} is not the recorded cloud object. The operator does not delete it`,
  );
}

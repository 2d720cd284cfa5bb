/**
 * Deletes the cloud object of a deleting custom resource.
 *
 * The operator removes the finalizer only if the cloud API reports that the cloud object is absent, if the operator
 * never created the cloud object, or if the cloud object is orphaned.
 */
import { letGoAnnotation } from "../kind/annotations.ts";
import { announce } from "../store/announce.ts";
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { claimOf, didNothing } from "../model/claim.ts";
import type { Claim } from "../model/claim.ts";
import { originOf } from "../model/origin.ts";
import { accountOf, beats, nameFor, ownerOf } from "../model/ownership.ts";
import { isProvenToDelete } from "../store/proven.ts";
import { recordFound } from "../store/record-found.ts";
import { ensureRecorded } from "../store/record.ts";
import { contradicts, searchLost } from "../read/search.ts";
import { appearsForMs } from "../model/settle.ts";
import { elsewhere, lostRecord, unanswered, unproven } from "../model/uncertain.ts";
import { noteDuplicates, refuseLate, tellDuplicates } from "../store/duplicates.ts";
import { retireFormer } from "../shapes/renew.ts";
import { removeObserved } from "../shapes/delete.ts";
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
import type { Connected, Located, Observed, Reconciliation } from "../model/context.ts";
import { isPublishedFor, releaseSecrets } from "../secrets/own-secrets.ts";
import { refuseHeld } from "../read/holders.ts";
import { reportReleased } from "../store/status.ts";
import { times } from "../kind/times.ts";

const gone: Verdict = { state: "gone" };

export function needsNoCloud(at: Reconciliation): boolean {
  if (whyStays(at) !== undefined || at.kind.shape === "once" || at.kind.shape === "survey") return true;
  return at.kind.shape === "setting" ? staysAsItIs(at) : claimOf(at).state === "none";
}

/** Removes the finalizer of an object whose cloud object stays or never existed. */
export async function letGo(at: Reconciliation): Promise<Verdict> {
  const why = whyStays(at);
  if (why !== undefined) {
    waitForCreation(at);
    await orphan(at, why);
  }
  return release(at);
}

async function release(at: Reconciliation): Promise<Verdict> {
  if (at.stray) return gone;
  await reportReleased(at);
  await dropFinalizer(at.environment, at.kind, at.object);
  return gone;
}

/** Deletes the cloud object, then removes the finalizer. Throws `Waiting` until the cloud object is absent. */
export async function remove(at: Connected): Promise<Verdict> {
  if (await isDefinitionDeleted(at)) {
    await orphan(at, "its CustomResourceDefinition is being deleted");
    return release(at);
  }
  // A referrer of a deleted object waits for a new object of that name, so the referrer does not hold the cloud object.
  if (!at.stray) refuseHeld(at);
  waitForParent(at);
  if (at.kind.shape === "setting") {
    await undoSetting(await locateRecorded(at));
    return release(at);
  }
  const claim = claimOf(at);
  if (claim.state === "unproven") throw unproven(at, claim.attempt, claim.why);
  if (claim.state === "elsewhere") throw elsewhere(at, claim.id);
  if (claim.state === "none") return release(at);
  const located = await locateRecorded(at);
  if (at.remembered.deleted === undefined) await unlessGone(located, () => noteDuplicates(located));
  const observed = await find(located, claim);
  await retireFormer(located, observed?.id);
  if (observed) await removeObserved(observed);
  await unlessGone(located, () => tellDuplicates(located));
  return release(at);
}

/** Returns the reason why the cloud object stays; undefined if the operator deletes the cloud object. */
export function whyStays({ kind, management, observing, object }: Reconciliation): string | undefined {
  if (kind.stays !== undefined) return kind.stays;
  if (isLetGo(object)) return `the annotation ${letGoAnnotation} lets it go`;
  if (observing) return "this object only observes it";
  return management.deletionPolicy === "Orphan" ? "it is orphaned by its deletion policy" : undefined;
}

/**
 * Throws `Waiting` while a create request can still take effect. Until then, the object claims its name, so that a new
 * object creates no duplicate.
 */
function waitForCreation(at: Reconciliation): void {
  const { environment, kind, object } = at;
  const claim = kind.shape === "owned" && !isLetGo(object) ? claimOf(at) : undefined;
  if (claim?.state !== "open" || didNothing(at, claim.intent)) return;
  const leftMs = appearsForMs(environment, object);
  if (leftMs === 0) return;
  const what = `${unanswered(at, claim.intent)} and may still be carried out`;
  const text = `${what}. This object is deleted after that, so that no other one creates the same meanwhile`;
  throw new Waiting("CreateUncertain", text, leftMs);
}

function isLetGo({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[letGoAnnotation] === "true";
}

async function orphan(at: Reconciliation, why: string): Promise<void> {
  await releaseSecrets(at);
  tellOpen(at, why);
  if (at.next.id === undefined) return;
  const former = at.intent?.retires;
  const other = former && former.id !== at.next.id ? `. So does ${former.id}, which it replaces` : "";
  const note = `${at.next.id} stays in the cloud: ${why}${other}`;
  announce(at.environment, at.object, { type: "Normal", reason: "Orphaned", action: "Delete", note, id: at.next.id });
}

/** Reports a possible cloud object without a record. A search would need the cloud. */
function tellOpen(at: Reconciliation, why: string): void {
  const { environment, kind, object } = at;
  const what = kind.shape === "owned" ? unrecorded(at, claimOf(at)) : undefined;
  if (what === undefined) return;
  const note = `${what}: ${why}`;
  announce(environment, object, { type: "Warning", reason: "CreateUncertain", action: "Delete", note, id: undefined });
}

function unrecorded(at: Reconciliation, claim: Claim): string | undefined {
  const account = `CloudAccount ${accountOf(at.object)}`;
  if (claim.state === "unproven") return `${lostRecord(claim.why)}. A cloud object of it may stay in ${account}`;
  if (claim.state !== "open" || didNothing(at, claim.intent)) return undefined;
  const { collection, pattern } = claim.intent;
  const key = JSON.stringify(keyIn(at.kind, pattern)).slice(0, 200);
  return `${unanswered(at, claim.intent)}. What it may have created stays in ${collection} of ${account} (${key})`;
}

/**
 * Reads the row. If the parent is absent, one list proves the absence of its content, without a GET for each cloud
 * object.
 */
function readToRemove(at: Located, id: string): Promise<JsonObject | undefined> {
  if (parentsOf(at).every(({ parent }) => parent !== undefined)) return readRow(at, id);
  return confirmAbsent(at, id);
}

async function find(
  at: Located,
  claim: Exclude<Claim, { state: "none" | "unproven" | "elsewhere" }>,
): Promise<Observed | undefined> {
  const id = claim.state === "recorded" ? claim.id : await finishSearch(at, claim);
  if (id === undefined) return undefined;
  const owner = ownerOf(at.environment, at.object, { id, collection: at.collection.path });
  if (owner && beats(at, owner) && !(await isOutdated(at, owner, id))) return leaveTo(at, owner, id);
  if (at.next.adopted) requireAdoption(at);
  // Reads by this object must not wake the object. Otherwise a cloud API that contradicts itself would defeat the
  // backoff.
  at.session.observer.forget(at.key);
  let partial = false;
  const row = await readToRemove(at, id).catch((error: unknown) => {
    partial = true;
    return unreadRow(at, id, error);
  });
  if (!row || isReused(at, id, row)) return undefined;
  await refuseAnother(at, id, row);
  refuseUntold(at, id, row);
  return Object.assign(at, { id, row, partial });
}

/** Returns the origin of an unreadable row, if the origin proves the owner or a reused ID. Otherwise throws `error`. */
function unreadRow(at: Located, id: string, error: unknown): JsonObject {
  const row = originOnly(at.kind, error);
  if (originOf(at.kind, row) !== at.next.origin && !isReused(at, id, row)) throw error;
  return row;
}

function leaveTo(at: Located, owner: KubeObject, id: string): undefined {
  const note = `${id} stays in the cloud: it is managed by ${nameFor(at, owner)}`;
  announce(at.environment, at.object, { type: "Normal", reason: "Orphaned", action: "Delete", note, id });
  return undefined;
}

async function finishSearch(at: Located, { intent }: Extract<Claim, { state: "open" }>): Promise<string | undefined> {
  const found = await unlessGone(at, () =>
    searchLost(at, intent).catch((error: unknown) => refuseLate(at, intent, error)),
  );
  if (found === "gone") return undefined;
  if (found) {
    if (!(await isPublishedFor(at, found)) && !isProvenToDelete(at, found, intent)) return undefined;
    // After the DELETE, a search is impossible. The record must contain the ID before.
    await recordFound(at, found, intent);
    await ensureRecorded(at);
    return found.id;
  }
  if (didNothing(at, intent)) return undefined;
  const note = `${unanswered(at, intent)}, and no matching object exists in the cloud`;
  const warning = { type: "Warning", reason: "CreateUncertain", action: "Delete", note, id: undefined } as const;
  announce(at.environment, at.object, warning);
  return undefined;
}

/** Returns "gone" if the parent is absent, because an absent parent contains no cloud object. */
async function unlessGone<T>(at: Located, look: () => Promise<T>): Promise<T | "gone"> {
  try {
    return await look();
  } catch (error) {
    if (!(await isOfAbsentParent(at, error))) throw error;
    await refuseRestricted(at, at.collection.path);
    return "gone";
  }
}

/**
 * Throws `Stalled` if the row no longer shows a time of creation. After a DELETE, also by a former process, the cloud
 * API can have reused the ID.
 */
function refuseUntold(at: Located, id: string, row: JsonObject): void {
  const { kind, next, remembered, collection } = at;
  if (isJustDeleted(at, id) || (remembered.deleted !== id && remembered.seen === id)) return;
  if (kind.createdField === undefined || next.origin === undefined || originOf(kind, row) !== undefined) return;
  const what = `${id} in ${collection.path} tells no time of creation any more`;
  throw new Stalled("Unreadable", `${what}: it may be another one, so it is not deleted`, times.quiet);
}

/**
 * Throws `Stalled` if the ID now names a different cloud object. The cloud API reuses IDs, and users can reuse the name
 * of a bucket.
 */
async function refuseAnother(at: Located, id: string, row: JsonObject): Promise<void> {
  if (!(await isReassigned(at, row)) && !contradicts(at, id)) return;
  throw new Stalled(
    "Conflict",
    `${id} in ${at.collection.path} is not the object that was recorded, so it is not deleted`,
  );
}

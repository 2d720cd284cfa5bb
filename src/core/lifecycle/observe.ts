/** Finds the cloud object of a custom resource by recorded ID, adoption or search, or creates the cloud object. */
import { describeKey } from "../kind/words.ts";
import { nameOf, nounOf } from "../kind/naming.ts";
import { orphanAnnotation, retryCreateAnnotation } from "../kind/annotations.ts";
import { readyOf } from "../kind/object.ts";
import { matchingRows } from "../model/matching.ts";
import { announce } from "../store/announce.ts";
import { isDeepStrictEqual } from "node:util";
import { keyFieldsOf, keyIn, naturalKey, shownIn, shows } from "../kind/fields.ts";
import type { JsonObject } from "../../api/types.ts";
import { isSuccessorOfDiscarded, ownershipOf, statesEntry } from "../model/ownership.ts";
import type { Ownership } from "../model/ownership.ts";
import { ensureCreated } from "../shapes/create.ts";
import { isOwnAttempt } from "../model/journal.ts";
import { isAnother, isCarried, isLasting, originOf } from "../model/origin.ts";
import { requesterOf } from "../model/creator.ts";
import { beats, keptBack, managedBy, nameFor, ownerOf } from "../model/owners.ts";
import { isSpent, isUnapplied, noteAdoption } from "../model/adoption.ts";
import { record, saveStatus } from "../store/record.ts";
import { rewriteEntry } from "../store/rewrite-entry.ts";
import type { Found } from "../read/search.ts";
import { showsEntry } from "../model/candidates.ts";
import { contradicts } from "../read/search.ts";
import { annotate, elsewhere, unproven } from "../model/uncertain.ts";
import { listOf, short } from "../kind/differences.ts";
import { putFinalizer } from "../store/finalizer.ts";
import { noteDrift, noteRepair, wasMadeSo } from "../model/drift.ts";
import { finalizer } from "../kind/resource.ts";
import { Stalled } from "../kind/outcome.ts";
import { isOutdated, isReassigned } from "../read/carrier.ts";
import { requireAdoption } from "../read/permitted.ts";
import { findRow, readRow, recalled } from "../read/lookup.ts";
import type { Located, Observed } from "../model/context.ts";
import { toObserved } from "../model/context.ts";
import { readableList } from "../read/whole-list.ts";

/**
 * Returns the object with its cloud object. Throws `Waiting` or `Stalled` if the cloud object is missing and the
 * operator must not create it.
 */
export async function observe(ctx: Located): Promise<Observed> {
  const claim = ownershipOf(ctx);
  // A restored object can lack the finalizer. Its deletion would leave the found cloud object behind.
  if (claim.state === "open" && !ctx.observing && !ctx.orphaned && !ctx.object.metadata.finalizers?.includes(finalizer))
    ctx.object = await putFinalizer(ctx.environment, ctx.kind, ctx.object);
  if (claim.state === "recorded") return recorded(ctx, claim.id);
  if (claim.state === "elsewhere" && ctx.management.adopt === undefined) throw elsewhere(ctx, claim.id);
  if (claim.state === "open" && ctx.next.id !== undefined) return replaceMissing(ctx, ctx.next.id, claim);
  if (ctx.management.adopt && !isSpent(ctx) && !(claim.state === "open" && ctx.management.adopt.id === undefined))
    return adoptExisting(ctx, claim);
  if (ctx.observing)
    throw new Stalled(
      "AdoptionFailed",
      "spec.management.adopt: it must be given with the policy Observe. The operator observes nothing. Set it to the cloud object to observe",
    );
  if (claim.state === "unproven" && ctx.object.metadata.annotations?.[retryCreateAnnotation] !== claim.attempt)
    throw unproven(ctx, claim.attempt, claim.why);
  return ensureCreated(ctx, claim);
}

async function recorded(ctx: Located, id: string): Promise<Observed> {
  if (!ctx.observing) await refuseStrongerOwner(ctx, id);
  const row = await findRow(ctx, id);
  if (!row) return missing(ctx, id);
  const found = originOf(ctx.kind, row);
  const changed = isLasting(ctx.kind) && (await isReassigned(ctx, row));
  if (changed || (ctx.next.origin === undefined && contradicts(ctx, id))) return handleReplaced(ctx, id, row);
  if (ctx.next.origin === undefined || isCarried(ctx.kind)) ctx.next.origin = found;
  if (found !== undefined) ctx.remembered.seen = id;
  const { adopted, adoption } = ctx.next;
  if (adopted === true && (adoption === undefined || adoption.observing)) noteAdoption(ctx, id);
  if (!ctx.observing) await keepEntry(ctx, id);
  return toObserved(ctx, { id, row });
}

async function refuseStrongerOwner(ctx: Located, id: string): Promise<void> {
  const rival = ownerOf(ctx.environment, ctx.object, { id, collection: ctx.collection.path });
  if (rival && beats(ctx, rival) && !(await isOutdated(ctx, rival, id)))
    throw keptBack(ctx, rival, managedBy(ctx, rival, id));
}

/** Handles an ID that now names another cloud object. Changes nothing, unless the user adopts the new cloud object. */
async function handleReplaced(ctx: Located, id: string, row: JsonObject): Promise<Observed> {
  const chosen = ctx.management.adopt?.id;
  // The user chose the ID before the operator reported a conflict, so the user meant the former cloud object.
  if (chosen === id && !isChosen(ctx, id) && readyOf(ctx.status.conditions)?.reason !== "Conflict")
    await rewriteEntry(ctx, id);
  const settled = isChosen(ctx, id);
  if (chosen !== undefined && (chosen !== id || !settled)) return adoptExisting(ctx, { state: "none" });
  if (isCarried(ctx.kind)) throw carriedElsewhere(ctx, id);
  throw new Stalled(
    "Conflict",
    `${nameOf(ctx.kind, id, row)} is not the recorded cloud object${differenceText(ctx, row)}. The operator does not change it. To use ${settled ? "another cloud object" : "it or another cloud object"}, set spec.management.adopt.id. To delete this object and keep the cloud object, annotate this object with ${orphanAnnotation}=true and delete it`,
  );
}

/** Returns both times of creation for a message; empty if the kind has no creation time. */
function differenceText({ kind, next }: Located, row: JsonObject): string {
  if (kind.createdField === undefined) return "";
  const recorded = next.origin === undefined ? "before the request of this object" : `not at ${next.origin}`;
  return `: it was created at ${originOf(kind, row)}, ${recorded}`;
}

/**
 * Returns the conflict of a moved cloud object. The text does not name the new carrier, which can belong to another
 * tenant.
 */
function carriedElsewhere(ctx: Located, id: string): Stalled {
  const { entry, kind } = ctx;
  const known = entry ? Object.values(keyIn(kind, entry.pattern)).map(String).join("/") : "";
  const before = known === "" ? "the former one" : known;
  const field = keyFieldsOf(kind).join(" or ");
  return new Stalled(
    "Conflict",
    `${nameOf(kind, id)} no longer belongs to the recorded ${field}. The cloud API can have assigned it to another user, so the operator neither changes nor deletes it. If it is yours, set ${field} to its present owner, or assign it to ${before} in the cloud. Otherwise delete this object after ${annotate(ctx.object, `${orphanAnnotation}=true`)}`,
  );
}

/**
 * Tests if `adopt.id` chose the former cloud object with the ID. The field is then no consent to adopt the new cloud
 * object.
 */
function isChosen(ctx: Located, id: string): boolean {
  const { entry } = ctx;
  return ctx.next.adopted === true || entry === undefined || entry.is?.id === id;
}

/** Replaces a missing cloud object by the different cloud object in `adopt.id`, otherwise as the policy says. */
async function missing(ctx: Located, id: string): Promise<Observed> {
  const chosen = ctx.management.adopt?.id;
  if (chosen !== undefined && chosen !== id && !isSpent(ctx) && (await readRow(ctx, chosen)))
    return adoptExisting(ctx, { state: "none" });
  return replaceMissing(ctx, id, { state: "none" });
}

async function adoptExisting(ctx: Located, claim: Ownership): Promise<Observed> {
  const { id, filter } = ctx.management.adopt ?? {};
  if (claim.state === "open" && id !== undefined && isOwnAttempt(claim.entry, ctx.object, id)) {
    const candidate = await readRow(ctx, id);
    if (candidate && isSuccessorOfDiscarded(ctx, id, candidate)) throw reassigned(ctx, id);
    // A lost create request may have created the candidate, so the object needs no permission for existing cloud
    // objects.
    if (candidate && showsEntry(ctx, candidate, claim.entry)) return takeExisting(ctx, { id, row: candidate }, false);
  }
  requireAdoption(ctx);
  const only = id ?? (await theOnly(ctx, filter ?? {}));
  const row = await rowToAdopt(ctx, only);
  if (!row)
    throw new Stalled(
      "AdoptionFailed",
      `spec.management.adopt.id: ${nounOf(ctx.kind)} "${only}" does not exist in the account. The operator adopts and creates nothing. Correct the ID`,
    );
  return takeExisting(ctx, { id: only, row }, true);
}

/** Returns the conflict of an ID that the user chose before the cloud assigned it to another cloud object. */
function reassigned({ kind }: Located, id: string): Stalled {
  const what = `spec.management.adopt.id: the operator deleted the chosen ${nounOf(kind)}, and ${nameOf(kind, id)} is now a different one`;
  return new Stalled("Conflict", `${what}. The operator does not adopt it. Remove the ID`);
}

async function rowToAdopt(ctx: Located, id: string): Promise<JsonObject | undefined> {
  const { rows } = await ctx.session.observer.snapshot(ctx.collection, { after: ctx.startedAt, urgent: ctx.urgent });
  const listed = rows.get(id);
  return listed ? recalled(ctx, listed) : readRow(ctx, id);
}

/**
 * Returns the ID of the only match. Throws `Stalled` without a match, with several matches, or if an unreadable row can
 * match.
 */
async function theOnly(ctx: Located, filter: Record<string, string>): Promise<string> {
  const { rows } = await readableList(ctx, ctx.collection);
  const found = matchingRows(rows, filter);
  const [only, ...others] = found;
  const field = "spec.management.adopt.filter";
  if (only === undefined)
    throw new Stalled(
      "AdoptionFailed",
      `${field}: no ${nounOf(ctx.kind)} in the account matches. The operator adopts and creates nothing. Correct the filter`,
    );
  if (others.length === 0) return only;
  throw new Stalled(
    "AdoptionFailed",
    `${field}: more than one ${nounOf(ctx.kind)} matches: ${listOf(found)}. The operator adopts and creates nothing. Set spec.management.adopt.id to one of these IDs`,
  );
}

/** Adopts a cloud object. The applied values are unknown, so the operator sends no disruptive change. */
async function takeExisting(ctx: Located, found: { id: string; row: JsonObject }, adopted: boolean): Promise<Observed> {
  const owner = ownerOf(ctx.environment, ctx.object, { id: found.id, collection: ctx.collection.path });
  if (owner && !ctx.observing && !(await isOutdated(ctx, owner, found.id)))
    throw keptBack(ctx, owner, managedBy(ctx, owner, found.id));
  if (!ctx.observing) {
    refuseUnlike(ctx, found);
    refuseCreator(ctx, found);
  }
  const before = ctx.next.id;
  const observed = record(ctx, found, { adopted });
  // The operator has not applied the spec to this cloud object yet.
  if (adopted) {
    ctx.next.appliedGeneration = undefined;
    noteAdoption(ctx, found.id);
  }
  if (ctx.entry?.is?.id === found.id) await keepEntry(ctx, found.id);
  else await rewriteEntry(ctx, found.id, {});
  if (before !== found.id) {
    const note = `Adopted ${nameOf(ctx.kind, found.id, found.row)}`;
    announce(ctx.environment, ctx.object, { type: "Normal", reason: "Adopted", action: "Adopt", note, id: found.id });
  }
  return observed;
}

/** Refuses to adopt a cloud object that is the result of a creation in progress. */
function refuseCreator(ctx: Located, { id, row }: Found): void {
  const creator = requesterOf(ctx, row, naturalKey(ctx.kind, ctx.desired));
  if (creator)
    throw keptBack(
      ctx,
      creator,
      `${nameFor(ctx, creator)} is perhaps creating ${nameOf(ctx.kind, id)}. The operator does not adopt it. Choose another cloud object`,
    );
}

/** Throws `Stalled` if an immutable field of the natural key differs from the spec. */
function refuseUnlike({ kind, desired }: Located, { id, row }: { id: string; row: JsonObject }): void {
  const key = naturalKey(kind, desired);
  const found = shownIn(kind, row, key);
  const field = Object.keys(found).find((one) => kind.fields[one]?.fixed && !isDeepStrictEqual(found[one], key[one]));
  if (field === undefined) return;
  throw new Stalled(
    "AdoptionFailed",
    `spec.management.adopt: ${nameOf(kind, id)} has ${describeKey(kind, {}, { [field]: found[field] ?? null })}, the spec says ${short(key[field])}, and the cloud API cannot change the field. The operator does not adopt it. Correct one of the two values`,
  );
}

async function replaceMissing(ctx: Located, id: string, claim: Ownership): Promise<Observed> {
  const { management, kind, observing } = ctx;
  const renewing = claim.state === "open" && claim.entry.retires !== undefined;
  if (!renewing) noteDrift(ctx);
  const isReported = kind.holdsData || isUnapplied(ctx);
  const policy = management.missingPolicy ?? (isReported ? "Report" : "Recreate");
  if (observing || (policy === "Report" && claim.state === "none"))
    throw new Stalled(
      "Missing",
      `${nameOf(kind, id)} no longer exists in the cloud. The operator does not replace it. To use another ${nounOf(kind)}, set spec.management.adopt.id. To create a new ${nounOf(kind)}, set spec.management.missingPolicy to Recreate`,
    );
  // The recorded ID connects an uncertain attempt with this replacement, so the ID stays until the successor exists.
  const observed = await ensureCreated(ctx, claim);
  if (observed.id === id) await close(observed);
  noteRepair(ctx);
  if (!renewing && wasMadeSo(ctx)) {
    const note = `id: ${id} (missing) → ${observed.id}`;
    announce(ctx.environment, ctx.object, {
      type: "Normal",
      reason: "Corrected",
      action: "Recreate",
      note,
      id: observed.id,
    });
  }
  return observed;
}

/** Ends the attempt in the journal entry. If the successor has the ID of the predecessor, only the journal entry shows the end. */
async function close(ctx: Observed): Promise<void> {
  // The operator stores the status first, because a journal entry that names the successor would contradict the old status.
  await saveStatus(ctx);
  await rewriteEntry(ctx, ctx.id);
}

/**
 * Restores a finalizer or a journal entry that another client removed. Without them, a deletion would leave the cloud object
 * behind.
 */
async function keepEntry(ctx: Located, id: string): Promise<void> {
  const stated = ctx.entry?.is?.id;
  // The journal entry records a chosen ID. Otherwise the choice could later count as consent to adopt a different cloud
  // object.
  const stands = statesEntry(ctx) && (stated ?? id) === id && (stated === id || ctx.management.adopt?.id !== id);
  if (stands && ctx.object.metadata.finalizers?.includes(finalizer)) return;
  await rewriteEntry(ctx, id);
}

/**
 * Renews the journal entry after a change of the natural key or the carrier, so that a restored object finds its cloud object.
 */
export async function followIdentity(ctx: Observed): Promise<void> {
  const found = originOf(ctx.kind, ctx.row);
  if (!isLasting(ctx.kind) || isCarried(ctx.kind)) ctx.next.origin = found;
  const { entry } = ctx;
  const isMoved = isCarried(ctx.kind) && isAnother(entry?.is?.origin, found);
  if (entry && (isMoved || !shows(ctx.kind, ctx.row, entry.pattern))) await rewriteEntry(ctx, ctx.id);
}

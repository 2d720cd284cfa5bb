/** Finds the cloud object of a custom resource by recorded ID, adoption or search, or creates the cloud object. */
import { letGoAnnotation, retryCreateAnnotation } from "../kind/annotations.ts";
import { readyOf } from "../kind/object.ts";
import { matching } from "../model/matching.ts";
import { announce } from "../store/announce.ts";
import { isDeepStrictEqual } from "node:util";
import { keyFieldsOf, keyIn, naturalKey, shownIn, shows } from "../kind/fields.ts";
import type { JsonObject } from "../../api/types.ts";
import { claimOf, statesIntent } from "../model/claim.ts";
import type { Claim } from "../model/claim.ts";
import { ensureCreated } from "../shapes/create.ts";
import type { Intent } from "../model/intent.ts";
import { isAnother, isCarried, isLasting, originOf } from "../model/origin.ts";
import { requesterOf } from "../model/creator.ts";
import { beats, keptBack, managedBy, nameFor, ownerOf } from "../model/ownership.ts";
import { record, saveStatus } from "../store/record.ts";
import { restateIntent } from "../store/restate.ts";
import type { Found } from "../read/search.ts";
import { showsIntent } from "../model/candidates.ts";
import { contradicts } from "../read/search.ts";
import { annotate, elsewhere, unproven } from "../model/uncertain.ts";
import { named } from "../kind/differences.ts";
import { putFinalizer } from "../store/finalizer.ts";
import { noteDrift, noteRepair } from "../model/drift.ts";
import { finalizer } from "../kind/resource.ts";
import { Stalled } from "../kind/outcome.ts";
import { isOutdated, isReassigned } from "../read/carrier.ts";
import { requireAdoption } from "../read/permitted.ts";
import { findRow, readRow, recalled } from "../read/lookup.ts";
import type { Located, Observed } from "../model/context.ts";
import { readableList } from "../read/whole-list.ts";

/**
 * Returns the object with its cloud object. Throws `Waiting` or `Stalled` if the cloud object is missing and the
 * operator must not create it.
 */
export async function observe(at: Located): Promise<Observed> {
  const claim = claimOf(at);
  // A restored object can lack the finalizer. Its deletion would leave the found cloud object behind.
  if (claim.state === "open" && !at.observing && !at.stray && !at.object.metadata.finalizers?.includes(finalizer))
    at.object = await putFinalizer(at.environment, at.kind, at.object);
  if (claim.state === "recorded") return recorded(at, claim.id);
  if (claim.state === "elsewhere" && at.management.adopt === undefined) throw elsewhere(at, claim.id);
  if (claim.state === "open" && at.next.id !== undefined) return replaceMissing(at, at.next.id, claim);
  if (at.management.adopt && !(claim.state === "open" && at.management.adopt.id === undefined)) return adopt(at, claim);
  if (at.observing)
    throw new Stalled(
      "AdoptionFailed",
      "spec.management.adopt: it must be given with the policy Observe. Nothing is observed. Set it to the cloud object to observe",
    );
  if (claim.state === "unproven" && at.object.metadata.annotations?.[retryCreateAnnotation] !== claim.attempt)
    throw unproven(at, claim.attempt, claim.why);
  return ensureCreated(at, claim);
}

async function recorded(at: Located, id: string): Promise<Observed> {
  if (!at.observing) await refuseRival(at, id);
  const row = await findRow(at, id);
  if (!row) return missing(at, id);
  const found = originOf(at.kind, row);
  const changed = isLasting(at.kind) && (await isReassigned(at, row));
  if (changed || (at.next.origin === undefined && contradicts(at, id))) return another(at, id, row);
  if (at.next.origin === undefined || isCarried(at.kind)) at.next.origin = found;
  if (found !== undefined) at.remembered.seen = id;
  if (!at.observing) await keepIntent(at, id);
  return Object.assign(at, { id, row });
}

async function refuseRival(at: Located, id: string): Promise<void> {
  const rival = ownerOf(at.environment, at.object, { id, collection: at.collection.path });
  if (rival && beats(at, rival) && !(await isOutdated(at, rival, id)))
    throw keptBack(at, rival, managedBy(at, rival, id));
}

/** Handles an ID that now names another cloud object. Changes nothing, unless the user adopts the new cloud object. */
async function another(at: Located, id: string, row: JsonObject): Promise<Observed> {
  const chosen = at.management.adopt?.id;
  // The user chose the ID before the operator reported a conflict, so the user meant the former cloud object.
  if (chosen === id && !isChosen(at, id) && readyOf(at.status.conditions)?.reason !== "Conflict")
    await restateIntent(at, id);
  const settled = isChosen(at, id);
  if (chosen !== undefined && (chosen !== id || !settled)) return adopt(at, { state: "none" });
  if (isCarried(at.kind)) throw carriedElsewhere(at, id);
  throw new Stalled(
    "Conflict",
    `${id} in ${at.collection.path} is not the object that was recorded: it was created at ${originOf(at.kind, row)}, ${at.next.origin === undefined ? "before this object asked for one" : `not at ${at.next.origin}`}. It is not changed. To use ${settled ? "another one" : "this one, or another"}, set spec.management.adopt.id; to delete this object and keep the cloud object, annotate it with cloudplatform.dev/let-go=true and delete it`,
  );
}

/**
 * Returns the conflict of a moved cloud object. The text does not name the new carrier, which can belong to another
 * tenant.
 */
function carriedElsewhere(at: Located, id: string): Stalled {
  const { intent, kind } = at;
  const known = intent ? Object.values(keyIn(kind, intent.pattern)).map(String).join("/") : "";
  const before = known === "" ? "the former one" : known;
  const field = keyFieldsOf(kind).join(" or ");
  return new Stalled(
    "Conflict",
    `${id} in ${at.collection.path} no longer belongs to the recorded ${field}. The cloud API may have released it and assigned it to another user, so it is neither changed nor deleted. If it is yours, set ${field} to what it belongs to now, or assign it to ${before} again in the cloud. Otherwise delete this object after ${annotate(at.object, `${letGoAnnotation}=true`)}`,
  );
}

/**
 * Tests if `adopt.id` chose the former cloud object with the ID. The field is then no consent to adopt the new cloud
 * object.
 */
function isChosen(at: Located, id: string): boolean {
  const { intent } = at;
  return at.next.adopted === true || intent === undefined || intent.is?.id === id;
}

/** Replaces a missing cloud object by the different cloud object in `adopt.id`, otherwise as the policy says. */
async function missing(at: Located, id: string): Promise<Observed> {
  const chosen = at.management.adopt?.id;
  if (chosen !== undefined && chosen !== id && (await readRow(at, chosen))) return adopt(at, { state: "none" });
  return replaceMissing(at, id, { state: "none" });
}

async function adopt(at: Located, claim: Claim): Promise<Observed> {
  const { id, filter } = at.management.adopt ?? {};
  if (claim.state === "open" && id !== undefined && isOwnAttempt(at, claim.intent, id)) {
    const candidate = await readRow(at, id);
    // A lost create request may have created the candidate, so the object needs no permission for existing cloud
    // objects.
    if (candidate && showsIntent(at, candidate, claim.intent)) return take(at, { id, row: candidate }, false);
  }
  requireAdoption(at);
  const only = id ?? (await theOnly(at, filter ?? {}));
  const row = await rowOf(at, only);
  if (!row)
    throw new Stalled(
      "AdoptionFailed",
      `spec.management.adopt.id: "${only}" does not exist in ${at.collection.path}. Nothing is adopted or created. Correct the id`,
    );
  return take(at, { id: only, row }, true);
}

/** Tests if this object sent the attempt. The intent of a restored object alone is no permission. */
function isOwnAttempt({ object }: Located, { uid, known }: Intent, id: string): boolean {
  return uid === object.metadata.uid && !known.includes(id);
}

async function rowOf(at: Located, id: string): Promise<JsonObject | undefined> {
  const { rows } = await at.session.observer.snapshot(at.collection, { after: at.startedAt, urgent: at.urgent });
  const listed = rows.get(id);
  return listed ? recalled(at, listed) : readRow(at, id);
}

/**
 * Returns the ID of the only match. Throws `Stalled` without a match, with several matches, or if an unreadable row can
 * match.
 */
async function theOnly(at: Located, filter: Record<string, string>): Promise<string> {
  const { rows } = await readableList(at, at.collection);
  const found = matching(rows, filter);
  const [only, ...others] = found;
  const field = "spec.management.adopt.filter";
  if (only === undefined)
    throw new Stalled(
      "AdoptionFailed",
      `${field}: no cloud object in ${at.collection.path} matches. Nothing is adopted or created. Correct the filter`,
    );
  if (others.length === 0) return only;
  throw new Stalled(
    "AdoptionFailed",
    `${field}: more than one cloud object matches: ${named(found)}. Nothing is adopted or created. Set spec.management.adopt.id to one of them`,
  );
}

/** Adopts a cloud object. The applied values are unknown, so the operator sends no disruptive change. */
async function take(at: Located, found: { id: string; row: JsonObject }, adopted: boolean): Promise<Observed> {
  const owner = ownerOf(at.environment, at.object, { id: found.id, collection: at.collection.path });
  if (owner && !at.observing && !(await isOutdated(at, owner, found.id)))
    throw keptBack(at, owner, managedBy(at, owner, found.id));
  if (!at.observing) {
    refuseUnlike(at, found);
    refuseCreator(at, found);
  }
  const before = at.next.id;
  const observed = record(at, found, { adopted });
  if (at.intent?.is?.id === found.id) await keepIntent(at, found.id);
  else await restateIntent(at, found.id, {});
  if (before !== found.id) {
    const note = `Adopted ${found.id} from ${at.collection.path}`;
    announce(at.environment, at.object, { type: "Normal", reason: "Adopted", action: "Adopt", note, id: found.id });
  }
  return observed;
}

/** Refuses to adopt a cloud object that is the result of a creation in progress. */
function refuseCreator(at: Located, { id, row }: Found): void {
  const creator = requesterOf(at, row, naturalKey(at.kind, at.wanted));
  if (creator)
    throw keptBack(
      at,
      creator,
      `${id} may be what ${nameFor(at, creator)} is creating. It is not adopted. Choose another one`,
    );
}

/** Throws `Stalled` if an immutable field of the natural key differs from the spec. */
function refuseUnlike({ kind, wanted }: Located, { id, row }: { id: string; row: JsonObject }): void {
  const key = naturalKey(kind, wanted);
  const found = shownIn(kind, row, key);
  const field = Object.keys(found).find((one) => kind.fields[one]?.fixed && !isDeepStrictEqual(found[one], key[one]));
  if (field === undefined) return;
  throw new Stalled(
    "AdoptionFailed",
    `spec.management.adopt: ${id} has ${field} ${JSON.stringify(found[field])}, this object asks for ${JSON.stringify(key[field])}, and that cannot be changed. It is not adopted. Correct one of the two`,
  );
}

async function replaceMissing(at: Located, id: string, claim: Claim): Promise<Observed> {
  const { management, kind, observing } = at;
  const renewing = claim.state === "open" && claim.intent.retires !== undefined;
  if (!renewing) noteDrift(at);
  const policy = management.missingPolicy ?? (kind.holdsData ? "Report" : "Recreate");
  if (observing || (policy === "Report" && claim.state === "none"))
    throw new Stalled(
      "Missing",
      `${id} does not exist in ${at.collection.path} any more. It is not replaced. To use another one, set spec.management.adopt.id; to create a new one, set spec.management.missingPolicy to Recreate`,
    );
  // The recorded ID connects an uncertain attempt with this replacement, so the ID stays until the successor exists.
  const observed = await ensureCreated(at, claim);
  if (observed.id === id) await close(observed);
  noteRepair(at);
  return observed;
}

/** Ends the attempt in the intent. If the successor has the ID of the predecessor, only the intent shows the end. */
async function close(at: Observed): Promise<void> {
  // The operator stores the status first, because an intent that names the successor would contradict the old status.
  await saveStatus(at);
  await restateIntent(at, at.id);
}

/**
 * Restores a finalizer or an intent that another client removed. Without them, a deletion would leave the cloud object
 * behind.
 */
async function keepIntent(at: Located, id: string): Promise<void> {
  const stated = at.intent?.is?.id;
  // The intent records a chosen ID. Otherwise the choice could later count as consent to adopt a different cloud
  // object.
  const stands = statesIntent(at) && (stated ?? id) === id && (stated === id || at.management.adopt?.id !== id);
  if (stands && at.object.metadata.finalizers?.includes(finalizer)) return;
  await restateIntent(at, id);
}

/**
 * Renews the intent after a change of the natural key or the carrier, so that a restored object finds its cloud object.
 */
export async function followIdentity(at: Observed): Promise<void> {
  const found = originOf(at.kind, at.row);
  if (!isLasting(at.kind) || isCarried(at.kind)) at.next.origin = found;
  const { intent } = at;
  const isMoved = isCarried(at.kind) && isAnother(intent?.is?.origin, found);
  if (intent && (isMoved || !shows(at.kind, at.row, intent.pattern))) await restateIntent(at, at.id);
}

/**
 * Settings: always there, so nothing is created and nothing is deleted. Which row it is follows from the spec, and is never
 * believed from the status. Of several objects that want one setting, the strongest claim sets it.
 */
import { announce } from "./announce.ts";
import { isAsSet, stepsShown } from "./as-set.ts";
import { claimPath } from "../claim/note-claim.ts";
import { isAnother, originOf } from "../claim/origin.ts";
import { beats, keptBack, managedBy, ownerOf } from "../claim/ownership.ts";
import { ensureRecorded } from "../claim/record.ts";
import { putFinalizer } from "../custody/finalizer.ts";
import type { JsonObject } from "../../api/types.ts";
import type { Call } from "../kind/call.ts";
import { differencesIn } from "../kind/fields.ts";
import { Invalid, isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
import { claimsNothing } from "../kind/owned.ts";
import type { Kind } from "../kind/owned.ts";
import { kindOf } from "../kind/reference.ts";
import { finalizer } from "../kind/resource.ts";
import { mayReset } from "../read/permitted.ts";
import { sendChange } from "../send/change.ts";
import { parentsOf } from "./parents.ts";
import { requireApproval } from "./permission.ts";
import { findRow, isMeant, proveUser, readRow } from "./presence.ts";
import type { AnyWanted, Located, Observed } from "./reconciliation.ts";
import { live } from "./reconciliation.ts";
import { resolveReferences } from "./references.ts";
import { usedOf } from "./referred.ts";
import { readableList } from "./whole-list.ts";

/** How soon to search for it again, milliseconds. */
const absentMs = 60_000;

/** The object with its row. Throws `Waiting` where nothing is there, and `Stalled` where another object sets it. */
export async function findSetting(at: Located): Promise<Observed> {
  const { kind, environment, collection, wanted } = at;
  const id = await whichOf(at);
  const row = id === undefined ? undefined : await findRow(at, id);
  if (id === undefined || !row)
    throw new Waiting(
      "Missing",
      `${id ?? "what the spec names"} does not exist in ${collection.path}. Nothing is set. Create it, or correct the spec`,
      absentMs,
    );
  if (kind.shownAt === "/profile" && id !== String(at.identity.uid)) await refuseOtherUser(at, id);
  if (claimsNothing(kind)) {
    at.next.id = id;
    return Object.assign(at, { id, row });
  }
  const origin = originIn(kind, row);
  const isNew = at.next.id === id && isAnother(at.next.origin, origin);
  // What the object manages that is referred to may have been made again under its id.
  const referred = originOfReferred(at, id);
  if (isNew && origin !== referred) throw given(at, id);
  if (isAnother(referred, origin)) throw notReferred(id);
  // Until this object sets it, it is what somebody else has set.
  if (at.next.id !== id || isNew) Object.assign(at.next, { id, adopted: true, origin });
  at.next.origin ??= origin;
  if (at.observing) return Object.assign(at, { id, row });
  const claimed = { collection: claimPath(kind, collection.path), id };
  const owner = ownerOf(environment, at.object, claimed);
  if (owner && beats(owner, at.object)) throw keptBack(at, owner, managedBy(at, owner, id, { isOnly: !kind.which }));
  environment.claims.note(at.key, { ...claimed, naturalKey: {} });
  if (differencesIn(kind, wanted, row).length > 0) refuseTaking(at);
  if (kind.undo && !at.object.metadata.finalizers?.includes(finalizer))
    at.object = await putFinalizer(environment, kind, at.object);
  return Object.assign(at, { id, row });
}

/** What is the user's own is not that of whoever answers in between. */
async function refuseOtherUser(at: Located, id: string): Promise<never> {
  await proveUser(at, at.startedAt);
  throw new Waiting("CloudUnavailable", `GET /profile showed user ${id} for a moment`, 1_000, { transient: true });
}

/** Where the API does not tell when it was created, what the spec refers to shows which row is meant. */
function originIn(kind: Kind, row: JsonObject): string | undefined {
  return kind.createdField === undefined ? undefined : originOf(kind, row);
}

function given({ collection }: Located, id: string): Stalled {
  const what = `${id} in ${collection.path} is another cloud object than the one that this object has set`;
  return new Stalled("Conflict", `${what}. Nothing is set. Delete this object, and create another one for it`);
}

/** A list may still have shown what the spec refers to. */
function notReferred(id: string): Waiting {
  const what = `what the spec refers to is missing in the cloud: ${id} is another cloud object by now`;
  return new Waiting("WaitingForReference", `${what}. Its own condition says what to do`, undefined, {
    byItself: true,
  });
}

/**
 * The id of the row that the spec means; undefined where there is none. What this object has set stays the one as long as it fits
 * the spec. Otherwise the whole list must be readable, since a row that is not may be the one that is meant.
 */
async function whichOf(at: Located): Promise<string | undefined> {
  const { kind, collection, wanted, next } = at;
  // What was read before what it belongs to was there does not show it.
  if (!kind.which) return (await onlyOf(at)) ?? (await onlyOf(at, at.startedAt));
  // Some name it in the spec.
  const named = kind.which(wanted, []);
  if (named !== undefined) return named;
  // What another object sets as well is chosen anew until this one has settled on it.
  const isSettled = next.adopted !== true || next.appliedGeneration !== undefined;
  const set = isSettled ? next.id : undefined;
  const row = set === undefined ? undefined : await findRow(at, set);
  if (row && isMeant(at, row)) return set;
  const { rows } = await readableList(at, collection);
  return kind.which(wanted, [...rows.values()]);
}

/** The id of the only row, in a list of any age where `after` (clock milliseconds) is not given. */
async function onlyOf({ session, collection, urgent }: Located, after = -Infinity): Promise<string | undefined> {
  const { rows, unreadable } = await session.observer.snapshot(collection, { urgent, after });
  // What is there and cannot be read is not missing: reading it says so.
  return [...rows.keys(), ...unreadable.keys()][0];
}

/** Two objects that take from each other would do so without end. */
function refuseTaking(at: Located): void {
  const { environment, kind, spec, object, collection } = at;
  const taken = kind.takes?.(spec);
  if (taken === undefined) return;
  const owner = ownerOf(environment, object, { collection: claimPath(kind, collection.path), id: taken });
  if (owner) throw keptBack(at, owner, managedBy(at, owner, taken));
}

/** Sends a change; what it sets is this object's own from before it leaves, unless it is certainly refused. */
export async function setAsOwn<T>(at: Located, send: () => Promise<T>): Promise<T> {
  const { adopted } = at.next;
  if (at.kind.shape === "setting") at.next.adopted = undefined;
  await ensureRecorded(at);
  try {
    return await send();
  } catch (error) {
    if (isHttpError(error) && error.outcome === "refused") at.next.adopted = adopted;
    throw error;
  }
}

/** True where deleting the object changes nothing in the cloud: what it has not set is not its own. */
export function staysAsItIs({ kind, next }: Pick<Located, "kind" | "next">): boolean {
  return kind.undo === undefined || next.id === undefined || next.adopted === true;
}

/** Resets what this object has set, and keeps what somebody else has set since. */
export async function undoSetting(at: Located): Promise<void> {
  const { kind, environment, collection } = at;
  // The id that is proven to be recorded: what the spec refers to may be gone already.
  const { id } = at.next;
  if (id === undefined) return;
  const owner = ownerOf(environment, at.object, { collection: claimPath(kind, collection.path), id });
  if (owner && beats(owner, at.object)) return;
  const row = await readRow(at, id);
  if (!row || !kind.undo) return;
  const observed: Observed = Object.assign(at, { id, row });
  const leave = (why: string) => {
    const note = `${id} is not reset: ${why}`;
    return announce(environment, at.object, { type: "Normal", reason: "Orphaned", action: "Delete", note, id });
  };
  if (isAnother(at.next.origin ?? originOfReferred(at, id), originIn(kind, row)))
    return leave("it is another cloud object by now");
  const refs = recordedReferences(at);
  if (refs && !isMeant({ ...at, wanted: { ...at.wanted, refs } }, row))
    return leave("the spec does not mean it any more");
  if (kind.createdField === undefined && !(await mayReset(at, refs !== undefined)))
    return leave("it does not belong to a cloud object of this namespace any more");
  const shown = await stepsShown(observed, environment.clock.now());
  if (!isAsSet(observed, shown) && (await isSetOtherwise(observed)))
    return leave("it does not show what this object set");
  if (refs) at.wanted = { ...at.wanted, refs };
  const request = kind.undo({ id, path: collection.itemPath(id), shown });
  const call: Call = { ...request, action: "Undo", note: `resets ${id}` };
  await requireApproval(at, [call]);
  await sendChange(at, call, { priority: "delete", urgent: true });
  const undone = `Reset ${id}`;
  announce(environment, at.object, { type: "Normal", reason: "Undone", action: call.action, note: undone, id });
}

/** True where somebody else has set it since. */
async function isSetOtherwise(at: Observed): Promise<boolean> {
  if (differencesIn(at.kind, at.wanted, at.row).length > 0) return true;
  const steps = Object.values(at.kind.steps ?? {});
  if (steps.length === 0 || !(await foundReferences(at))) return false;
  for (const step of steps) {
    const reads = step.read?.(live(at));
    const after = at.environment.clock.now();
    const current = reads && (await at.session.observer.detail(reads.path, { ...reads, after, urgent: true }));
    if (step.calls(live(at), current).length > 0) return true;
  }
  return false;
}

/** By the ids that are recorded, whatever became of them; undefined where nothing tells one. */
function recordedReferences({ environment, kind, object, spec }: Located): AnyWanted["refs"] | undefined {
  const refs: Record<string, { id: string } | undefined> = {};
  for (const [name, reference] of Object.entries(kind.references ?? {})) {
    const named = "secret" in reference ? undefined : reference.from(spec);
    if ("secret" in reference || named === undefined || Array.isArray(named)) continue;
    const { namespace = "" } = object.metadata;
    const other = environment.caches.get(kindOf(reference, named))?.get({ namespace, name: named.name ?? "" });
    const id = named.id ?? (other && usedOf(environment, other).id);
    if (id === undefined) return undefined;
    refs[name] = { id };
  }
  return refs as AnyWanted["refs"];
}

/** Of an object that set it before its origin was recorded: as the object has it that it refers to, and is a part of. */
function originOfReferred(at: Located, id: string): string | undefined {
  const used = parentsOf(at).map(({ parent }) => parent && usedOf(at.environment, parent));
  return used.find((one) => one?.id === id)?.origin;
}

/** False where what the spec refers to is gone already: then nothing tells what was set. */
async function foundReferences(at: Observed): Promise<boolean> {
  try {
    at.wanted = await resolveReferences(at);
    return true;
  } catch (error) {
    if (error instanceof Waiting || error instanceof Invalid) return false;
    throw error;
  }
}

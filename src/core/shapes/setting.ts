/**
 * Settings: always there, so nothing is created and nothing is deleted. Which row it is follows from the spec, and is never
 * believed from the status. Of several objects that want one setting, the strongest claim sets it.
 */
import { claimPath } from "../model/note-claim.ts";
import { isAnother, originOf } from "../model/origin.ts";
import { beats, keptBack, managedBy, ownerOf } from "../model/ownership.ts";
import { ensureRecorded } from "../store/record.ts";
import { putFinalizer } from "../store/finalizer.ts";
import type { JsonObject } from "../../api/types.ts";
import { differencesIn } from "../kind/fields.ts";
import { isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
import { claimsNothing } from "../kind/owned.ts";
import type { Kind } from "../kind/owned.ts";
import { finalizer } from "../kind/resource.ts";
import { parentsOf } from "../model/parents.ts";
import { findRow, isMeant, proveUser, readRow } from "../read/lookup.ts";
import type { Located, Observed } from "../model/context.ts";
import { usedOf } from "../model/referred.ts";
import { times } from "../kind/times.ts";

/** The object with its row. Throws `Waiting` where nothing is there, and `Stalled` where another object sets it. */
export async function findSetting(at: Located): Promise<Observed> {
  const { kind, environment, collection, wanted } = at;
  const id = await whichOf(at);
  const row = id === undefined ? undefined : await meantRow(at, id);
  if (id === undefined || !row)
    throw new Waiting(
      "Missing",
      `${id ?? "what the spec names"} does not exist in ${collection.path}. Nothing is set. Create it, or correct the spec`,
      times.quiet,
    );
  if (!isMeant(at, row)) throw notOfReferred(at, id);
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
  at.next.origin = kind.carrierField === undefined ? (at.next.origin ?? origin) : originOf(kind, row);
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
  throw new Waiting("CloudUnavailable", `GET /profile showed user ${id} for a moment`, times.soon, { transient: true });
}

/** Where the API does not tell when it was created, what the spec refers to shows which row is meant. */
export function originIn(kind: Kind, row: JsonObject): string | undefined {
  return kind.createdField === undefined ? undefined : originOf(kind, row);
}

/** The list can still show the former carrier of an address that an instance has just got. */
async function meantRow(at: Located, id: string): Promise<JsonObject | undefined> {
  const listed = await findRow(at, id);
  return listed === undefined || isMeant(at, listed) ? listed : readRow(at, id);
}

function notOfReferred({ collection }: Located, id: string): Waiting {
  const what = `${id} in ${collection.path} does not belong to what the spec refers to`;
  const text = `${what}. Nothing is set. The operator reads both again`;
  return new Waiting("WaitingForReference", text, times.quiet, { byItself: true });
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

/** Returns the id of the row that the spec or a copied value names; without names, the id of the only row, if there is one. */
async function whichOf(at: Located): Promise<string | undefined> {
  const { kind, wanted } = at;
  if (kind.which) return kind.which(wanted);
  // A list from before its parent existed does not show the row.
  return (await onlyOf(at)) ?? (await onlyOf(at, at.startedAt));
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

/** Of an object that set it before its origin was recorded: as the object has it that it refers to, and is a part of. */
export function originOfReferred(at: Located, id: string): string | undefined {
  const used = parentsOf(at).map(({ parent }) => parent && usedOf(at.environment, parent));
  return used.find((one) => one?.id === id)?.origin;
}

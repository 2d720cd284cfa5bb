/**
 * Manages settings. A setting always exists, so the operator neither creates nor deletes it. The spec determines the
 * row, and the operator does not trust the status. If several objects name a setting, the strongest claim wins.
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

/**
 * Returns the object with its row. Throws `Waiting` if the row is missing, and `Stalled` if another object manages the
 * setting.
 */
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
  // The referenced cloud object can have been created again with the same ID.
  const referred = originOfReferred(at, id);
  if (isNew && origin !== referred) throw given(at, id);
  if (isAnother(referred, origin)) throw notReferred(id);
  // Until the operator changes the setting, its values belong to a user.
  if (at.next.id !== id || isNew) Object.assign(at.next, { id, adopted: true, origin });
  at.next.origin = kind.carrierField === undefined ? (at.next.origin ?? origin) : originOf(kind, row);
  if (at.observing) return Object.assign(at, { id, row });
  const claimed = { collection: claimPath(kind, collection.path), id };
  const owner = ownerOf(environment, at.object, claimed);
  if (owner && beats(at, owner)) throw keptBack(at, owner, managedBy(at, owner, id, { isOnly: !kind.which }));
  environment.claims.note(at.key, { ...claimed, naturalKey: {} });
  if (differencesIn(kind, wanted, row).length > 0) refuseTaking(at);
  if (kind.undo && !at.object.metadata.finalizers?.includes(finalizer))
    at.object = await putFinalizer(environment, kind, at.object);
  return Object.assign(at, { id, row });
}

/** Throws if the row belongs to a different user. A gateway can show a wrong profile for a moment. */
async function refuseOtherUser(at: Located, id: string): Promise<never> {
  await proveUser(at, at.startedAt);
  throw new Waiting("CloudUnavailable", `GET /profile showed user ${id} for a moment`, times.soon, { transient: true });
}

/**
 * Returns the origin of a row; undefined if the API shows no time of creation. The references of the spec then identify
 * the row.
 */
export function originIn(kind: Kind, row: JsonObject): string | undefined {
  return kind.createdField === undefined ? undefined : originOf(kind, row);
}

/**
 * Returns the row. Reads the row again if the list shows a former carrier, such as the former instance of an address.
 */
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

/** Returns the wait for the reference. The list can still show the former cloud object. */
function notReferred(id: string): Waiting {
  const what = `what the spec refers to is missing in the cloud: ${id} is another cloud object by now`;
  return new Waiting("WaitingForReference", `${what}. Its own condition says what to do`, undefined, {
    byItself: true,
  });
}

/** Returns the ID that the spec or a copied value names. If the kind names no ID, returns the ID of the only row. */
async function whichOf(at: Located): Promise<string | undefined> {
  const { kind, wanted } = at;
  if (kind.which) return kind.which(wanted);
  // A list from before the creation of the parent does not show the row.
  return (await onlyOf(at)) ?? (await onlyOf(at, at.startedAt));
}

/** Returns the ID of the only row. `after`: the earliest time of the list, clock milliseconds. */
async function onlyOf({ session, collection, urgent }: Located, after = -Infinity): Promise<string | undefined> {
  const { rows, unreadable } = await session.observer.snapshot(collection, { urgent, after });
  // An unreadable row is not missing. The next read reports the error.
  return [...rows.keys(), ...unreadable.keys()][0];
}

/**
 * Throws if a second object manages the value that the setting takes. Otherwise both objects would take the value from
 * each other without end.
 */
function refuseTaking(at: Located): void {
  const { environment, kind, spec, object, collection } = at;
  const taken = kind.takes?.(spec);
  if (taken === undefined) return;
  const owner = ownerOf(environment, object, { collection: claimPath(kind, collection.path), id: taken });
  if (owner) throw keptBack(at, owner, managedBy(at, owner, taken));
}

/** Sends a change. Records the setting as owned before the request leaves, and reverts the record after a refusal. */
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

/** Tests if a deletion changes nothing in the cloud. An object does not own a setting that it never changed. */
export function staysAsItIs({ kind, next }: Pick<Located, "kind" | "next">): boolean {
  return kind.undo === undefined || next.id === undefined || next.adopted === true;
}

/** Returns the origin that a referenced parent recorded for the ID, for an object without a recorded origin. */
export function originOfReferred(at: Located, id: string): string | undefined {
  const used = parentsOf(at).map(({ parent }) => parent && usedOf(at.environment, parent));
  return used.find((one) => one?.id === id)?.origin;
}

/**
 * Manages settings. A setting always exists, so the operator neither creates nor deletes it. The spec determines the
 * row, and the operator does not trust the status. If several objects name a setting, the strongest claim wins.
 */
import { nameOf } from "../kind/naming.ts";
import { claimPath } from "../model/note-claim.ts";
import { isAnother, originOf } from "../model/origin.ts";
import { beats, keptBack, managedBy, ownerOf } from "../model/owners.ts";
import { ensureRecorded } from "../store/record.ts";
import { putFinalizer } from "../store/finalizer.ts";
import type { JsonObject } from "../../api/types.ts";
import { differencesIn } from "../kind/fields.ts";
import { isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
import { claimsNothing } from "../kind/owned.ts";
import type { Kind } from "../kind/owned.ts";
import { finalizer } from "../kind/resource.ts";
import { parentsOf } from "../model/parents.ts";
import { findRow, isDesiredRow, proveUser, readRow } from "../read/lookup.ts";
import type { Located, Observed } from "../model/context.ts";
import { setCloudObject, toObserved } from "../model/context.ts";
import { usedOf } from "../model/referred.ts";
import { times } from "../kind/times.ts";

/**
 * Returns the object with its row. Throws `Waiting` if the row is missing, and `Stalled` if another object manages the
 * setting.
 */
export async function findSetting(ctx: Located): Promise<Observed> {
  const { kind, environment, collection, desired } = ctx;
  const id = await whichOf(ctx);
  const row = id === undefined ? undefined : await meantRow(ctx, id);
  if (id === undefined || !row)
    throw new Waiting(
      "Missing",
      `${nameOf(kind, id)}: the target does not exist in the cloud. The operator sets nothing. Create the target, or correct the spec`,
      times.quiet,
    );
  if (!isDesiredRow(ctx, row)) throw notOfReferred(ctx, id);
  if (kind.shownAt === "/profile" && id !== String(ctx.identity.uid)) await refuseOtherUser(ctx);
  if (claimsNothing(kind)) {
    ctx.next.id = id;
    return toObserved(ctx, { id, row });
  }
  const origin = originIn(kind, row);
  const isNew = ctx.next.id === id && isAnother(ctx.next.origin, origin);
  // The referenced cloud object can have been created again with the same ID.
  const referred = originOfReferred(ctx, id);
  if (isNew && origin !== referred) throw given(ctx, id);
  if (isAnother(referred, origin)) throw notReferred(kind, id);
  // Until the operator changes the setting, its values belong to a user.
  if (ctx.next.id !== id || isNew) setCloudObject(ctx, { id, origin, adopted: true });
  ctx.next.origin = kind.carrierField === undefined ? (ctx.next.origin ?? origin) : originOf(kind, row);
  if (ctx.observing) return toObserved(ctx, { id, row });
  const claimed = { collection: claimPath(kind, collection.path), id };
  const owner = ownerOf(environment, ctx.object, claimed);
  if (owner && beats(ctx, owner)) throw keptBack(ctx, owner, managedBy(ctx, owner, id, { isOnly: !kind.which }));
  environment.claims.note(ctx.key, { ...claimed, naturalKey: {} });
  if (differencesIn(kind, desired, row).length > 0) refuseTaking(ctx);
  if (kind.undo && !ctx.object.metadata.finalizers?.includes(finalizer))
    ctx.object = await putFinalizer(environment, kind, ctx.object);
  return toObserved(ctx, { id, row });
}

/** Throws if the row belongs to a different user. A gateway can show a wrong profile for a moment. */
async function refuseOtherUser(ctx: Located): Promise<never> {
  await proveUser(ctx, ctx.startedAt);
  const what = "the cloud API temporarily showed the profile of a different user";
  throw new Waiting("CloudUnavailable", what, times.soon, { transient: true });
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
async function meantRow(ctx: Located, id: string): Promise<JsonObject | undefined> {
  const listed = await findRow(ctx, id);
  return listed === undefined || isDesiredRow(ctx, listed) ? listed : readRow(ctx, id);
}

function notOfReferred({ kind }: Located, id: string): Waiting {
  const what = `${nameOf(kind, id)}: the target does not belong to the referenced object`;
  const text = `${what}. The operator sets nothing, and reads both again`;
  return new Waiting("WaitingForReference", text, times.quiet, { byItself: true });
}

function given({ kind }: Located, id: string): Stalled {
  const what = `${nameOf(kind, id)}: the target is now a different cloud object with the same ID`;
  return new Stalled("Conflict", `${what}. The operator sets nothing. Delete this object, and create a new object`);
}

/** Returns the wait for the reference. The list can still show the former cloud object. */
function notReferred(kind: Kind, id: string): Waiting {
  const what = `${nameOf(kind, id)}: the referenced object lost its cloud object, and the ID now names a different one`;
  return new Waiting("WaitingForReference", `${what}. Read the conditions of the referenced object`, undefined, {
    byItself: true,
  });
}

/** Returns the ID that the spec or a copied value names. If the kind names no ID, returns the ID of the only row. */
async function whichOf(ctx: Located): Promise<string | undefined> {
  const { kind, desired } = ctx;
  if (kind.which) return kind.which(desired);
  // A list from before the creation of the parent does not show the row.
  return (await onlyOf(ctx)) ?? (await onlyOf(ctx, ctx.startedAt));
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
function refuseTaking(ctx: Located): void {
  const { environment, kind, spec, object, collection } = ctx;
  const taken = kind.takes?.(spec);
  if (taken === undefined) return;
  const owner = ownerOf(environment, object, { collection: claimPath(kind, collection.path), id: taken });
  if (owner) throw keptBack(ctx, owner, managedBy(ctx, owner, taken));
}

/** Sends a change. Records the setting as owned before the request leaves, and reverts the record after a refusal. */
export async function setAsOwn<T>(ctx: Located, send: () => Promise<T>): Promise<T> {
  const { adopted } = ctx.next;
  if (ctx.kind.shape === "setting") ctx.next.adopted = undefined;
  await ensureRecorded(ctx);
  try {
    return await send();
  } catch (error) {
    if (isHttpError(error) && error.outcome === "refused") ctx.next.adopted = adopted;
    throw error;
  }
}

/** Tests if a deletion changes nothing in the cloud. An object does not own a setting that it never changed. */
export function staysAsItIs({ kind, next }: Pick<Located, "kind" | "next">): boolean {
  return kind.undo === undefined || next.id === undefined || next.adopted === true;
}

/** Returns the origin that a referenced parent recorded for the ID, for an object without a recorded origin. */
export function originOfReferred(ctx: Located, id: string): string | undefined {
  const used = parentsOf(ctx).map(({ parent }) => parent && usedOf(ctx.environment, parent));
  return used.find((one) => one?.id === id)?.origin;
}

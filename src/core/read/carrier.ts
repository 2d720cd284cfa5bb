/**
 * Carriers. An address has no time of creation, and the cloud API can assign a released address to another instance. The operator
 * therefore records the instance, under its signature, as the origin of the address.
 */
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { recordOf } from "../model/known.ts";
import { isAnother, isCarried, originOf } from "../model/origin.ts";
import type { Located } from "../model/context.ts";
import { usedOf } from "../model/referred.ts";
import { resolveObject } from "./resolve-objects.ts";
import { naturalKey, shownKey } from "../kind/fields.ts";
import { isDecided } from "../kind/outcome.ts";
import type { ObjectReferenceTo } from "../kind/reference.ts";

/**
 * Returns true if the row is not the recorded cloud object. A new carrier is valid if the spec names the carrier, or if
 * an object of the namespace owns the carrier. Example: the operator ended between a move and the write of the record.
 */
export async function isReassigned(ctx: Located, row: JsonObject): Promise<boolean> {
  if (!isAnother(ctx.next.origin, originOf(ctx.kind, row))) return false;
  return !isCarried(ctx.kind) || !(await isCarriedByOwn(ctx, row));
}

/** Returns true if the cloud shows the ID with a carrier that differs from the record of the other object. The record proves nothing then. */
export async function isOutdated(ctx: Located, other: KubeObject, id: string): Promise<boolean> {
  if (!isCarried(ctx.kind)) return false;
  const row = (await ctx.session.observer.snapshot(ctx.collection, { urgent: ctx.urgent })).rows.get(id);
  return row !== undefined && isAnother(recordOf(ctx.environment, other).origin, originOf(ctx.kind, row));
}

async function isCarriedByOwn(ctx: Located, row: JsonObject): Promise<boolean> {
  const shown = shownKey(ctx.kind, row);
  const { environment, object, kind } = ctx;
  // The operator does not check the names of a spec before a deletion.
  if (isDeepStrictEqual(naturalKeyWith(ctx, ctx.desired.refs), shown))
    return object.metadata.deletionTimestamp === undefined;
  const { namespace } = object.metadata;
  for (const [name, reference] of Object.entries(kind.references ?? {})) {
    if ("secret" in reference || reference.kind === undefined) continue;
    const others = environment.caches.get(reference.kind)?.list(namespace) ?? [];
    const carrier = others.find((other) =>
      isDeepStrictEqual(naturalKeyWith(ctx, { [name]: resolvedCarrier(ctx, other) }), shown),
    );
    if (carrier && (await isUsable(ctx, `spec.${name}`, reference, carrier))) return true;
  }
  return false;
}

/** Returns the natural key with these references; undefined while a reference does not show the key. */
function naturalKeyWith(ctx: Located, refs: object): JsonObject | undefined {
  try {
    return naturalKey(ctx.kind, { ...ctx.desired, refs: refs as Located["desired"]["refs"] });
  } catch (error) {
    if (isDecided(error)) return undefined;
    throw error;
  }
}

function resolvedCarrier({ environment }: Located, other: KubeObject): object | undefined {
  const { id } = usedOf(environment, other);
  return id === undefined ? undefined : { id, name: other.metadata.name, status: other.status ?? {}, spec: other.spec };
}

/**
 * Returns false if the cloud object of the carrier is missing or replaced, or if the namespace may not use the cloud
 * object.
 */
async function isUsable(
  ctx: Located,
  field: string,
  reference: ObjectReferenceTo<Record<string, unknown>>,
  { metadata }: KubeObject,
): Promise<boolean> {
  try {
    await resolveObject(ctx, field, reference, { name: metadata.name }, {});
    return true;
  } catch (error) {
    if (isDecided(error)) return false;
    throw error;
  }
}

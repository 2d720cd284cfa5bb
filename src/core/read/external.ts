/** Resolves a reference by ID to a cloud object that no custom resource manages. */
import type { JsonObject } from "../../api/types.ts";
import type { Snapshot } from "../../observe/types.ts";
import { isAnother, originOf } from "../model/origin.ts";
import { nameFor, ownerOf } from "../model/owners.ts";
import { nearest } from "../kind/catalog.ts";
import { Invalid, isHttpError } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import { isContained } from "../kind/reference.ts";
import type { Resolved } from "../kind/reference.ts";
import type { Connected } from "../model/context.ts";
import { collectionOf } from "../model/context.ts";
import { collectionOfIds } from "../model/referred.ts";
import { wholeList } from "./whole-list.ts";

/** Arguments of `listPath` for a top-level collection, whose path needs no spec and no references. */
const nothing = { name: "", namespace: "", spec: {}, refs: {} };

/**
 * Controls how a reference is resolved.
 * - `creating`: a creation follows. Resolves Secrets, and references that only a creation needs.
 * - `anew`: ignores reads from before the start of the reconcile.
 * - `oneOfMany`: a failed read of one entry does not stop the object. The operator reads the entry again before a
 *   request names the ID.
 * - `partly`: leaves out list entries that cannot be resolved.
 */
export interface Needs {
  creating?: boolean;
  anew?: boolean;
  oneOfMany?: boolean;
  partly?: boolean;
}

/**
 * Resolves a reference by ID. Throws `Invalid` if a custom resource manages the cloud object, or if the cloud object
 * does not exist.
 */
export async function resolveExternal(
  ctx: Connected,
  field: string,
  kind: string,
  id: string,
  { creating = false, anew = false, oneOfMany = false }: Needs,
): Promise<Resolved> {
  const { environment } = ctx;
  const known = environment.kinds.get(kind);
  const path = known && collectionOfIds(known);
  const manager = path === undefined ? undefined : ownerOf(environment, ctx.object, { collection: path, id });
  if (manager)
    throw new Invalid(
      field,
      `${nameFor(ctx, manager)} manages ${kind} ${id}. The operator sends no request. Refer to the object by name`,
    );
  const isNeeded = creating || anew || !oneOfMany || ctx.kind.shape === "once";
  const row = await requireInCloud(ctx, { field, of: kind, id }, anew).catch((error: unknown) => {
    if (isNeeded || !isHttpError(error)) throw error;
    return undefined;
  });
  if (known && row && ctx.kind.shape === "once") requireMeant(ctx, field, { of: known, id, row }, creating);
  const origin = known && row && originOf(known, row);
  return { id, ...(row && { row }), ...(origin !== undefined && { origin }) };
}

/**
 * Returns the row of an ID. Throws `Invalid` if the cloud object does not exist. Returns undefined for a contained
 * kind, such as the disk of an instance: the path of a disk needs the instance, and the request with the ID reports a
 * wrong ID. All references to an ID share one GET until the resync.
 */
async function requireInCloud(
  ctx: Connected,
  { field, of, id }: { field: string; of: string; id: string },
  anew: boolean,
): Promise<JsonObject | undefined> {
  const { environment, session, urgent } = ctx;
  const kind = environment.kinds.get(of);
  if (!kind || isContained(kind)) return undefined;
  const collection = collectionOf(kind, kind.listPath(nothing));
  try {
    // An action applies to the cloud object that has the ID now.
    const after = (anew || ctx.kind.shape === "once") && { after: ctx.startedAt };
    return (await session.observer.detail(collection.itemPath(id), { urgent, ...after })) as JsonObject | undefined;
  } catch (error) {
    if (!isHttpError(error) || error.status !== 404) throw error;
  }
  if (session.restricted)
    throw new Invalid(
      field,
      `the user of the token is restricted, and does not see ${of} ${id}. Correct the ID, or give the user a grant`,
    );
  // Only a later complete list without the ID proves the 404.
  const { rows } = await listedWith(ctx, kind, id);
  const row = rows.get(id);
  if (row) return row;
  const near = kind.amongPath && rows.size > 0 ? `. Similar IDs: ${nearest(id, [...rows.keys()]).join(", ")}` : "";
  throw new Invalid(field, `${of} ${id} does not exist in the account. Correct the ID${near}`);
}

/**
 * Returns a list from after the start of the reconcile. Prefers the shorter list of one cluster, because a failure of
 * another cluster must not affect the reference.
 */
async function listedWith(ctx: Connected, kind: Kind, id: string): Promise<Snapshot> {
  const collection = collectionOf(kind, kind.listPath(nothing));
  const path = kind.amongPath?.(id);
  const whole = () => wholeList(ctx, collection);
  if (path === undefined) return whole();
  return wholeList(ctx, { ...collection, path }).catch((error: unknown) => {
    // A 404 for the list of a cluster does not prove that the ID is absent.
    if (isHttpError(error) && error.status === 404) return whole();
    throw error;
  });
}

/**
 * Throws `Invalid` if a request is about to leave and the ID has another origin than at first. The cloud can assign an
 * ID again while an action waits, for example for an approval.
 */
function requireMeant(
  ctx: Connected,
  field: string,
  { of, id, row }: { of: Kind; id: string; row: JsonObject },
  creating: boolean,
): void {
  const origin = originOf(of, row);
  if (origin === undefined) return;
  const { remembered, next } = ctx;
  // The status keeps the first origin. Otherwise the next process would accept a reassigned ID.
  const meant = { ...next.applied, ...remembered.meant };
  meant[field] ??= origin;
  remembered.meant = meant;
  next.applied = meant;
  if (!creating || !isAnother(meant[field], origin)) return;
  throw new Invalid(
    field,
    `${of.kind} ${id} is now a different cloud object than at the creation of this object. The operator sends no request. Create a new object`,
  );
}

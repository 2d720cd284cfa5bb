/** What an id in a spec refers to: a cloud object that no object manages. */
import type { JsonObject } from "../../api/types.ts";
import type { Snapshot } from "../../observe/types.ts";
import { isAnother, originOf } from "../model/origin.ts";
import { nameFor, ownerOf } from "../model/ownership.ts";
import { nearest } from "../kind/catalog.ts";
import { Invalid, isHttpError } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import { isContained } from "../kind/reference.ts";
import type { Resolved } from "../kind/reference.ts";
import type { Connected } from "../model/context.ts";
import { collectionOf } from "../model/context.ts";
import { collectionOfIds } from "../model/referred.ts";
import { wholeList } from "./whole-list.ts";

/** What a list that is not within another object is named by. */
const nothing = { name: "", namespace: "", spec: {}, refs: {} };

/**
 * `creating`: a creation follows, which needs its Secrets and what is needed only to create; what is there already, or is
 * searched for, is found without them. `anew`: nothing that was read before the reconcile's start will do. `oneOfMany`: what
 * cannot be read now keeps only itself waiting, since it is read before a request that names it leaves. `partly`: entries of
 * lists that cannot be resolved are left out.
 */
export interface Needs {
  creating?: boolean;
  anew?: boolean;
  oneOfMany?: boolean;
  partly?: boolean;
}

/** Throws `Invalid` for what cannot be meant. */
export async function resolveExternal(
  at: Connected,
  field: string,
  kind: string,
  id: string,
  { creating = false, anew = false, oneOfMany = false }: Needs,
): Promise<Resolved> {
  const { environment } = at;
  const known = environment.kinds.get(kind);
  const path = known && collectionOfIds(known);
  const manager = path === undefined ? undefined : ownerOf(environment, at.object, { collection: path, id });
  if (manager)
    throw new Invalid(
      field,
      `${kind} ${id} is managed by ${nameFor(at, manager)}. Nothing is sent. Refer to it by name`,
    );
  const isNeeded = creating || anew || !oneOfMany || at.kind.shape === "once";
  const row = await requireInCloud(at, { field, of: kind, id }, anew).catch((error: unknown) => {
    if (isNeeded || !isHttpError(error)) throw error;
    return undefined;
  });
  if (known && row && at.kind.shape === "once") requireMeant(at, field, { of: known, id, row }, creating);
  const origin = known && row && originOf(known, row);
  return { id, ...(row && { row }), ...(origin !== undefined && { origin }) };
}

/**
 * What has this id; throws `Invalid` where nothing has. One GET for all who refer to it, kept until the slow pass. An id within
 * another object (a disk of an instance) is no path on its own: the call that uses it finds out.
 */
async function requireInCloud(
  at: Connected,
  { field, of, id }: { field: string; of: string; id: string },
  anew: boolean,
): Promise<JsonObject | undefined> {
  const { environment, session, urgent } = at;
  const kind = environment.kinds.get(of);
  if (!kind || isContained(kind)) return undefined;
  const collection = collectionOf(kind, kind.at(nothing));
  try {
    // What runs once is done to what has the id now.
    const after = (anew || at.kind.shape === "once") && { after: at.startedAt };
    return (await session.observer.detail(collection.itemPath(id), { urgent, ...after })) as JsonObject | undefined;
  } catch (error) {
    if (!isHttpError(error) || error.status !== 404) throw error;
  }
  if (session.restricted)
    throw new Invalid(
      field,
      `the restricted user of the token cannot see a ${of} ${id}. Correct the id, or give the user a grant for it`,
    );
  // Only a whole list without it, read since, proves the 404.
  const { rows } = await listedWith(at, kind, id);
  const row = rows.get(id);
  if (row) return row;
  const near = kind.amongPath && rows.size > 0 ? `. Nearest are: ${nearest(id, [...rows.keys()]).join(", ")}` : "";
  throw new Invalid(field, `no ${of} ${id} exists in the account. Correct the id${near}`);
}

/** A list that was begun since: the shorter one that would have the row, where there is one. Another cluster cannot fail it. */
async function listedWith(at: Connected, kind: Kind, id: string): Promise<Snapshot> {
  const collection = collectionOf(kind, kind.at(nothing));
  const path = kind.amongPath?.(id);
  const whole = () => wholeList(at, collection);
  if (path === undefined) return whole();
  return wholeList(at, { ...collection, path }).catch((error: unknown) => {
    // A cluster that is not there proves nothing by itself.
    if (isHttpError(error) && error.status === 404) return whole();
    throw error;
  });
}

/**
 * Ids are used again while an object waits: for an instance that is busy, for an approval, for a Secret. Throws `Invalid` where a
 * request is about to leave and the id means another one than at first.
 */
function requireMeant(
  at: Connected,
  field: string,
  { of, id, row }: { of: Kind; id: string; row: JsonObject },
  creating: boolean,
): void {
  const origin = originOf(of, row);
  if (origin === undefined) return;
  const { remembered, next } = at;
  // In the status as well: a process that begins later must not take what it meets first for what was meant.
  const meant = { ...next.applied, ...remembered.meant };
  meant[field] ??= origin;
  remembered.meant = meant;
  next.applied = meant;
  if (!creating || !isAnother(meant[field], origin)) return;
  throw new Invalid(
    field,
    `${of.kind} ${id} is another cloud object than the one that had this id when the object was created. Nothing is sent. Create another object for it`,
  );
}

/**
 * Lists with an ID in every row. A row without an ID can be any cloud object, so a list with such a row proves no
 * absence.
 */
import type { JsonObject } from "../../api/types.ts";
import type { Collection, Snapshot } from "../../observe/types.ts";
import { Stalled } from "../kind/outcome.ts";
import type { Connected } from "../model/context.ts";
import { times } from "../kind/times.ts";

/**
 * Returns a list of a collection that began at or after `after`, clock milliseconds. Throws `Stalled` if a row has no
 * ID, even in a list from after the start of the reconcile.
 */
export async function wholeList(
  { session, startedAt, urgent }: Connected,
  collection: Collection,
  after = startedAt,
): Promise<Snapshot> {
  const { observer } = session;
  const known = await observer.snapshot(collection, { after, urgent });
  if (known.whole) return known;
  const now = await observer.snapshot(collection, { after: startedAt, urgent });
  if (!now.whole) throw notWhole(collection.path);
  return now;
}

/** Returns a list in which every row can be read. Throws `Stalled` otherwise. */
export async function readableList(ctx: Connected, collection: Collection): Promise<Snapshot> {
  const list = await wholeList(ctx, collection);
  const [unread] = list.unreadable;
  if (!unread) return list;
  const [id, { reason }] = unread;
  const what = `${id} in GET ${collection.path} cannot be read (${reason}), and may be what is meant`;
  throw new Stalled(
    "Unreadable",
    `${what}. Correct it in the cloud, or name what is meant by its id or address`,
    times.short,
  );
}

/** Throws `Stalled` if a row has no ID. For lists without a snapshot. */
export function requireIDs(list: Pick<Collection, "path" | "idOf">, rows: JsonObject[]): void {
  if (!rows.every((row) => hasID(row, list.idOf))) throw notWhole(list.path);
}

function hasID(row: JsonObject, idOf: Collection["idOf"]): boolean {
  try {
    return idOf(row) !== "";
  } catch {
    return false;
  }
}

function notWhole(path: string): Stalled {
  const what = `GET ${path} lists a row without an id, which may be any`;
  return new Stalled(
    "Unreadable",
    `${what}. Until it has one, what the list lacks is not taken to be absent`,
    times.short,
  );
}

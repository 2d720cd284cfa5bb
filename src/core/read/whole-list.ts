/** A list that shows each row by its id. A row without one may be any, so what such a list lacks may be there. */
import type { JsonObject } from "../../api/types.ts";
import type { Collection, Snapshot } from "../../observe/types.ts";
import { Stalled } from "../kind/outcome.ts";
import type { Connected } from "../model/context.ts";
import { times } from "../kind/times.ts";

/**
 * The rows of a collection, as listed at or after `after` (clock milliseconds), where an absence in it proves something. Throws
 * `Stalled` where a row has no id, also in a list of this reconcile.
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

/** …and each of its rows can be read. Throws `Stalled` where one cannot. */
export async function readableList(at: Connected, collection: Collection): Promise<Snapshot> {
  const list = await wholeList(at, collection);
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

/** Throws `Stalled` where a row has no id: for a list of which no snapshot is kept. */
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

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
  if (!now.whole) throw notWhole();
  return now;
}

/** Returns a list in which every row can be read. Throws `Stalled` otherwise. */
export async function readableList(ctx: Connected, collection: Collection): Promise<Snapshot> {
  const list = await wholeList(ctx, collection);
  const [unread] = list.unreadable;
  if (!unread) return list;
  const [id, { reason }] = unread;
  const what = `the operator cannot read the cloud object ${id} of the list (${reason}), which is perhaps the match`;
  throw new Stalled(
    "Unreadable",
    `${what}. Correct the cloud object, or name the match by its ID or address`,
    times.short,
  );
}

/** Throws `Stalled` if a row has no ID. For lists without a snapshot. */
export function requireIDs(list: Pick<Collection, "idOf">, rows: JsonObject[]): void {
  if (!rows.every((row) => hasID(row, list.idOf))) throw notWhole();
}

function hasID(row: JsonObject, idOf: Collection["idOf"]): boolean {
  try {
    return idOf(row) !== "";
  } catch {
    return false;
  }
}

function notWhole(): Stalled {
  const what = "a list of the cloud API contains an entry without an ID";
  const text = `${what}. Until the entry has an ID, the list does not prove that a cloud object is absent`;
  return new Stalled("Unreadable", text, times.short);
}

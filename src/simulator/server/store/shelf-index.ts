import { createOrderedRows } from "./ordered-rows.ts";
import type { OrderedRows, Placed } from "./ordered-rows.ts";

/** Returns the keys of a row. Comparison ignores case. */
export type KeysOf = (row: object) => readonly string[];

/** Finds rows of a shelf by key. The index is updated with each change, so a search never builds the index. */
export interface ShelfIndex {
  /** Returns the rows with the key, oldest first. */
  rows(key: string): readonly object[];
  /** Adds a row, or replaces the previous version. */
  put(entry: Placed, before?: Placed): void;
  remove(entry: Placed): void;
}

export function createIndex(keysOf: KeysOf): ShelfIndex {
  // Most keys have one row. A list for each key would use most of the index's memory.
  const found = new Map<string, Placed | OrderedRows>();
  const drop = ({ order }: Placed, key: string): void => {
    const held = found.get(key);
    if (held === undefined) return;
    if (isList(held)) held.remove(order);
    if (isList(held) ? held.size() === 0 : held.order === order) found.delete(key);
  };
  const add = (entry: Placed, key: string): void => {
    const held = found.get(key);
    if (held === undefined || (!isList(held) && held.order === entry.order)) found.set(key, entry);
    else if (isList(held)) held.put(entry);
    else found.set(key, listOf(held, entry));
  };
  return {
    rows(key) {
      const held = found.get(key);
      return held === undefined ? [] : isList(held) ? held.rows() : [held.row];
    },
    put(entry, before) {
      const keys = keysOf(entry.row);
      if (before) for (const key of keysOf(before.row)) if (!keys.includes(key)) drop(before, key);
      for (const key of keys) add(entry, key);
    },
    remove(entry) {
      for (const key of keysOf(entry.row)) drop(entry, key);
    },
  };
}

function listOf(...entries: Placed[]): OrderedRows {
  const list = createOrderedRows();
  for (const entry of entries) list.put(entry);
  return list;
}

function isList(held: Placed | OrderedRows): held is OrderedRows {
  return "put" in held;
}

import { createOrderedRows } from "./ordered-rows.ts";
import type { OrderedRows, Placed } from "./ordered-rows.ts";

/** Returns the keys of a row: texts, compared without case. */
export type KeysOf = (row: object) => readonly string[];

/** Finds the rows of one shelf by their keys. The index follows each row from the start, so a search never has to build it. */
export interface ShelfIndex {
  /** Returns the rows under a key, oldest first. */
  rows(key: string): readonly object[];
  /** Adds a row, or replaces its former version. */
  put(entry: Placed, before?: Placed): void;
  remove(entry: Placed): void;
}

export function createIndex(keysOf: KeysOf): ShelfIndex {
  // Most keys have one row. A list for each would take most of the memory that an index of a long table needs.
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

/** What a row is found by: texts, compared without case. */
export type KeysOf = (row: object) => readonly string[];

/** The rows of one shelf by what they are found by. */
export interface ShelfIndex {
  /** The ids under a key, oldest row first. */
  ids(key: string): readonly string[];
  /** Takes a row in, in place of what it was before. */
  add(id: string, row: object, before?: object): void;
  remove(id: string, row: object): void;
}

interface Rows {
  readonly rows: ReadonlyMap<string, { readonly row: object; readonly order: number }>;
  readonly indexes: Map<string, ShelfIndex>;
}

/** The index of this name; made of all rows when it is first asked for, and kept up to date from then on. */
export function indexOf(shelf: Rows, name: string, keysOf: KeysOf): ShelfIndex {
  const known = shelf.indexes.get(name);
  if (known) return known;
  const made = createIndex(shelf.rows, keysOf);
  for (const [id, { row }] of shelf.rows) made.add(id, row);
  shelf.indexes.set(name, made);
  return made;
}

export function addToIndexes(indexes: Rows["indexes"], id: string, row: object, before: object | undefined): void {
  for (const index of indexes.values()) index.add(id, row, before);
}

export function removeFromIndexes(indexes: Rows["indexes"], id: string, row: object): void {
  for (const index of indexes.values()) index.remove(id, row);
}

function createIndex(rows: Rows["rows"], keysOf: KeysOf): ShelfIndex {
  // Most keys have one row. A Set for each would take most of the time that an index of a long table needs.
  const found = new Map<string, string | Set<string>>();
  const drop = (id: string, key: string): void => {
    const ids = found.get(key);
    if (ids === id || (ids instanceof Set && ids.delete(id) && ids.size === 0)) found.delete(key);
  };
  return {
    ids(key) {
      const ids = found.get(key) ?? [];
      return typeof ids === "string" ? [ids] : [...ids].toSorted((a, b) => orderOf(rows, a) - orderOf(rows, b));
    },
    add(id, row, before) {
      const keys = keysOf(row);
      if (before) for (const key of keysOf(before)) if (!keys.includes(key)) drop(id, key);
      for (const key of keys) {
        const ids = found.get(key);
        if (ids === undefined) found.set(key, id);
        else if (ids instanceof Set) ids.add(id);
        else if (ids !== id) found.set(key, new Set([ids, id]));
      }
    },
    remove(id, row) {
      for (const key of keysOf(row)) drop(id, key);
    },
  };
}

function orderOf(rows: Rows["rows"], id: string): number {
  return rows.get(id)?.order ?? 0;
}

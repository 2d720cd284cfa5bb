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
  readonly rows: ReadonlyMap<string, { readonly row: object }>;
  readonly indexes: Map<string, ShelfIndex>;
}

/** The index of this name; made of all rows when it is first asked for, and kept up to date from then on. */
export function indexOf(shelf: Rows, name: string, keysOf: KeysOf): ShelfIndex {
  const known = shelf.indexes.get(name);
  if (known) return known;
  const made = createIndex(keysOf);
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

function createIndex(keysOf: KeysOf): ShelfIndex {
  const idsByKey = new Map<string, Map<string, number>>();
  const ages = new Map<string, number>();
  let oldest = 0;
  const drop = (id: string, keys: readonly string[]): void => {
    for (const key of keys) {
      const ids = idsByKey.get(key);
      ids?.delete(id);
      if (ids?.size === 0) idsByKey.delete(key);
    }
  };
  return {
    ids: (key) =>
      Array.from(idsByKey.get(key) ?? [])
        .toSorted(([, a], [, b]) => a - b)
        .map(([id]) => id),
    add(id, row, before) {
      const age = ages.get(id) ?? oldest++;
      ages.set(id, age);
      const keys = keysOf(row);
      if (before)
        drop(
          id,
          keysOf(before).filter((key) => !keys.includes(key)),
        );
      for (const key of keys) idsByKey.set(key, (idsByKey.get(key) ?? new Map<string, number>()).set(id, age));
    },
    remove(id, row) {
      ages.delete(id);
      drop(id, keysOf(row));
    },
  };
}

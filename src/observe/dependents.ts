import type { Collection } from "./types.ts";

export interface Dependency {
  collection: Collection;
  id: string;
  /** Clock time since when the caller expects a change of the row soon. */
  transitional?: number | undefined;
}

export interface Dependents {
  /** Replaces the rows of a key. An empty list forgets the key. */
  set(key: string, rows: Dependency[]): void;
  /** Ends the expectation of a change: the key is settled. */
  rest(key: string): void;
  /** Returns the keys that depend on a row. */
  keysOf(path: string, id: string): string[];
  /** Returns the keys that depend on the row of a path: the path of the row, or a path below. */
  keysAbove(path: string): string[];
  uses(path: string, id?: string): boolean;
  /** Returns the rows of a collection that a key expects to change soon. */
  transitional(path: string): ReadonlySet<string>;
  /** Returns the latest clock time since when a key expects a change, including keys that have settled. */
  transitionalSince(path: string): number;
  empty(): boolean;
}

interface Row {
  itemPath: string;
  keys: Keys;
}

/** The time since when each key expects a change. A string stands for a single key without an expectation. */
type Keys = string | Map<string, number | undefined>;

interface Rows {
  byId: Map<string, Row>;
  transitional: Set<string>;
  transitionalSince: number;
}

interface State {
  byKey: Map<string, Dependency[]>;
  byPath: Map<string, Rows>;
  byItem: Map<string, Row>;
}

export function createDependents(): Dependents {
  const state: State = { byKey: new Map(), byPath: new Map(), byItem: new Map() };
  return {
    set: (key, rows) => set(state, key, rows),
    rest(key) {
      const rows = state.byKey.get(key) ?? [];
      if (rows.every(({ transitional }) => transitional === undefined)) return;
      set(
        state,
        key,
        rows.map(({ collection, id }) => ({ collection, id })),
      );
    },
    keysOf: (path, id) => namesIn(state.byPath.get(path)?.byId.get(id)),
    keysAbove: (path) => keysAbove(state, path),
    uses(path, id) {
      const rows = state.byPath.get(path);
      return rows !== undefined && (id === undefined || rows.byId.has(id));
    },
    transitional: (path) => state.byPath.get(path)?.transitional ?? NONE,
    transitionalSince: (path) => state.byPath.get(path)?.transitionalSince ?? -Infinity,
    empty: () => state.byKey.size === 0,
  };
}

const NONE: ReadonlySet<string> = new Set();

function set(state: State, key: string, rows: Dependency[]): void {
  const before = state.byKey.get(key) ?? [];
  // Each reconcile calls `set` with the same rows.
  if (isSame(before, rows)) return;
  if (rows.length === 0) state.byKey.delete(key);
  else state.byKey.set(key, rows);
  for (const { collection, id } of before) changeable(rowOf(state, collection, id)).delete(key);
  for (const { collection, id, transitional } of rows) {
    const keys = changeable(rowOf(state, collection, id));
    keys.set(key, transitional ?? keys.get(key));
  }
  for (const { collection, id } of [...before, ...rows]) settle(state, collection, id);
}

function isSame(before: Dependency[], rows: Dependency[]): boolean {
  if (before.length !== rows.length) return false;
  return rows.every(({ collection, id, transitional }, index) => {
    const known = before[index];
    return known?.id === id && known.transitional === transitional && known.collection.path === collection.path;
  });
}

function rowOf({ byPath, byItem }: State, collection: Collection, id: string): Row {
  const rows = byPath.get(collection.path) ?? newRows();
  const row = rows.byId.get(id) ?? { itemPath: collection.itemPath(id), keys: new Map<string, number | undefined>() };
  rows.byId.set(id, row);
  byPath.set(collection.path, rows);
  byItem.set(row.itemPath, row);
  return row;
}

/** Converts the keys to a map. `settle` converts a single key back to a string. */
function changeable(row: Row): Exclude<Keys, string> {
  const keys = mapOf(row.keys);
  row.keys = keys;
  return keys;
}

function mapOf(keys: Keys): Exclude<Keys, string> {
  return typeof keys === "string" ? new Map([[keys, undefined]]) : keys;
}

function namesIn(row: Row | undefined): string[] {
  if (row === undefined) return [];
  return typeof row.keys === "string" ? [row.keys] : [...row.keys.keys()];
}

function newRows(): Rows {
  return { byId: new Map<string, Row>(), transitional: new Set<string>(), transitionalSince: -Infinity };
}

/** Updates the values derived from the keys of a row. */
function settle({ byPath, byItem }: State, { path }: Collection, id: string): void {
  const rows = byPath.get(path);
  const row = rows?.byId.get(id);
  if (rows === undefined || row === undefined) return;
  const keys = mapOf(row.keys);
  const since = [...keys.values()].filter((one) => one !== undefined);
  if (since.length === 0) rows.transitional.delete(id);
  else {
    rows.transitional.add(id);
    rows.transitionalSince = Math.max(rows.transitionalSince, ...since);
  }
  const [first] = keys.keys();
  if (keys.size === 1 && since.length === 0 && first !== undefined) row.keys = first;
  if (keys.size > 0) return;
  rows.byId.delete(id);
  byItem.delete(row.itemPath);
  if (rows.byId.size === 0) byPath.delete(path);
}

function keysAbove({ byItem }: State, path: string): string[] {
  const keys = new Set<string>();
  const [whole = ""] = path.split("?");
  for (let end = whole.length; end > 0; end = whole.lastIndexOf("/", end - 1)) {
    for (const key of namesIn(byItem.get(whole.slice(0, end)))) keys.add(key);
  }
  return [...keys];
}

import type { Collection } from "./types.ts";

export interface Dependency {
  collection: Collection;
  id: string;
  /** Clock time since when the row is expected to change soon, where it is. */
  transitional?: number | undefined;
}

/** Which keys live by which rows. */
export interface Dependents {
  /** Replaces what the key said before; an empty list forgets it. */
  set(key: string, rows: Dependency[]): void;
  /** The key expects no change any more of the rows that it lives by. */
  rest(key: string): void;
  /** Keys that live by a row. */
  keysOf(path: string, id: string): string[];
  /** Keys that live by the row that a path belongs to: the item itself, or anything below it. */
  keysAbove(path: string): string[];
  uses(path: string, id?: string): boolean;
  /** Rows of a collection that some key expects to change soon. */
  transitional(path: string): ReadonlySet<string>;
  /** Clock time since when the youngest of them, or one that is settled by now, is expected to change. */
  transitionalSince(path: string): number;
  empty(): boolean;
}

/** A row that some key lives by. */
interface Row {
  itemPath: string;
  keys: Keys;
}

/** Since when each key expects a change, if it does. Nearly every row has one key that expects none: that is its text alone. */
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
  // Each reconcile says it again.
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

/** Until `settle` makes it one text again, where it can. */
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

/** Brings what follows from a row's keys up to date. */
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

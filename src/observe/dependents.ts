import type { Clock } from "../queue/clock.ts";
import type { Collection } from "./types.ts";

export interface Dependency {
  collection: Collection;
  id: string;
  /** As the key said before if not given. */
  transitional?: boolean;
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
  /** Clock time since when the last of them is expected to change. */
  transitionalSince(path: string): number;
  empty(): boolean;
}

/** A row that some key lives by; each key says whether it expects a change. */
interface Row {
  itemPath: string;
  keys: Map<string, boolean>;
}

interface Rows {
  byId: Map<string, Row>;
  transitional: Set<string>;
  transitionalSince: number;
}

interface State {
  clock: Pick<Clock, "now">;
  byKey: Map<string, Dependency[]>;
  byPath: Map<string, Rows>;
  byItem: Map<string, Row>;
}

export function createDependents(clock: Pick<Clock, "now">): Dependents {
  const state: State = { clock, byKey: new Map(), byPath: new Map(), byItem: new Map() };
  return {
    set: (key, rows) => set(state, key, rows),
    rest(key) {
      const rows = state.byKey.get(key) ?? [];
      if (rows.every(({ transitional }) => transitional === false)) return;
      set(
        state,
        key,
        rows.map(({ collection, id }) => ({ collection, id, transitional: false })),
      );
    },
    keysOf: (path, id) => [...(state.byPath.get(path)?.byId.get(id)?.keys.keys() ?? [])],
    keysAbove: (path) => keysAbove(state, path),
    uses(path, id) {
      const rows = state.byPath.get(path);
      return rows !== undefined && (id === undefined || rows.byId.has(id));
    },
    transitional: (path) => state.byPath.get(path)?.transitional ?? NONE,
    transitionalSince: (path) => state.byPath.get(path)?.transitionalSince ?? clock.now(),
    empty: () => state.byKey.size === 0,
  };
}

const NONE: ReadonlySet<string> = new Set();

function set(state: State, key: string, rows: Dependency[]): void {
  const before = state.byKey.get(key) ?? [];
  if (rows.length === 0) state.byKey.delete(key);
  else state.byKey.set(key, rows);
  const awaited = new Set<Row>();
  for (const { collection, id } of before) {
    const row = rowOf(state, collection, id);
    if (row.keys.get(key) === true) awaited.add(row);
    row.keys.delete(key);
  }
  for (const { collection, id, transitional } of rows) {
    const row = rowOf(state, collection, id);
    row.keys.set(key, (transitional ?? awaited.has(row)) || row.keys.get(key) === true);
  }
  for (const { collection, id } of [...before, ...rows]) settle(state, collection, id);
}

function rowOf({ clock, byPath, byItem }: State, collection: Collection, id: string): Row {
  const rows = byPath.get(collection.path) ?? newRows(clock);
  const row = rows.byId.get(id) ?? { itemPath: collection.itemPath(id), keys: new Map<string, boolean>() };
  rows.byId.set(id, row);
  byPath.set(collection.path, rows);
  byItem.set(row.itemPath, row);
  return row;
}

function newRows(clock: Pick<Clock, "now">): Rows {
  return { byId: new Map<string, Row>(), transitional: new Set<string>(), transitionalSince: clock.now() };
}

/** Brings what follows from a row's keys up to date. */
function settle({ clock, byPath, byItem }: State, { path }: Collection, id: string): void {
  const rows = byPath.get(path);
  const row = rows?.byId.get(id);
  if (rows === undefined || row === undefined) return;
  if (![...row.keys.values()].includes(true)) rows.transitional.delete(id);
  else if (!rows.transitional.has(id)) {
    rows.transitional.add(id);
    rows.transitionalSince = clock.now();
  }
  if (row.keys.size > 0) return;
  rows.byId.delete(id);
  byItem.delete(row.itemPath);
  if (rows.byId.size === 0) byPath.delete(path);
}

function keysAbove({ byItem }: State, path: string): string[] {
  const keys = new Set<string>();
  const [whole = ""] = path.split("?");
  for (let end = whole.length; end > 0; end = whole.lastIndexOf("/", end - 1)) {
    for (const key of byItem.get(whole.slice(0, end))?.keys.keys() ?? []) keys.add(key);
  }
  return [...keys];
}

import { createOrderedRows } from "./ordered-rows.ts";
import type { OrderedRows } from "./ordered-rows.ts";
import { createIndex } from "./shelf-index.ts";
import type { KeysOf, ShelfIndex } from "./shelf-index.ts";

/** One row with what is known of it beside its fields. */
export interface Entry {
  readonly row: object;
  readonly parent: string | null;
  readonly insertedAt: number;
}

/** A row that is on a shelf. */
export interface Shelved extends Entry {
  readonly id: string;
  readonly order: number;
}

/** The rows of one kind and account. */
export interface Shelf {
  readonly byId: Map<string, Shelved>;
  /** Oldest first, as are those below. */
  readonly rows: OrderedRows;
  /** The order of the next new row. */
  next: number;
  readonly children: Map<string, OrderedRows>;
  /** Indexes besides ID and parent, by their names. */
  readonly indexes: ReadonlyMap<string, ShelfIndex>;
}

/** The indexes of each kind of row, by their names. */
export type Declared = ReadonlyMap<string, ReadonlyMap<string, KeysOf>>;

/** All rows in memory, by kind and account, so that reads touch no disk. */
export interface Shelves {
  find(table: string, account: string): Shelf | undefined;
  /** Stores a row. A row that was on the shelf before returns to its place. */
  put(table: string, account: string, id: string, entry: Entry | Shelved): void;
  remove(table: string, account: string, id: string): void;
  /** The accounts that have had rows of this kind. */
  accounts(table: string): string[];
  /** When a row that was found here was first stored, epoch milliseconds. */
  insertedAt(row: object): number | undefined;
  /** Every row there is, those of a shelf oldest first. */
  entries(): Iterable<{ table: string; account: string; entry: Shelved }>;
  clear(): void;
}

export function createShelves(declared: Declared): Shelves {
  const tables = new Map<string, Map<string, Shelf>>();
  const insertedAt = new WeakMap<object, number>();
  const find = (table: string, account: string): Shelf | undefined => tables.get(table)?.get(account);
  const ensure = (table: string, account: string): Shelf => {
    const accounts = tables.get(table) ?? new Map<string, Shelf>();
    tables.set(table, accounts);
    const shelf = accounts.get(account) ?? createShelf(declared.get(table));
    accounts.set(account, shelf);
    return shelf;
  };
  return {
    find,
    put(table, account, id, entry) {
      insertedAt.set(entry.row, entry.insertedAt);
      putOn(ensure(table, account), id, entry);
    },
    remove(table, account, id) {
      const shelf = find(table, account);
      const entry = shelf?.byId.get(id);
      if (!shelf || !entry) return;
      shelf.byId.delete(id);
      shelf.rows.remove(entry.order);
      takeFromParent(shelf, entry);
      for (const index of shelf.indexes.values()) index.remove(entry);
    },
    accounts: (table) => [...(tables.get(table)?.keys() ?? [])],
    insertedAt: (row) => insertedAt.get(row),
    *entries() {
      for (const [table, accounts] of tables)
        for (const [account, shelf] of accounts) for (const entry of inOrder(shelf)) yield { table, account, entry };
    },
    clear: () => tables.clear(),
  };
}

/** Sorts, because a row that returned from a failed transaction is the last of the map, but not the newest. */
function inOrder({ byId }: Shelf): Shelved[] {
  return [...byId.values()].toSorted((left, right) => left.order - right.order);
}

function createShelf(indexes: ReadonlyMap<string, KeysOf> | undefined): Shelf {
  const made = Array.from(indexes ?? [], ([name, keysOf]) => [name, createIndex(keysOf)] as const);
  return { byId: new Map(), rows: createOrderedRows(), next: 0, children: new Map(), indexes: new Map(made) };
}

function putOn(shelf: Shelf, id: string, entry: Entry | Shelved): void {
  const before = shelf.byId.get(id);
  const order = "order" in entry ? entry.order : (before?.order ?? shelf.next++);
  const { row, parent, insertedAt } = entry;
  const stored: Shelved = { row, parent, insertedAt, id, order };
  shelf.byId.set(id, stored);
  shelf.rows.put(stored);
  for (const index of shelf.indexes.values()) index.put(stored, before);
  if (before && before.parent !== parent) takeFromParent(shelf, before);
  if (parent === null) return;
  const children = shelf.children.get(parent) ?? createOrderedRows();
  shelf.children.set(parent, children);
  children.put(stored);
}

function takeFromParent({ children }: Shelf, { parent, order }: Shelved): void {
  if (parent === null) return;
  const rows = children.get(parent);
  rows?.remove(order);
  if (rows?.size() === 0) children.delete(parent);
}

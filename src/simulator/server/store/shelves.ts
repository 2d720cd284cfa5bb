import { createOrderedRows } from "./ordered-rows.ts";
import type { OrderedRows } from "./ordered-rows.ts";
import { createIndex } from "./shelf-index.ts";
import type { KeysOf, ShelfIndex } from "./shelf-index.ts";

/** A stored row, with the data outside the fields. */
export interface Entry {
  readonly row: object;
  readonly parent: string | null;
  readonly insertedAt: number;
}

/** A row on a shelf. */
export interface Shelved extends Entry {
  readonly id: string;
  readonly order: number;
}

/** Rows of one kind and account. */
export interface Shelf {
  readonly byId: Map<string, Shelved>;
  /** Oldest first, like `children`. */
  readonly rows: OrderedRows;
  /** Order number of the next new row. */
  next: number;
  readonly children: Map<string, OrderedRows>;
  /** Indexes apart from ID and parent, by name. */
  readonly indexes: ReadonlyMap<string, ShelfIndex>;
}

/** Indexes of each kind of row, by name. */
export type Declared = ReadonlyMap<string, ReadonlyMap<string, KeysOf>>;

/** All rows in memory, by kind and account, so reads need no disk access. */
export interface Shelves {
  find(table: string, account: string): Shelf | undefined;
  /** Stores a row. A `Shelved` row returns to its old position. */
  put(table: string, account: string, id: string, entry: Entry | Shelved): void;
  remove(table: string, account: string, id: string): void;
  /** Returns the accounts that have or had rows of this kind. */
  accounts(table: string): string[];
  /** Returns the time of the first insert in epoch milliseconds, for a row from this store. */
  insertedAt(row: object): number | undefined;
  /** Returns all rows. The rows of a shelf are oldest first. */
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

/** Sorts, because a row that a failed transaction restored is last in the map, but not newest. */
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

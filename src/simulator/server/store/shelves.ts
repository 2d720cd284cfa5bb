import { addToIndexes, indexOf, removeFromIndexes } from "./shelf-index.ts";
import type { KeysOf, ShelfIndex } from "./shelf-index.ts";

/** One row with what is known of it beside its fields. */
export interface Entry {
  readonly row: object;
  readonly parent: string | null;
  readonly insertedAt: number;
}

/** The rows of one kind and account, oldest first. */
export interface Shelf {
  readonly rows: Map<string, Entry & { readonly order: number }>;
  /** The order of the next new row. */
  next: number;
  /** Ids of rows by their parent. */
  readonly children: Map<string, Set<string>>;
  /** What rows are found by beside key and parent, by its name. */
  readonly indexes: Map<string, ShelfIndex>;
}

/** All rows in memory, by kind and account, so that reads touch no disk. */
export interface Shelves {
  find(table: string, account: string): Shelf | undefined;
  put(table: string, account: string, id: string, entry: Entry): void;
  remove(table: string, account: string, id: string): void;
  /** The ids of rows that an index has under this key, oldest first. */
  indexed(table: string, account: string, index: { name: string; keysOf: KeysOf }, key: string): readonly string[];
  /** The accounts that have had rows of this kind. */
  accounts(table: string): string[];
  /** When a row that was found here was first stored, epoch milliseconds. */
  insertedAt(row: object): number | undefined;
  /** Every row there is. */
  entries(): Iterable<{ table: string; account: string; id: string; entry: Entry }>;
  /** All of them, or those of one kind and account. */
  clear(table?: string, account?: string): void;
}

export function createShelves(): Shelves {
  const tables = new Map<string, Map<string, Shelf>>();
  const insertedAt = new WeakMap<object, number>();
  const find = (table: string, account: string): Shelf | undefined => tables.get(table)?.get(account);
  return {
    find,
    put(table, account, id, entry) {
      insertedAt.set(entry.row, entry.insertedAt);
      putOn(shelfFor(tables, table, account), id, entry);
    },
    remove(table, account, id) {
      const shelf = find(table, account);
      const entry = shelf?.rows.get(id);
      if (!shelf || !entry) return;
      shelf.rows.delete(id);
      if (entry.parent !== null) shelf.children.get(entry.parent)?.delete(id);
      removeFromIndexes(shelf.indexes, id, entry.row);
    },
    indexed(table, account, { name, keysOf }, key) {
      const shelf = find(table, account);
      return shelf ? indexOf(shelf, name, keysOf).ids(key) : [];
    },
    accounts: (table) => [...(tables.get(table)?.keys() ?? [])],
    insertedAt: (row) => insertedAt.get(row),
    *entries() {
      for (const [table, accounts] of tables)
        for (const [account, shelf] of accounts)
          for (const [id, entry] of shelf.rows) yield { table, account, id, entry };
    },
    clear(table, account) {
      if (table === undefined || account === undefined) tables.clear();
      else tables.get(table)?.delete(account);
    },
  };
}

function shelfFor(tables: Map<string, Map<string, Shelf>>, table: string, account: string): Shelf {
  const accounts = tables.get(table) ?? new Map<string, Shelf>();
  tables.set(table, accounts);
  const shelf: Shelf = accounts.get(account) ?? { rows: new Map(), next: 0, children: new Map(), indexes: new Map() };
  accounts.set(account, shelf);
  return shelf;
}

function putOn(shelf: Shelf, id: string, entry: Entry): void {
  const before = shelf.rows.get(id);
  shelf.rows.set(id, { ...entry, order: before?.order ?? shelf.next++ });
  addToIndexes(shelf.indexes, id, entry.row, before?.row);
  if (before && before.parent === entry.parent) return;
  if (before && before.parent !== null) shelf.children.get(before.parent)?.delete(id);
  if (entry.parent === null) return;
  const children = shelf.children.get(entry.parent) ?? new Set<string>();
  shelf.children.set(entry.parent, children.add(id));
}

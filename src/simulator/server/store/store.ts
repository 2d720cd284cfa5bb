/*
 * Stores rows and contents in an embedded database.
 * Guarantees: a finished transaction survives a killed process, and a failed transaction has no effect.
 * Imports no other folder of the simulator.
 */
import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import { SCHEMA, entryOf } from "./row-format.ts";
import type { KeysOf } from "./shelf-index.ts";
import { createShelves } from "./shelves.ts";
import type { Declared, Shelves } from "./shelves.ts";
import { createUndo } from "./undo.ts";
import type { Undo } from "./undo.ts";

/** Describes a kind of row. `key` is unique within the account. `parent` makes `children()` fast. */
export interface Table<Row> {
  readonly name: string;
  readonly key: (row: Row) => string | number;
  readonly parent?: (row: Row) => string | number | null;
  /** Values for `find`, by index name. A list has one entry per item. Comparison ignores case. */
  readonly indexes?: Readonly<Record<string, (row: Row) => unknown>>;
  /** True for bookkeeping (jobs, events) that the ledger does not record. */
  readonly internal?: true;
}

/** The change of one row in a transaction. */
export interface Change {
  readonly change: "insert" | "update" | "remove";
  readonly table: string;
  readonly id: string;
}

/** A whole state as data, for snapshots. */
export interface Dump {
  rows: { table: string; account: string; id: string; parent: string | null; insertedAt: number; body: unknown }[];
  sequences: Record<string, number>;
}

/** Account of the shared rows: catalogs, tokens, accounts. */
export const SHARED = "";

/**
 * Stores rows as JSON in SQLite. All rows are in memory, so reads need no disk access.
 * Guarantees: a finished transaction survives a killed process. A failed transaction has no effect on file or memory.
 * Lists keep the order of creation. Rows are immutable: a change replaces the row.
 */
export class Store {
  /** For modules with separate tables, such as the ledger. */
  readonly database: DatabaseSync;
  readonly #now: () => number;
  readonly #declared: Declared;
  readonly #shelves: Shelves;
  readonly #sequences = new Map<string, number>();
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly #sequence: StatementSync;
  /** State of the current transaction. */
  #undo: Undo | undefined;
  #changes: Change[] = [];

  /** `indexed`: tables with indexes. */
  constructor(file: string, now: () => number, indexed: readonly Table<never>[]) {
    this.#declared = new Map(indexed.map((table) => [table.name, keysOfIndexes(table)]));
    this.#shelves = createShelves(this.#declared);
    this.database = new DatabaseSync(file);
    this.database.exec(SCHEMA);
    this.#now = now;
    this.#put = this.database.prepare(
      `INSERT INTO rows (kind, account, id, parent, inserted_at, body) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (kind, account, id) DO UPDATE SET parent = excluded.parent, body = excluded.body`,
    );
    this.#delete = this.database.prepare("DELETE FROM rows WHERE kind = ? AND account = ? AND id = ?");
    this.#sequence = this.database.prepare("INSERT OR REPLACE INTO sequences (name, value) VALUES (?, ?)");
    this.#load();
  }

  /** Runs `work` as one transaction. A nested transaction joins the outer transaction. */
  transaction<T>(work: () => T): T {
    if (this.#undo) return work();
    const undo = createUndo(this.#shelves, this.#sequences);
    this.#undo = undo;
    this.#changes = [];
    this.database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.database.exec("COMMIT");
      return result;
    } catch (error) {
      this.database.exec("ROLLBACK");
      undo.run();
      throw error;
    } finally {
      this.#undo = undefined;
    }
  }

  /** Returns the changes of the current transaction. */
  changes(): readonly Change[] {
    return this.#changes;
  }

  get<Row>(table: Table<Row>, account: string, id: string | number): Readonly<Row> | undefined {
    return this.#shelves.find(table.name, account)?.byId.get(String(id))?.row as Row | undefined;
  }

  /** Returns all rows of the account, oldest first. */
  all<Row>(table: Table<Row>, account: string): Readonly<Row>[] {
    return copied(this.#shelves.find(table.name, account)?.rows.rows());
  }

  /** Returns the rows with this parent, oldest first. */
  children<Row>(table: Table<Row>, account: string, parent: string | number): Readonly<Row>[] {
    return copied(this.#shelves.find(table.name, account)?.children.get(String(parent))?.rows());
  }

  /** Returns the number of rows with this parent. */
  count<Row>(table: Table<Row>, account: string, parent: string | number): number {
    return this.#shelves.find(table.name, account)?.children.get(String(parent))?.size() ?? 0;
  }

  /** Returns the rows with this value in an index, oldest first. Comparison ignores case. */
  find<Row>(table: Table<Row>, account: string, index: string, value: unknown): Readonly<Row>[] {
    if (!this.#declared.get(table.name)?.has(index)) throw new Error(`${table.name} has no index ${index}`);
    const [key = ""] = keysIn(value);
    return copied(this.#shelves.find(table.name, account)?.indexes.get(index)?.rows(key));
  }

  /** Returns the time of the first insert in epoch milliseconds, for a row from this store. */
  insertedAt(row: object): number | undefined {
    return this.#shelves.insertedAt(row);
  }

  /** Returns the accounts with rows of this kind. */
  accounts<Row>(table: Table<Row>): string[] {
    return this.#shelves.accounts(table.name);
  }

  /** Stores a new row, or replaces the row with the same key. */
  put<Row extends object>(table: Table<Row>, account: string, row: Row): Row {
    const id = String(table.key(row));
    const parent = table.parent?.(row) ?? null;
    const known = this.#shelves.find(table.name, account)?.byId.get(id);
    const entry = {
      row,
      parent: parent === null ? null : String(parent),
      insertedAt: known?.insertedAt ?? this.#now(),
    };
    this.#note(table, { change: known ? "update" : "insert", table: table.name, id });
    this.#undo?.changes(table.name, account, id, known);
    this.#put.run(table.name, account, id, entry.parent, entry.insertedAt, JSON.stringify(row));
    this.#shelves.put(table.name, account, id, entry);
    return row;
  }

  /** Replaces fields of an existing row. */
  patch<Row extends object>(table: Table<Row>, account: string, id: string | number, fields: Partial<Row>): Row {
    const row = this.get(table, account, id);
    if (row === undefined) throw new Error(`no ${table.name} ${id} to change`);
    return this.put(table, account, { ...row, ...fields });
  }

  /** Replaces fields of a row by the name of the table. The parent stays. */
  change(table: string, account: string, id: string | number, fields: Record<string, unknown>): void {
    const entry = this.#shelves.find(table, account)?.byId.get(String(id));
    if (!entry) throw new Error(`no ${table} ${id} to change`);
    this.put({ name: table, key: () => id, parent: () => entry.parent }, account, { ...entry.row, ...fields });
  }

  /** Returns true if the row existed. */
  remove<Row>(table: Table<Row>, account: string, id: string | number): boolean {
    const known = this.#shelves.find(table.name, account)?.byId.get(String(id));
    if (!known) return false;
    this.#note(table, { change: "remove", table: table.name, id: String(id) });
    this.#undo?.changes(table.name, account, String(id), known);
    this.#delete.run(table.name, account, String(id));
    this.#shelves.remove(table.name, account, String(id));
    return true;
  }

  /** Returns the next number of a sequence. Numbers are never reused, even after a restart. */
  nextId(name: string, first = 1): number {
    const value = Math.max((this.#sequences.get(name) ?? first - 1) + 1, first);
    this.#undo?.counts(name);
    this.#sequence.run(name, value);
    this.#sequences.set(name, value);
    return value;
  }

  /** Sets the next number of a sequence. It can be a used number. */
  setNextId(name: string, next: number): void {
    this.#undo?.counts(name);
    this.#sequence.run(name, next - 1);
    this.#sequences.set(name, next - 1);
  }

  dump(): Dump {
    const rows: Dump["rows"] = [];
    for (const { table, account, entry } of this.#shelves.entries())
      rows.push({ table, account, id: entry.id, parent: entry.parent, insertedAt: entry.insertedAt, body: entry.row });
    return { rows, sequences: Object.fromEntries(this.#sequences) };
  }

  /** Replaces all rows by the dump. Sequences keep the higher number, so IDs are never reused. */
  restore(dump: Dump): void {
    this.transaction(() => {
      this.database.exec("DELETE FROM rows");
      for (const { table, account, id, parent, insertedAt, body } of dump.rows)
        this.#put.run(table, account, id, parent, insertedAt, JSON.stringify(body));
      for (const [name, value] of Object.entries(dump.sequences))
        this.#sequence.run(name, Math.max(value, this.#sequences.get(name) ?? 0));
    });
    this.#load();
  }

  close(): void {
    this.database.close();
  }

  #note<Row>(table: Table<Row>, change: Change): void {
    if (this.#undo && !table.internal) this.#changes.push(change);
  }

  #load(): void {
    this.#shelves.clear();
    this.#sequences.clear();
    for (const row of this.database.prepare("SELECT * FROM rows ORDER BY seq").iterate())
      this.#shelves.put(String(row["kind"]), String(row["account"]), String(row["id"]), entryOf(row));
    for (const row of this.database.prepare("SELECT * FROM sequences").iterate())
      this.#sequences.set(String(row["name"]), Number(row["value"]));
  }
}

function keysOfIndexes({ indexes = {} }: Table<never>): Map<string, KeysOf> {
  return new Map(
    Object.entries(indexes).map(([name, valueOf]) => [name, (row: object) => keysIn(valueOf(row as never))]),
  );
}

/** Copies the rows, because the next change modifies the list. */
function copied<Row>(rows: readonly object[] = []): Readonly<Row>[] {
  return rows.slice() as Row[];
}

function keysIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(keyOf) : [keyOf(value)];
}

function keyOf(value: unknown): string {
  return String(value).toLowerCase();
}

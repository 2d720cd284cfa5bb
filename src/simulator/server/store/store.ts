/*
 * Rows and contents on an embedded database.
 * Guarantees: a finished transaction survives a killed process; a failed one leaves no trace.
 * Imports nothing of the simulator.
 */
import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import { SCHEMA, entryOf } from "./row-format.ts";
import type { KeysOf } from "./shelf-index.ts";
import { createShelves } from "./shelves.ts";
import type { Declared, Shelves } from "./shelves.ts";
import { createUndo } from "./undo.ts";
import type { Undo } from "./undo.ts";

/** How a kind of row is kept. `key` is unique within the account; `parent` makes `children()` fast. */
export interface Table<Row> {
  readonly name: string;
  readonly key: (row: Row) => string | number;
  readonly parent?: (row: Row) => string | number | null;
  /** What rows are found by without a look at all others; of a list, by each item. Names and texts are compared without case. */
  readonly indexes?: Readonly<Record<string, (row: Row) => unknown>>;
  /** Bookkeeping (jobs, events): not told to the ledger. */
  readonly internal?: true;
}

/** What one transaction did to one row. */
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

/** The account of what all accounts share: catalogs, tokens, accounts. */
export const SHARED = "";

/**
 * Rows as JSON in SQLite, with all of them indexed in memory, so that reads touch no disk.
 * Guarantees: a finished transaction survives a killed process; a failed one leaves no trace in the file or in memory;
 * lists keep the order of creation. Rows are values: they are replaced, never changed in place.
 */
export class Store {
  /** For modules that keep a table of their own (the ledger). */
  readonly database: DatabaseSync;
  readonly #now: () => number;
  readonly #declared: Declared;
  readonly #shelves: Shelves;
  readonly #sequences = new Map<string, number>();
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly #sequence: StatementSync;
  /** Of the transaction under way. */
  #undo: Undo | undefined;
  #changes: Change[] = [];

  /** `indexed`: the tables that have indexes. */
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

  /** Runs `work` as one unit: all of its writes are stored, or none. A transaction inside another joins it. */
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

  /** What the transaction under way has done so far. */
  changes(): readonly Change[] {
    return this.#changes;
  }

  get<Row>(table: Table<Row>, account: string, id: string | number): Readonly<Row> | undefined {
    return this.#shelves.find(table.name, account)?.byId.get(String(id))?.row as Row | undefined;
  }

  /** All rows of the account, oldest first. */
  all<Row>(table: Table<Row>, account: string): Readonly<Row>[] {
    return copied(this.#shelves.find(table.name, account)?.rows.rows());
  }

  /** The rows whose `parent` is this, oldest first. */
  children<Row>(table: Table<Row>, account: string, parent: string | number): Readonly<Row>[] {
    return copied(this.#shelves.find(table.name, account)?.children.get(String(parent))?.rows());
  }

  /** How many rows have this parent. */
  count<Row>(table: Table<Row>, account: string, parent: string | number): number {
    return this.#shelves.find(table.name, account)?.children.get(String(parent))?.size() ?? 0;
  }

  /** The rows that one of the table's indexes has under this value, oldest first; they may differ from it in case. */
  find<Row>(table: Table<Row>, account: string, index: string, value: unknown): Readonly<Row>[] {
    if (!this.#declared.get(table.name)?.has(index)) throw new Error(`${table.name} has no index ${index}`);
    const [key = ""] = keysIn(value);
    return copied(this.#shelves.find(table.name, account)?.indexes.get(index)?.rows(key));
  }

  /** When a row that was read here was first stored, epoch milliseconds. */
  insertedAt(row: object): number | undefined {
    return this.#shelves.insertedAt(row);
  }

  /** The accounts that have rows of this kind. */
  accounts<Row>(table: Table<Row>): string[] {
    return this.#shelves.accounts(table.name);
  }

  /** Stores a new row, or replaces the one with the same key. */
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

  /** Replaces some fields of a row that exists. */
  patch<Row extends object>(table: Table<Row>, account: string, id: string | number, fields: Partial<Row>): Row {
    const row = this.get(table, account, id);
    if (row === undefined) throw new Error(`no ${table.name} ${id} to change`);
    return this.put(table, account, { ...row, ...fields });
  }

  /** Replaces fields of a row of any kind by the kind's name; the row stays with its parent. */
  change(table: string, account: string, id: string | number, fields: Record<string, unknown>): void {
    const entry = this.#shelves.find(table, account)?.byId.get(String(id));
    if (!entry) throw new Error(`no ${table} ${id} to change`);
    this.put({ name: table, key: () => id, parent: () => entry.parent }, account, { ...entry.row, ...fields });
  }

  /** True if there was such a row. */
  remove<Row>(table: Table<Row>, account: string, id: string | number): boolean {
    const known = this.#shelves.find(table.name, account)?.byId.get(String(id));
    if (!known) return false;
    this.#note(table, { change: "remove", table: table.name, id: String(id) });
    this.#undo?.changes(table.name, account, String(id), known);
    this.#delete.run(table.name, account, String(id));
    this.#shelves.remove(table.name, account, String(id));
    return true;
  }

  /** The next number of a named sequence; numbers are never given twice, also after a restart. */
  nextId(name: string, first = 1): number {
    const value = Math.max((this.#sequences.get(name) ?? first - 1) + 1, first);
    this.#undo?.counts(name);
    this.#sequence.run(name, value);
    this.#sequences.set(name, value);
    return value;
  }

  /** The next number of a sequence, also one that was given before. */
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

  /** Replaces everything by the dump. Sequences go on from the higher number: an id is never reused. */
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

/** Copies the rows, because the list changes with the next row. */
function copied<Row>(rows: readonly object[] = []): Readonly<Row>[] {
  return rows.slice() as Row[];
}

function keysIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(keyOf) : [keyOf(value)];
}

function keyOf(value: unknown): string {
  return String(value).toLowerCase();
}

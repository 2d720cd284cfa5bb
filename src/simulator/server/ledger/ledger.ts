/*
 * Records every request for tests, and streams the entries.
 * Guarantees: append-only, in the order of arrival. Entries survive restarts with the rows.
 * Imports the form of the store's changes.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { Responses } from "./responses.ts";
import type { Change } from "../store/store.ts";

/** One request. Bodies contain secrets, because only the control side reads the ledger. */
export interface LedgerEntry {
  readonly id: number;
  /** Simulated time in epoch milliseconds. */
  readonly receivedAt: number;
  /** ID of the account. `token` is the label of the token. Both are null without a valid token. */
  readonly account: string | null;
  readonly token: string | null;
  readonly method: string;
  /** With the version segment, without the query, in the neutral word. */
  readonly path: string;
  readonly query: string;
  /** Declared path of the operation, such as `/compute/instances/{computeId}`. Null for an unknown path. */
  readonly operation: string | null;
  readonly body: string;
  /**
   * Status of the response, even if a fault prevented the response. Null for a request that was dropped before the operation ran.
   */
  readonly status: number | null;
  /** Time of the stored effect. Null without an effect. */
  readonly appliedAt: number | null;
  /** Time of the complete response. Null if the client got no complete response. */
  readonly repliedAt: number | null;
  readonly changes: readonly Change[];
  /** Kind of the fault that applied to the request. */
  readonly fault: string | null;
}

export type NewEntry = Omit<LedgerEntry, "id" | "repliedAt">;

/** Conditions of a read. An entry must match all given fields. */
export interface LedgerQuery {
  account?: string;
  token?: string;
  method?: string;
  /** With the version segment. Can end in `*`. */
  path?: string;
  /** A declared path, or a method and a path, such as `POST /compute/instances`. */
  operation?: string;
  status?: number;
  /** Kind of the fault that applied. */
  fault?: string;
  /** Entries after this ID. */
  sinceId?: number;
  applied?: boolean;
  /** Omits GET and HEAD. */
  mutating?: boolean;
  limit?: number;
  /** Limits the result to this number of the newest entries. */
  last?: number;
}

/** Limits of entries in a file and in memory. Above the limit, the oldest thousand entries are deleted. */
const KEPT = { file: 1_000_000, memory: 200_000 };

/** Limit of a stored body in characters. Documented fields are shorter. */
const BODY_KEPT = 131_072;

/** Gets the ID of a new entry, and again after the complete response. */
export type LedgerListener = (id: number) => void;

const SCHEMA = `CREATE TABLE IF NOT EXISTS ledger (id INTEGER PRIMARY KEY AUTOINCREMENT, received_at INTEGER NOT NULL,
  account TEXT, token TEXT, method TEXT NOT NULL, path TEXT NOT NULL, query TEXT NOT NULL, operation TEXT, body TEXT NOT NULL,
  status INTEGER, applied_at INTEGER, replied_at INTEGER, changes TEXT NOT NULL, fault TEXT)`;

/**
 * Records every request for tests: received → applied → replied.
 * The database stores the entries. With a file, the entries survive restarts and use no memory.
 */
export class Ledger {
  /** Texts of the newest responses. Lost at a restart. */
  readonly responses = new Responses();
  readonly #database: DatabaseSync;
  readonly #kept: number;
  readonly #listeners = new Set<LedgerListener>();
  readonly #insert: StatementSync;
  readonly #reply: StatementSync;

  constructor(database: DatabaseSync) {
    database.exec(SCHEMA);
    this.#database = database;
    this.#kept = database.location() === null ? KEPT.memory : KEPT.file;
    this.#insert = database.prepare(
      `INSERT INTO ledger (received_at, account, token, method, path, query, operation, body, status, applied_at, changes, fault)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#reply = database.prepare("UPDATE ledger SET replied_at = ? WHERE id = ?");
  }

  /** Adds an entry in the transaction of the request's effect. Returns the ID. */
  append(entry: NewEntry): number {
    const { receivedAt, account, token, method, path, query, operation, body, status, appliedAt, changes, fault } =
      entry;
    const values = [
      receivedAt,
      account,
      token,
      method,
      path,
      query,
      operation,
      body.slice(0, BODY_KEPT),
      status,
      appliedAt,
    ] as const;
    const id = Number(this.#insert.run(...values, JSON.stringify(changes), fault).lastInsertRowid);
    if (id % 1000 === 0) this.#database.prepare("DELETE FROM ledger WHERE id <= ?").run(id - this.#kept);
    this.#tell(id);
    return id;
  }

  /** Records a complete response. */
  replied(id: number, at: number): void {
    this.#reply.run(at, id);
    this.#tell(id);
  }

  /** Calls the listener for later entries. The returned function removes the listener. */
  listen(listener: LedgerListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Returns entries in the order of insertion. */
  read(query: LedgerQuery = {}): LedgerEntry[] {
    const { where, values } = conditions(query);
    const newestFirst = query.last !== undefined;
    const order = `ORDER BY id ${newestFirst ? "DESC" : "ASC"} LIMIT ?`;
    const rows = this.#database
      .prepare(`SELECT * FROM ledger WHERE ${where.join(" AND ")} ${order}`)
      .all(...values, query.last ?? query.limit ?? 100_000)
      .map(entryOf);
    return newestFirst ? rows.toReversed() : rows;
  }

  clear(): void {
    this.#database.exec("DELETE FROM ledger");
    this.responses.clear();
  }

  /** Calls listeners in a microtask, after the end of the entry's transaction. */
  #tell(id: number): void {
    if (this.#listeners.size === 0) return;
    queueMicrotask(() => this.#listeners.forEach((listener) => listener(id)));
  }
}

function conditions(query: LedgerQuery): { where: string[]; values: (string | number)[] } {
  const where = ["id > ?"];
  const values: (string | number)[] = [query.sinceId ?? 0];
  const [method, operation] = query.operation?.includes(" ")
    ? query.operation.split(" ")
    : [undefined, query.operation];
  const equal = { account: query.account, token: query.token, operation, status: query.status, fault: query.fault };
  for (const [column, wanted] of [...Object.entries(equal), ["method", query.method], ["method", method]] as const) {
    if (wanted === undefined) continue;
    where.push(`${column} = ?`);
    values.push(wanted);
  }
  if (query.path !== undefined) {
    where.push("path GLOB ?");
    values.push(query.path);
  }
  if (query.applied !== undefined) where.push(`applied_at IS ${query.applied ? "NOT " : ""}NULL`);
  if (query.mutating) where.push("method NOT IN ('GET', 'HEAD')");
  return { where, values };
}

function entryOf(row: Record<string, unknown>): LedgerEntry {
  const { received_at, applied_at, replied_at, changes, ...rest } = row;
  const times = { receivedAt: received_at, appliedAt: applied_at, repliedAt: replied_at };
  return { ...rest, ...times, changes: JSON.parse(String(changes)) as unknown } as unknown as LedgerEntry;
}

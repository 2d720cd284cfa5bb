/*
 * The record of every request, for tests to judge by, and its lines as they come.
 * Guarantees: append-only, in the order of arrival; it survives restarts with the rows.
 * Imports the form of the store's changes.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { Responses } from "./responses.ts";
import type { Change } from "../store/store.ts";

/** One request as the service saw it. Bodies keep their secrets: this is the control side. */
export interface LedgerEntry {
  readonly id: number;
  /** Epoch milliseconds of simulated time. */
  readonly receivedAt: number;
  /** Account and token label; null for a request without a valid token. */
  readonly account: string | null;
  readonly token: string | null;
  readonly method: string;
  /** With the version segment, without the query, in the neutral word. */
  readonly path: string;
  readonly query: string;
  /** The declared path of the operation, such as `/compute/instances/{computeId}`; null where nothing is there. */
  readonly operation: string | null;
  readonly body: string;
  /** What the answer said or would have said; null when the request was dropped unseen. */
  readonly status: number | null;
  /** When its effect was stored; null if it had none or was refused. */
  readonly appliedAt: number | null;
  /** When the answer left whole; null if the client never got it. */
  readonly repliedAt: number | null;
  readonly changes: readonly Change[];
  /** The fault that was played on it. */
  readonly fault: string | null;
}

export type NewEntry = Omit<LedgerEntry, "id" | "repliedAt">;

/** Which entries to read; each given field must match. */
export interface LedgerQuery {
  account?: string;
  token?: string;
  method?: string;
  /** With the version segment; it may end in `*`. */
  path?: string;
  /** A declared path, or a method and one: `POST /compute/instances`. */
  operation?: string;
  status?: number;
  /** The kind of fault that was played. */
  fault?: string;
  /** What came after this id. */
  sinceId?: number;
  applied?: boolean;
  /** Leaves out GET and HEAD. */
  mutating?: boolean;
  limit?: number;
  /** Of what matches, so many of the newest. */
  last?: number;
}

/** Entries that are kept in a file, and in memory; older ones go, a thousand at a time. */
const KEPT = { file: 1_000_000, memory: 200_000 };

/** So much of a body is kept, characters; the longest documented field is shorter. */
const BODY_KEPT = 131_072;

/** Hears the id of an entry that was added, and again when its answer has left whole. */
export type LedgerListener = (id: number) => void;

const SCHEMA = `CREATE TABLE IF NOT EXISTS ledger (id INTEGER PRIMARY KEY AUTOINCREMENT, received_at INTEGER NOT NULL,
  account TEXT, token TEXT, method TEXT NOT NULL, path TEXT NOT NULL, query TEXT NOT NULL, operation TEXT, body TEXT NOT NULL,
  status INTEGER, applied_at INTEGER, replied_at INTEGER, changes TEXT NOT NULL, fault TEXT)`;

/**
 * Append-only record of every request, for tests to judge by: received → applied → replied. It lives in the database:
 * it survives restarts with the rows, and takes no memory of its own where that is a file.
 */
export class Ledger {
  /** Texts of the newest responses; they do not survive a restart. */
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

  /** Adds an entry, inside the transaction of the effect it tells of; answers its id. */
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

  /** The answer has left whole. */
  replied(id: number, at: number): void {
    this.#reply.run(at, id);
    this.#tell(id);
  }

  /** Calls back from now on; the returned function ends it. */
  listen(listener: LedgerListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Entries in the order of arrival at the store. */
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

  /** Once the transaction that an entry belongs to has ended, one way or the other. */
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

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Change } from "./store.ts";

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

/** Which entries to read; each given field must match. `path` may end in `*`; `mutating` leaves out GET. */
export interface LedgerQuery {
  account?: string;
  token?: string;
  method?: string;
  path?: string;
  operation?: string;
  sinceId?: number;
  applied?: boolean;
  mutating?: boolean;
  limit?: number;
  /** Of what matches, so many of the newest. */
  last?: number;
}

/** Entries that are kept; older ones go, a thousand at a time. */
const KEPT = 1_000_000;

const SCHEMA = `CREATE TABLE IF NOT EXISTS ledger (id INTEGER PRIMARY KEY AUTOINCREMENT, received_at INTEGER NOT NULL,
  account TEXT, token TEXT, method TEXT NOT NULL, path TEXT NOT NULL, query TEXT NOT NULL, operation TEXT, body TEXT NOT NULL,
  status INTEGER, applied_at INTEGER, replied_at INTEGER, changes TEXT NOT NULL, fault TEXT)`;

/** Append-only record of every request, for tests to judge by: received → applied → replied. */
export class Ledger {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #reply: StatementSync;

  constructor(database: DatabaseSync) {
    database.exec(SCHEMA);
    this.#database = database;
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
    const values = [receivedAt, account, token, method, path, query, operation, body, status, appliedAt] as const;
    const id = Number(this.#insert.run(...values, JSON.stringify(changes), fault).lastInsertRowid);
    if (id % 1000 === 0 && id > KEPT) this.#database.prepare("DELETE FROM ledger WHERE id <= ?").run(id - KEPT);
    return id;
  }

  /** The answer has left whole. */
  replied(id: number, at: number): void {
    this.#reply.run(at, id);
  }

  /** Entries in the order of arrival at the store. */
  read(query: LedgerQuery = {}): LedgerEntry[] {
    const where: string[] = ["id > ?"];
    const values: (string | number)[] = [query.sinceId ?? 0];
    for (const column of ["account", "token", "method", "operation"] as const) {
      const wanted = query[column];
      if (wanted === undefined) continue;
      where.push(`${column} = ?`);
      values.push(wanted);
    }
    if (query.path !== undefined) {
      where.push("path GLOB ?");
      values.push(query.path);
    }
    if (query.applied !== undefined) where.push(`applied_at IS ${query.applied ? "NOT " : ""}NULL`);
    if (query.mutating) where.push("method <> 'GET'");
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
  }
}

function entryOf(row: Record<string, unknown>): LedgerEntry {
  const { received_at, applied_at, replied_at, changes, ...rest } = row;
  const times = { receivedAt: received_at, appliedAt: applied_at, repliedAt: replied_at };
  return { ...rest, ...times, changes: JSON.parse(String(changes)) as unknown } as unknown as LedgerEntry;
}

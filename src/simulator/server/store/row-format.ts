import type { SQLOutputValue } from "node:sqlite";
import type { Entry } from "./shelves.ts";

/** Tables of rows and sequences in the database file. */
export const SCHEMA = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS rows (seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, account TEXT NOT NULL,
    id TEXT NOT NULL, parent TEXT, inserted_at INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (kind, account, id));
  CREATE TABLE IF NOT EXISTS sequences (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
`;

/** Returns the entry in memory for a row of the file. */
export function entryOf(row: Record<string, SQLOutputValue>): Entry {
  return {
    row: JSON.parse(String(row["body"])) as object,
    parent: row["parent"] === null ? null : String(row["parent"]),
    insertedAt: Number(row["inserted_at"]),
  };
}

/** The one snapshot that an instance has: a new one deletes the one before. */
import type { JsonObject } from "../../src/api/types.ts";
import type { CloudRow } from "./rows.ts";

const none = { automatic: [], snapshot: { current: null, in_progress: null } };

/** What `GET …/backups` shows. A test may put it there as well. */
export function backupsOf({ beside }: CloudRow): JsonObject {
  return (beside["backups"] as JsonObject | undefined) ?? none;
}

/** Taken at once. */
export function takeSnapshot(row: CloudRow, { label }: JsonObject, about: { id: number; created: string }): JsonObject {
  const { created } = about;
  const current = { ...about, label: label ?? null, type: "snapshot", status: "successful", finished: created };
  row.beside["backups"] = { automatic: [], snapshot: { current, in_progress: null } };
  return current;
}

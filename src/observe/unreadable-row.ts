import type { Unreadable } from "./types.ts";

/**
 * Thrown for a row that exists but is unreadable. Never means gone.
 *
 * The error affects only this row. The observer reads the row again with the next list.
 */
export class UnreadableRow extends Error {
  override readonly name = "UnreadableRow";
  readonly id: string;
  readonly path: string;
  /** The unreadable field, without its value. */
  readonly reason: string;
  /** `created` of the row, if a text. */
  readonly created: string | undefined;
  constructor({ id, path }: { id: string; path: string }, { reason, created }: Unreadable) {
    super(`${path} exists and cannot be read: ${reason}`);
    this.id = id;
    this.path = path;
    this.reason = reason;
    this.created = created;
  }
}

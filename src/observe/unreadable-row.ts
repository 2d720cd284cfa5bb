import type { Unreadable } from "./types.ts";

/**
 * A row is there and cannot be read: it is present, contents unknown. Never taken for gone.
 *
 * The fault is the row's alone: other rows of the collection are read as ever, and this one again with the next list.
 */
export class UnreadableRow extends Error {
  override readonly name = "UnreadableRow";
  readonly id: string;
  /** Path of the row. */
  readonly path: string;
  /** Names the field, without its value. */
  readonly reason: string;
  /** The row's own `created`, where it is text. */
  readonly created: string | undefined;
  constructor({ id, path }: { id: string; path: string }, { reason, created }: Unreadable) {
    super(`${path} exists and cannot be read: ${reason}`);
    this.id = id;
    this.path = path;
    this.reason = reason;
    this.created = created;
  }
}

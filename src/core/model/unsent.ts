/**
 * Remembers writes of journal entries without a response. No request left for such a journal entry, although the object can carry the
 * journal entry.
 */
import { isKubeError } from "../kind/outcome.ts";
import { noteNoEffect } from "./attempt.ts";
import type { Statement } from "./journal.ts";
import type { Remembered } from "./memory.ts";

/** Maximum number of remembered IDs for each object. */
const mostUnsent = 20;

/**
 * Runs the write that stores an ID. Without a response, the object can carry the ID, although no request left. Throws
 * the error of the write.
 */
export async function store<T>(remembered: Remembered, id: string, write: () => Promise<T>): Promise<T> {
  const unsent = (remembered.unsent ??= new Map<string, "written" | "refused">());
  unsent.set(id, "written");
  if (unsent.size > mostUnsent) unsent.delete(leastLikely(unsent));
  try {
    const written = await write();
    unsent.delete(id);
    if (unsent.size === 0) remembered.unsent = undefined;
    return written;
  } catch (error) {
    if (isKubeError(error) && error.conflict) unsent.set(id, "refused");
    throw error;
  }
}

/**
 * Returns the ID to forget: a refused write, or else the oldest write. A refused write is on the object only if a
 * gateway repeated the write.
 */
function leastLikely(unsent: NonNullable<Remembered["unsent"]>): string {
  const [oldest = ""] = unsent.keys();
  return [...unsent].find(([, state]) => state === "refused")?.[0] ?? oldest;
}

/**
 * Compares the journal entry on the object with the writes of this process. If this process wrote the journal entry without a
 * response, no request left, and the attempt did nothing. The operator ignores an older journal entry, because a user can have
 * restored it. Any journal entry clears `unstored`, because another process can have sent a request.
 */
export function heedStored(remembered: Remembered, stored: Statement): void {
  if (stored.state !== "absent") remembered.unstored = undefined;
  if (stored.state !== "proven") return;
  const { entry } = stored;
  if ((entry.serial ?? 0) <= (remembered.entry?.serial ?? 0)) return;
  if (!remembered.unsent?.delete(entry.attempt)) return;
  remembered.entry = entry;
  if (!entry.is) noteNoEffect(remembered, entry.attempt, "prepared");
}

/** Returns true if this process wrote the finalizer, stored no journal entry, and sent no request. */
export function isUnstored({ remembered, statement }: { remembered: Remembered; statement: Statement }): boolean {
  return remembered.unstored === true && statement.state === "absent";
}

/** Returns true for an operation without effect: this process sent no request, or the cloud API refused the request. */
export function isUnsent({ unsent, refusedOperation }: Remembered, { id }: { id: string }): boolean {
  return id === refusedOperation || unsent?.has(id) === true;
}

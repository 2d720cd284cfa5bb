/** What this process has written into an intent before it sends it, where the response to that write is lost. */
import { isKubeError } from "../kind/outcome.ts";
import type { Statement } from "./intent.ts";
import type { Remembered } from "./memory.ts";

/** So many are kept of an object: of those that were not refused as a conflict the newest. */
const mostUnsent = 20;

/**
 * Runs the write that stores an id. Where its response is lost, the object may carry it all the same, and nothing was sent; once
 * the response is there, something may leave. Throws what the write does.
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

/** What was refused is stored only where something on the way has repeated the write. */
function leastLikely(unsent: NonNullable<Remembered["unsent"]>): string {
  const [oldest = ""] = unsent.keys();
  return [...unsent].find(([, state]) => state === "refused")?.[0] ?? oldest;
}

/**
 * What the object carries now. Where this process wrote it, without a response, nothing was sent for it; what people put back is
 * older, and counts for nothing. Where somebody else wrote it, and it is removed later, something may have been sent.
 */
export function heedStored(remembered: Remembered, stored: Statement): void {
  if (stored.state !== "absent") remembered.unstored = undefined;
  if (stored.state !== "proven") return;
  const { intent } = stored;
  if ((intent.serial ?? 0) <= (remembered.intent?.serial ?? 0)) return;
  if (!remembered.unsent?.delete(intent.attempt)) return;
  remembered.intent = intent;
  if (!intent.is) remembered.refusedAttempt = intent.attempt;
}

/** True where a finalizer without an intent is this process's own, which has sent nothing for it. */
export function isUnstored({ remembered, statement }: { remembered: Remembered; statement: Statement }): boolean {
  return remembered.unstored === true && statement.state === "absent";
}

/** True for an operation of which at most the record is there. */
export function isUnsent({ unsent, refusedOperation }: Remembered, { id }: { id: string }): boolean {
  return id === refusedOperation || unsent?.has(id) === true;
}

/** What this process has written into an intent before it sends it, where the response to that write is lost. */
import type { Intent } from "./intent.ts";
import type { Remembered } from "./memory.ts";

/** So many are kept of an object, the newest: a write that is refused has no response that counts, either. */
const mostUnsent = 20;

/**
 * From before it is written: where the response is lost, the object may carry it all the same, and nothing was sent. To be
 * called back once the response is there: from then on something may leave.
 */
export function noteUnsent(remembered: Remembered, id: string): () => void {
  const unsent = (remembered.unsent ??= new Set());
  unsent.add(id);
  const [oldest = ""] = unsent.size > mostUnsent ? unsent : [];
  unsent.delete(oldest);
  return () => void unsent.delete(id);
}

/** This process wrote the stored intent, without a response. What people put back is older, and counts for nothing. */
export function takeUpUnsent(remembered: Remembered, stored: Intent | undefined): void {
  if (!stored || (stored.serial ?? 0) <= (remembered.intent?.serial ?? 0)) return;
  if (!remembered.unsent?.delete(stored.attempt)) return;
  remembered.intent = stored;
  if (!stored.is) remembered.refusedAttempt = stored.attempt;
}

/** True for an operation of which at most the record is there. */
export function isUnsent({ unsent, refusedOperation }: Remembered, { id }: { id: string }): boolean {
  return id === refusedOperation || unsent?.has(id) === true;
}

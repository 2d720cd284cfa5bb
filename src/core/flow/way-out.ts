/** A deletion that waits for the cloud for long says how to end it without it. */
import { letGoAnnotation } from "../claim/intent.ts";
import { leaving } from "../claim/uncertain.ts";
import type { Verdict } from "../kind/outcome.ts";
import type { Reason } from "../kind/reasons.ts";
import type { Reconciliation } from "./reconciliation.ts";

/** What passes in most cases, and names no way out before it has lasted as long as a request may take effect. */
const passing = new Set<Reason>(["CloudUnavailable", "RateLimited", "Busy", "Deleting", "Refused"]);

/** Adds it to what cannot be read, and to what has lasted. */
export function withWayOut(at: Reconciliation, verdict: Verdict): Verdict {
  const { environment, object } = at;
  const isHeld = verdict.state === "waiting" || verdict.state === "stalled";
  if (!isHeld || object.metadata.deletionTimestamp === undefined) return verdict;
  if (verdict.message.includes(letGoAnnotation)) return verdict;
  const { memory, clock, settle } = environment;
  const deletingMs = memory.deletingMs(object.metadata.uid, clock.now());
  const isLong = passing.has(verdict.reason) && deletingMs > settle.billableMs;
  if (verdict.reason !== "Unreadable" && !isLong) return verdict;
  return { ...verdict, message: `${verdict.message}; ${leaving(object)}` };
}

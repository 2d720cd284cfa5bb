/** A deletion that waits for the cloud for long says how to end it without it, and asks less often. */
import { patience } from "../../queue/patience.ts";
import { letGoAnnotation } from "../claim/intent.ts";
import { leaving } from "../claim/uncertain.ts";
import type { Verdict } from "../kind/outcome.ts";
import type { Reason } from "../kind/reasons.ts";
import type { Reconciliation } from "./reconciliation.ts";

type Held = Extract<Verdict, { state: "waiting" | "stalled" }>;

/** What passes in most cases, and names no way out before it has lasted as long as a request may take effect. */
const passing = new Set<Reason>(["CloudUnavailable", "RateLimited", "Busy", "Deleting", "Refused", "Forbidden"]);

/** What a deletion waits for that has lasted for long. */
export function ofDeletion(at: Reconciliation, verdict: Verdict): Verdict {
  const { environment, object } = at;
  const isHeld = verdict.state === "waiting" || verdict.state === "stalled";
  if (!isHeld || object.metadata.deletionTimestamp === undefined) return verdict;
  const { memory, clock } = environment;
  const deletingMs = memory.deletingMs(object.metadata.uid, clock.now());
  const { afterMs } = verdict;
  const patient = afterMs === undefined ? verdict : { ...verdict, afterMs: patience(deletingMs, afterMs) };
  return withWayOut(at, patient, deletingMs);
}

/** Adds it to what cannot be read, and to what has lasted. */
function withWayOut({ environment, object }: Reconciliation, verdict: Held, deletingMs: number): Verdict {
  if (verdict.message.includes(letGoAnnotation)) return verdict;
  const isLong = passing.has(verdict.reason) && deletingMs > environment.settle.billableMs;
  if (verdict.reason !== "Unreadable" && !isLong) return verdict;
  return { ...verdict, message: `${verdict.message}; ${leaving(object)}` };
}

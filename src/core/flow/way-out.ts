/** A deletion that waits for the cloud API for long says how to end it without it. */
import { letGoAnnotation } from "../claim/intent.ts";
import { leaving } from "../claim/uncertain.ts";
import type { Verdict } from "../kind/outcome.ts";
import type { Reconciliation } from "./reconciliation.ts";

/** Adds it to what cannot be read, and to what has been out of reach for as long as a request may take effect. */
export function withWayOut(at: Reconciliation, verdict: Verdict): Verdict {
  const { environment, object, stray } = at;
  const isHeld = verdict.state === "waiting" || verdict.state === "stalled";
  if (!isHeld || stray || object.metadata.deletionTimestamp === undefined) return verdict;
  if (verdict.message.includes(letGoAnnotation)) return verdict;
  const { memory, clock, settle } = environment;
  const deletingMs = memory.deletingMs(object.metadata.uid, clock.now());
  const isUnreachable = verdict.reason === "CloudUnavailable" && deletingMs > settle.billableMs;
  if (verdict.reason !== "Unreadable" && !isUnreachable) return verdict;
  return { ...verdict, message: `${verdict.message}; ${leaving(object)}` };
}

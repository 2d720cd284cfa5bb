/** Builds conditions in the form that kstatus reads. */
import { sentence } from "../kind/naming.ts";
import type { Condition } from "../kind/status-schema.ts";
import type { Reason } from "../kind/reasons.ts";
import { timestamp } from "../kind/timestamp.ts";

export interface Assertion {
  type: "Ready" | "Reconciling" | "Stalled" | "Drifted" | "Duplicate" | "Unpublished" | "Complete";
  status: "True" | "False";
  reason: Reason;
  message: string;
}

interface Progress {
  state: "ready" | "waiting" | "stalled";
  reason: Reason;
  message: string;
}

/** Returns `Ready`, and exactly one of `Reconciling` and `Stalled` while the object is not settled. */
export function assertionsOf({ state, reason, message }: Progress): Assertion[] {
  const ready: Assertion = { type: "Ready", status: state === "ready" ? "True" : "False", reason, message };
  if (state === "ready") return [ready];
  return [ready, { type: state === "stalled" ? "Stalled" : "Reconciling", status: "True", reason, message }];
}

/**
 * Returns exactly the conditions of `assertions`. Changes `lastTransitionTime` only if the status changes or the
 * condition is new.
 */
export function conditionsFrom(
  previous: Condition[],
  assertions: Assertion[],
  generation: number,
  now: Date,
): Condition[] {
  return assertions.map((assertion) => {
    const before = previous.find(({ type }) => type === assertion.type);
    const flipped = before?.status !== assertion.status;
    return {
      type: assertion.type,
      status: assertion.status,
      observedGeneration: generation,
      lastTransitionTime: flipped ? timestamp(now) : before.lastTransitionTime,
      reason: assertion.reason,
      message: sentence(assertion.message).slice(0, 32_768),
    };
  });
}

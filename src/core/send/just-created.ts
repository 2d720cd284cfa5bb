/** Prevents a step from repeating a value of the create request while the cloud API does not show the value yet. */
import type { Detail } from "../kind/call.ts";
import { isSame } from "../kind/differences.ts";
import { creationBody } from "../kind/fields.ts";
import type { Kind } from "../kind/owned.ts";
import { Waiting } from "../kind/outcome.ts";
import type { Observed } from "../model/context.ts";
import { times } from "../kind/times.ts";

/**
 * Throws `Waiting` if a step would send a value that the create request contained. Stops waiting `times.apply` after
 * the create request.
 */
export function waitForCreated(
  { kind, desired, remembered, session }: Observed,
  step: NonNullable<Kind["steps"]>[string],
  reads: Detail,
): void {
  const { asked } = remembered;
  if (!step.creation || !asked) return;
  // A slow response shows the state from the start of the read.
  const readAt = session.observer.readAt(reads.path) ?? asked.at;
  if (readAt - asked.at > times.apply) return;
  const now = creationBody(kind, desired);
  const open = step.creation.filter((field) => field in asked.values);
  if (open.length === 0 || !open.every((field) => isSame(now[field], asked.values[field] ?? null))) return;
  session.observer.invalidate(reads.path);
  throw new Waiting("Updating", `the cloud does not show ${open.join(" and ")} of the create request yet`, times.soon);
}

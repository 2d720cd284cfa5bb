/** What a creation has asked for beside the row is not asked for again while the cloud may only be late to show it. */
import type { Detail } from "../kind/call.ts";
import { isSame } from "../kind/differences.ts";
import { creationBody } from "../kind/fields.ts";
import type { Kind } from "../kind/owned.ts";
import { Waiting } from "../kind/outcome.ts";
import type { Observed } from "../model/context.ts";
import { times } from "../kind/times.ts";

/** Throws `Waiting` where a step would ask for what the creation has just asked for. */
export function waitForCreated(
  { kind, wanted, remembered, session }: Observed,
  step: NonNullable<Kind["steps"]>[string],
  reads: Detail,
): void {
  const { asked } = remembered;
  if (!step.creation || !asked) return;
  // The response may be late, and tells how it was when the read began.
  const readAt = session.observer.readAt(reads.path) ?? asked.at;
  if (readAt - asked.at > times.apply) return;
  const now = creationBody(kind, wanted);
  const open = step.creation.filter((field) => field in asked.values);
  if (open.length === 0 || !open.every((field) => isSame(now[field], asked.values[field] ?? null))) return;
  session.observer.invalidate(reads.path);
  throw new Waiting("Updating", `the cloud does not show ${open.join(" and ")} of the create request yet`, times.soon);
}

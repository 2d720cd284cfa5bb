/**
 * Additions of a kind to cloud objects of other owners, such as a tag. `status.applied` records additions under a proof, so
 * that the operator later removes only the additions of the same custom resource.
 */
import type { Json } from "../../api/types.ts";
import { saveStatus } from "../claim/record.ts";
import type { Call } from "../kind/call.ts";
import { isHttpError } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import type { Located, Observed } from "./reconciliation.ts";
import { live } from "./reconciliation.ts";

type Additions = Record<string, string>;

/** Returns the record for `status.applied`. `isCreation`: a create request adds the whole list. */
export function additionsOf({ kind, wanted, next }: Located, isCreation: boolean): Additions | undefined {
  const added = kind.additions?.(wanted);
  if (!added || isCreation) return added;
  return Object.fromEntries(Object.entries(next.applied ?? {}).filter(([name]) => name in added));
}

/** Removes from the record the additions that the cloud does not show. */
export function refreshAdditions(at: Observed, step: NonNullable<Kind["steps"]>[string], current?: Json): void {
  const { applied } = at.next;
  if (step.noted && applied && !at.observing) at.next.applied = { ...applied, ...step.noted(live(at), current) };
}

/** Records the additions of a call, and sends the call. The record stays if the response is lost. */
export async function withAdditions(at: Observed, { claims }: Call, send: () => Promise<Json>): Promise<Json> {
  if (!claims) return send();
  const before = at.next.applied;
  at.next.applied = { ...before, ...claims };
  await saveStatus(at);
  try {
    return await send();
  } catch (error) {
    if (isHttpError(error) && error.outcome === "refused") at.next.applied = before;
    throw error;
  }
}

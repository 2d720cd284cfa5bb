/** The adoption of a cloud object: which one the user chose, and if the operator applied the spec since. */
import type { Located } from "./context.ts";

/** Returns true until the operator applied the spec to the adopted cloud object for the first time. */
export function isUnapplied({ next }: Pick<Located, "next">): boolean {
  return next.adopted === true && next.appliedGeneration === undefined;
}

/**
 * Returns true if `adopt` already chose a cloud object for this object. The field is then no consent to adopt the same ID again,
 * because the cloud can have assigned the ID to another cloud object, or the operator has replaced it.
 */
export function isSpent({ next, management: { adopt } }: Pick<Located, "next" | "management">): boolean {
  const { adoption } = next;
  if (adoption === undefined || adoption.observing || adopt === undefined) return false;
  return adopt.id === undefined || adopt.id === adoption.id;
}

/** Records the adopted cloud object. */
export function noteAdoption(
  { next, observing, object }: Pick<Located, "next" | "observing" | "object">,
  id: string,
): void {
  const { generation } = object.metadata;
  next.adoption = { id, ...(generation !== undefined && { generation }), ...(observing && { observing }) };
}

/** Returns true if the user did not change the spec after the adoption. */
export function isSpecOfAdoption({ next, object }: Pick<Located, "next" | "object">): boolean {
  return isUnapplied({ next }) && next.adoption?.generation === object.metadata.generation;
}

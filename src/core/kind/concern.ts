/**
 * What a change of a cloud object concerns. Each field and each step of a kind declares the class. The operator changes an adopted
 * cloud object without an approval only if the change concerns `none`.
 */
import type { Difference } from "./differences.ts";

/** `access`: who reaches what. `data`: what the cloud object holds or serves. `money`: the bill. `none`: labels and notes. */
export type Concern = "access" | "data" | "money" | "none";

/** Returns the concerns of an update. A field without a class counts as data. */
export function concernsOf(
  { fields }: { fields: Record<string, { concerns?: Concern }> },
  found: Difference[],
): Concern[] {
  return [...new Set(found.map(({ field }) => fields[field]?.concerns ?? "data"))];
}

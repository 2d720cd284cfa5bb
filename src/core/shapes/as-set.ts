/**
 * Records the values of a setting as a keyed digest in the record. A deletion compares the digest with
 * the cloud, and so detects a later change by another user. The comparison also works if the operator did not apply the
 * last spec.
 */
import type { Json } from "../../api/types.ts";
import { plain } from "../kind/differences.ts";
import type { Observed } from "../model/context.ts";
import { digestOf, live } from "../model/context.ts";

const mark = "set";

/**
 * Returns the digest for the status after a successful reconcile. Keeps the previous digest while the setting drifts.
 */
export async function markAsSet(at: Observed): Promise<Record<string, string>> {
  if (!at.kind.undo) return {};
  const before = at.next.applied?.[mark];
  const isDrifted = (at.next.drift ?? []).length > 0;
  if (isDrifted) return before === undefined ? {} : { [mark]: before };
  return { [mark]: digestOfShown(at, await stepsShown(at)) };
}

export function isAsSet(at: Observed, shown: Record<string, Json>): boolean {
  return at.next.applied?.[mark] === digestOfShown(at, shown);
}

/**
 * Returns the values of the steps by name, in normal form. `after`: the earliest time of the reads, clock milliseconds.
 */
export async function stepsShown(at: Observed, after?: number): Promise<Record<string, Json>> {
  const shown: Record<string, Json> = {};
  for (const [name, { read, have }] of Object.entries(at.kind.steps ?? {})) {
    const reads = have && read?.(live(at));
    if (!reads) continue;
    const how = { ...reads, ...(after !== undefined && { after }), urgent: at.urgent };
    shown[name] = have(await at.session.observer.detail(reads.path, how));
  }
  return shown;
}

function digestOfShown(at: Observed, steps: Record<string, Json>): string {
  const fields = Object.entries(at.kind.fields).map(([name, { have }]) => [name, have?.(at.row)]);
  return digestOf(at)(JSON.stringify(plain([at.id, fields, steps])));
}

/**
 * What a setting was brought to, as the cloud showed it then: a keyed digest in the record. By it a
 * deletion tells what somebody else has set since, also where the spec was changed and not carried out any more.
 */
import type { Json } from "../../api/types.ts";
import { plain } from "../kind/differences.ts";
import type { Observed } from "../model/context.ts";
import { digestOf, live } from "../model/context.ts";

const mark = "set";

/** For the status, once all is as specified; what was noted before stays where something drifted. */
export async function markAsSet(at: Observed): Promise<Record<string, string>> {
  if (!at.kind.undo) return {};
  const before = at.next.applied?.[mark];
  const isDrifted = (at.next.drift ?? []).length > 0;
  if (isDrifted) return before === undefined ? {} : { [mark]: before };
  return { [mark]: digestOfShown(at, await stepsShown(at)) };
}

/** True where the cloud shows what this object has brought it to. */
export function isAsSet(at: Observed, shown: Record<string, Json>): boolean {
  return at.next.applied?.[mark] === digestOfShown(at, shown);
}

/** What the steps set, by their names, in their own normal form. `after`: no older than that. */
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

/** What is recorded as applied. */
import { disruptiveValues } from "../kind/fields.ts";
import type { Located, Observed } from "../model/context.ts";
import { digestOf } from "../model/context.ts";
import { additionsOf, entriesOf } from "./additions.ts";
import { markWithin } from "../read/parent-identity.ts";

/** …once all is as specified, or by a creation. `kept`: what was recorded before of the same cloud object. */
export function appliedOf(
  at: Located & Partial<Observed>,
  kept?: Record<string, string>,
): Record<string, string> | undefined {
  const { kind, spec, wanted } = at;
  const parts = [
    disruptiveValues(kind, spec),
    kind.digests?.({ ...wanted, digest: digestOf(at) }),
    markWithin(at, kept),
    additionsOf(at, kept === undefined),
    entriesOf(at, at.row),
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? Object.fromEntries(parts.flatMap((part) => Object.entries(part))) : undefined;
}

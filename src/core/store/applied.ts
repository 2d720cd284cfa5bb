/** What is recorded as applied. */
import { disruptiveValues } from "../kind/fields.ts";
import type { Located, Reached } from "../model/context.ts";
import { digestOf } from "../model/context.ts";
import { additionsOf, entriesOf } from "./additions.ts";
import { parentMarkOf } from "../read/parent-identity.ts";

/** …once all is as specified, or by a creation. `kept`: what was recorded before of the same cloud object. */
export function appliedOf(ctx: Reached<Located>, kept?: Record<string, string>): Record<string, string> | undefined {
  const { kind, spec, desired } = ctx;
  const parts = [
    disruptiveValues(kind, spec),
    kind.digests?.({ ...desired, digest: digestOf(ctx) }),
    parentMarkOf(ctx, kept),
    additionsOf(ctx, kept === undefined),
    entriesOf(ctx, ctx.row),
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? Object.fromEntries(parts.flatMap((part) => Object.entries(part))) : undefined;
}

/**
 * Records the values of a setting as a keyed digest in the record. A deletion compares the digest with
 * the cloud, and so detects a later change by another user. The comparison also works if the operator did not apply the
 * last spec.
 */
import type { Json } from "../../api/types.ts";
import { plain } from "../kind/differences.ts";
import type { Observed } from "../model/context.ts";
import { digestOf, live } from "../model/context.ts";

const settingMark = "set";

/**
 * Returns the digest for the status after a successful reconcile. Keeps the previous digest while the setting drifts.
 */
export async function markAsSet(ctx: Observed): Promise<Record<string, string>> {
  if (!ctx.kind.undo) return {};
  const before = ctx.next.applied?.[settingMark];
  const isDrifted = (ctx.next.drift ?? []).length > 0;
  if (isDrifted) return before === undefined ? {} : { [settingMark]: before };
  return { [settingMark]: digestOfShown(ctx, await stepsShown(ctx)) };
}

export function isAsSet(ctx: Observed, shown: Record<string, Json>): boolean {
  return ctx.next.applied?.[settingMark] === digestOfShown(ctx, shown);
}

/**
 * Returns the values of the steps by name, in normal form. `after`: the earliest time of the reads, clock milliseconds.
 */
export async function stepsShown(ctx: Observed, after?: number): Promise<Record<string, Json>> {
  const shown: Record<string, Json> = {};
  for (const [name, { read, observed }] of Object.entries(ctx.kind.steps ?? {})) {
    const reads = observed && read?.(live(ctx));
    if (!reads) continue;
    const how = { ...reads, ...(after !== undefined && { after }), urgent: ctx.urgent };
    shown[name] = observed(await ctx.session.observer.detail(reads.path, how));
  }
  return shown;
}

function digestOfShown(ctx: Observed, steps: Record<string, Json>): string {
  const fields = Object.entries(ctx.kind.fields).map(([name, { observed }]) => [name, observed?.(ctx.row)]);
  return digestOf(ctx)(JSON.stringify(plain([ctx.id, fields, steps])));
}

/**
 * Additions of a kind to cloud objects of other owners, such as a tag. The record contains them, so
 * that the operator later removes only the additions of the same custom resource.
 */
import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../api/types.ts";
import { saveStatus } from "./record.ts";
import type { Call } from "../kind/call.ts";
import type { Difference } from "../kind/differences.ts";
import { plain } from "../kind/differences.ts";
import { isHttpError } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import type { Located, Observed } from "../model/context.ts";
import { live } from "../model/context.ts";

type Additions = Record<string, string>;

/** Returns the additions for the record. `isCreation`: a create request adds the whole list. */
export function additionsOf({ kind, desired, next }: Located, isCreation: boolean): Additions | undefined {
  const added = kind.additions?.(desired);
  if (!added || isCreation) return added;
  return Object.fromEntries(Object.entries(next.applied ?? {}).filter(([name]) => name in added));
}

/** Removes from the record the additions that the cloud does not show. */
export function refreshAdditions(ctx: Observed, step: NonNullable<Kind["steps"]>[string], current?: Json): void {
  const { applied } = ctx.next;
  if (step.noted && applied && !ctx.observing) ctx.next.applied = { ...applied, ...step.noted(live(ctx), current) };
}

/** Records the additions of a call, and sends the call. The record stays if the response is lost. */
export async function withAdditions(ctx: Observed, { claims }: Call, send: () => Promise<Json>): Promise<Json> {
  if (!claims) return send();
  const before = ctx.next.applied;
  ctx.next.applied = { ...before, ...claims };
  await saveStatus(ctx);
  try {
    return await send();
  } catch (error) {
    if (isHttpError(error) && error.outcome === "refused") ctx.next.applied = before;
    throw error;
  }
}

/** Returns the name of the record of the entries that the operator added to a field for references. */
function additionName(field: string): string {
  return `added to ${field}`;
}

/**
 * Returns the record of the entries in the fields with `adds`. The record of a field that the spec does not say stays until the cloud
 * does not show the entries. `row`: the row of the cloud API, if the cloud object exists.
 */
export function entriesOf(ctx: Located, row?: Observed["row"]): Additions {
  const former = ctx.next.applied ?? {};
  const records = Object.entries(ctx.kind.fields).flatMap(([name, { adds, desired: want }]): [string, string][] => {
    const record = additionName(name);
    if (!adds) return [];
    if (want(ctx.desired) !== undefined) return [[record, adds(ctx.desired).join(",")]];
    const isLeft = row !== undefined && withdrawnIn(ctx, row).some(({ field }) => field === name);
    return isLeft ? [[record, former[record] ?? ""]] : [];
  });
  return Object.fromEntries(records.filter(([, entries]) => entries !== ""));
}

/** Returns the differences of fields that the spec does not say any more, and that still have entries for former references. */
export function withdrawnIn({ kind, desired, next }: Located, row: Observed["row"]): Difference[] {
  return Object.entries(kind.fields).flatMap(([field, { adds, desired: want, observed: have }]): Difference[] => {
    const added = next.applied?.[additionName(field)];
    if (!adds || added === undefined || want(desired) !== undefined) return [];
    const found = plain(have?.(row) ?? []);
    const entries = new Set<unknown>(added.split(","));
    const rest = Array.isArray(found) ? found.filter((one) => !entries.has(one)) : found;
    return isDeepStrictEqual(rest, found) ? [] : [{ field, desired: rest, observed: found }];
  });
}

/** Returns the claims of an update that adds entries for references: the recorded entries, and the new entries. */
export function claimedIn(ctx: Observed, found: Difference[]): Pick<Call, "claims"> {
  const before = ctx.next.applied ?? {};
  const claims = Object.entries(entriesOf(ctx)).flatMap(([record, entries]) => {
    if (!found.some(({ field }) => additionName(field) === record)) return [];
    const all = [...new Set([...(before[record]?.split(",") ?? []), ...entries.split(",")])].join(",");
    return all === before[record] ? [] : [[record, all]];
  });
  return claims.length === 0 ? {} : { claims: Object.fromEntries(claims) as Additions };
}

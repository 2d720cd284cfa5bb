/**
 * Additions of a kind to cloud objects of other owners, such as a tag. The record contains them, so
 * that the operator later removes only the additions of the same custom resource.
 */
import type { Json } from "../../api/types.ts";
import { saveStatus } from "./record.ts";
import type { Call } from "../kind/call.ts";
import type { Difference } from "../kind/differences.ts";
import { additionName, entriesLeft } from "../kind/added-entries.ts";
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
    return row ? [[record, entriesLeft(ctx.kind, name, row, former).join(",")]] : [];
  });
  return Object.fromEntries(records.filter(([, entries]) => entries !== ""));
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

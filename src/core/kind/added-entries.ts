/** Entries that the operator adds to a list of the cloud for references of the spec. The record contains the entries. */
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../api/types.ts";
import type { Difference } from "./differences.ts";
import { plain } from "./differences.ts";
import type { Kind } from "./owned.ts";

type WithFields = Pick<Kind, "fields">;
type Wanted = Parameters<Kind["fields"][string]["desired"]>[0];
type Applied = Record<string, string> | undefined;

/** Returns the name of the entries of a field in the record. */
export function additionName(field: string): string {
  return `added to ${field}`;
}

/** Returns the recorded entries of a field that the row still shows. */
export function entriesLeft({ fields }: WithFields, field: string, row: JsonObject, applied: Applied): string[] {
  const shown = plain(fields[field]?.observed?.(row) ?? []);
  return recordedIn(applied, field).filter((entry) => Array.isArray(shown) && shown.includes(entry));
}

/**
 * Returns the differences for a spec with references and without a list of values: the operator adds the entries of the
 * references, removes the entries that it added before, and keeps all other entries of the cloud.
 */
export function withOtherEntries(
  { fields }: WithFields,
  wanted: Wanted,
  row: JsonObject,
  applied: Applied,
  found: Difference[],
): Difference[] {
  const open = Object.keys(fields).filter((field) => fields[field]?.adds && fields[field].keepsOthers?.(wanted));
  const others = found.filter(({ field }) => !open.includes(field));
  return [...others, ...open.flatMap((field) => differenceOf({ fields }, field, { wanted, row, applied }))];
}

function differenceOf(
  { fields }: WithFields,
  field: string,
  { wanted, row, applied }: { wanted: Wanted; row: JsonObject; applied: Applied },
): Difference[] {
  const observed = plain(fields[field]?.observed?.(row) ?? []);
  const shown = (Array.isArray(observed) ? observed : []).filter((entry) => typeof entry === "string");
  const own = new Set(recordedIn(applied, field));
  const added = fields[field]?.adds?.(wanted) ?? [];
  const desired = [...new Set([...shown.filter((entry) => !own.has(entry)), ...added])].toSorted();
  return isDeepStrictEqual(desired, shown.toSorted()) ? [] : [{ field, desired, observed }];
}

function recordedIn(applied: Applied, field: string): string[] {
  return (applied?.[additionName(field)] ?? "").split(",").filter((entry) => entry !== "");
}

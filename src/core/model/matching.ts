import type { JsonObject } from "../../api/types.ts";

type Rows = ReadonlyMap<string, JsonObject>;

/**
 * Returns the IDs of the rows that show the values of a filter: `spec.management.adopt.filter`. Compares without regard to case
 * if no row matches exactly, because the cloud API does so for tags and host names.
 */
export function matchingRows(rows: Rows, filter: Record<string, string>): string[] {
  const exact = idsOf(rows, filter, (text) => text);
  return exact.length > 0 ? exact : idsOf(rows, filter, (text) => text.toLowerCase());
}

function idsOf(rows: Rows, filter: Record<string, string>, form: (text: string) => string): string[] {
  const wanted = Object.entries(filter).map(([field, value]) => [field, form(value)] as const);
  const isMatch = (row: JsonObject): boolean =>
    wanted.every(([field, value]) => {
      const found = row[field];
      return found !== undefined && form(typeof found === "string" ? found : JSON.stringify(found)) === value;
    });
  return [...rows].flatMap(([id, row]) => (isMatch(row) ? [id] : []));
}

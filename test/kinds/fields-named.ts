/** The field that the API server names for each wrong manifest: reviewed by eye, in a file. */
import path from "node:path";
import { expectGolden } from "../contract/support/golden.ts";

const file = path.join(import.meta.dirname, "fields-named.json");

export type FieldsNamed = { [row: string]: string };

export function nameOfRow({ kind, because }: { kind: string; because: string }): string {
  return `${kind}: ${because}`;
}

/** The paths in what kubectl shows, of a whole manifest or of one that names a message. */
export function fieldsIn(said: string): string[] {
  const paths = [
    ...said.matchAll(
      /(?:is invalid: |^\s*\* )(?:\[)?([\w.[\]]+): (?:Invalid|Required|Unsupported|Duplicate|Too|Forbidden|Not|Internal)/gm,
    ),
  ];
  return [...new Set(paths.map(([, field = ""]) => field.replaceAll(/\[\d+\]/g, "[]")))];
}

export function expectReviewed(found: FieldsNamed): void {
  const sorted = Object.fromEntries(Object.entries(found).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  expectGolden(file, `${JSON.stringify(sorted, null, 2)}\n`);
}

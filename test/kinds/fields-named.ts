/** The field that the API server names for each wrong manifest: reviewed by eye, in a file. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

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

/** Compares with the reviewed file; `UPDATE_GOLDEN=1` writes it instead. */
export function reviewed(found: FieldsNamed): FieldsNamed {
  const sorted = Object.fromEntries(Object.entries(found).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
  return JSON.parse(readFileSync(file, "utf8")) as FieldsNamed;
}

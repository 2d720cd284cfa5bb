/** The list of all cells, and the run of one cell in memory. */
import { candidatesOf, operations, valuesFor, whySkipped } from "./cells.ts";
import type { Cell, Row } from "./cells.ts";
import { allFields } from "./fields.ts";
import { expected, found } from "./judge.ts";
import { play } from "./memory.ts";
import type { PlaceName } from "./places.ts";

export const allRows: Row[] = allFields.flatMap((field) =>
  valuesFor(field).flatMap((value) => operations.map((operation) => ({ field, value, operation }))),
);

/** Returns the rows that exist. It searches specs for each row, which takes 3 s for all rows. */
export function existing(rows: Row[]): Row[] {
  return rows.filter((row) => whySkipped(row) === undefined);
}

/** Returns the places of a row. Every row has the three tenants. Creations also have the two wider shares. */
export function placesOf({ operation }: Row): PlaceName[] {
  return ["owner", "shared", "foreign", ...(operation === "create" ? (["existing", "accountWide"] as const) : [])];
}

export function cellsOf(rows: Row[]): Cell[] {
  return rows.flatMap((row) => placesOf(row).map((place) => Object.assign({ place }, row)));
}

/** Returns the expected result of a cell, and the result in memory. */
export async function resultsOf(cell: Cell): Promise<{ expected: string; found: string }> {
  let results = { expected: "a spec", found: "no spec" };
  // The first spec with a request proves that the operator uses the field. One spec is enough for all other results.
  for (const candidate of candidatesOf(cell)) {
    results = { expected: expected(cell, candidate), found: found(cell, await play(cell, candidate), candidate) };
    if (results.expected !== "sent" || results.found === "sent") return results;
  }
  return results;
}

const verbs = { create: "creates", adopt: "adopts a cloud object with", change: "changes", delete: "deletes" };

const contents = {
  foreign: "the name of something of other users",
  token: "the name of the Secret with an account's token",
  own: "the name of something of the same namespace",
  public: "a public name",
};

/** Returns a row as a sentence, for names of tests. */
export function inWords({ field: { kind, path, is }, value, operation }: Row): string {
  const what = is === "reach" ? "a reach beyond its own cloud object" : `${contents[value]} in spec.${path}`;
  return `a user ${verbs[operation]} ${/^[AEIOU]/.test(kind.kind) ? "an" : "a"} ${kind.kind} with ${what}`;
}

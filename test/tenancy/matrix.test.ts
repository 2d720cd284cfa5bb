/** Completeness of the matrix: every field with a class has cells, or a reason why a cell cannot exist. */
import { describe, expect, it } from "vitest";
import { tenancyOf } from "../../src/core/model/tenancy.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { candidatesOf, whySkipped } from "./matrix/cells.ts";
import { allFields } from "./matrix/fields.ts";
import { expected } from "./matrix/judge.ts";
import { allRows, cellsOf, existing, inWords } from "./matrix/run.ts";

const rows = existing(allRows);
const cells = cellsOf(rows);

function tally(names: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

describe("the tenant matrix", () => {
  it("has these numbers of fields and cells", () => {
    expect(tally(allFields.map(({ is }) => is))).toEqual({ name: 73, adoption: 36, secret: 21, reach: 10 });
    expect(tally(cells.map(({ place }) => place))).toEqual({
      owner: 533,
      shared: 533,
      foreign: 533,
      existing: 163,
      accountWide: 163,
    });
    expect(cells.length).toBe(1_925);
  });

  it("skips a row only for one of these reasons", () => {
    expect(tally(allRows.flatMap((row) => whySkipped(row) ?? []))).toEqual({
      "a creation with spec.management.adopt is an adoption": 36,
      "an object refers to a managed cloud object by name": 34,
      "no field of an example can change": 5,
      "no kind creates such cloud objects": 23,
      "rows have no field that a filter compares": 3,
      "the API server refuses a change of the field": 98,
      "the creation shows that the namespace may use its own names": 208,
      "the kind adopts nothing": 85,
      "the schema accepts no spec with the field": 3,
    });
    expect(rows.length).toBe(allRows.length - 495);
  });

  it("has cells for every field, unless no spec and no filter can use the field", () => {
    const covered = new Set(rows.map(({ field }) => field));
    const missing = allFields.filter((field) => !covered.has(field)).map(({ kind, path }) => `${kind.kind} ${path}`);
    expect(missing).toEqual(["BucketObject management.adopt.filter{}", "IPv6Range instanceRef.id"]);
  });

  it("expects each result in each namespace where the result can occur", () => {
    const results = cells.map((cell) => `${cell.place} ${expected(cell, candidatesOf(cell)[0]!)}`);
    expect(tally(results)).toEqual({
      "owner sent": 278,
      "owner kept": 138,
      "owner gone": 117,
      "shared sent": 33,
      "shared refused": 278,
      "shared kept": 138,
      "shared gone": 84,
      "foreign nothing": 533,
      "existing sent": 107,
      "existing refused": 15,
      "existing kept": 41,
      "accountWide sent": 48,
      "accountWide refused": 74,
      "accountWide kept": 41,
    });
  });

  it("has a name for each row", () => {
    expect(new Set(rows.map(inWords)).size).toBe(rows.length);
  });

  it("needs no cells for steps, because no step has a wider reach than its kind", () => {
    const wider = kinds.flatMap((kind) => {
      const { reach, steps } = tenancyOf(kind);
      return Object.entries(steps).filter(([, step]) => step !== "own" && step !== reach);
    });
    expect(wider).toEqual([]);
  });
});

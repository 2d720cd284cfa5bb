/** Runs the cells of one class of fields in memory, one test for each row. */
import { describe, expect, it } from "vitest";
import type { Field } from "./fields.ts";
import { allRows, existing, inWords, placesOf, resultsOf } from "./run.ts";

/** Defines the tests for fields of a class. The ledger and the condition must show what the classification demands. */
export function describeMatrix(is: Field["is"]): void {
  const ofClass = existing(allRows.filter(({ field }) => field.is === is)).map((row) => [inWords(row), row] as const);
  describe("the ledger shows in each namespace what the classification permits if", { timeout: 30_000 }, () => {
    it.each(ofClass)("%s", async (_, row) => {
      const results = [];
      for (const place of placesOf(row)) results.push([place, await resultsOf({ ...row, place })] as const);
      const found = Object.fromEntries(results.map(([place, result]) => [place, result.found]));
      const expected = Object.fromEntries(results.map(([place, result]) => [place, result.expected]));
      expect(found).toEqual(expected);
    });
  });
}

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createOrderedRows } from "../../../../src/simulator/server/store/ordered-rows.ts";

type Step = { does: "put"; order: number; version: number } | { does: "remove"; order: number } | { does: "read" };

const order = fc.nat(120);
/** Reads are rare, so that gaps and late rows gather between them. */
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 50, arbitrary: fc.record({ does: fc.constant("put" as const), order, version: fc.nat() }) },
  { weight: 50, arbitrary: fc.record({ does: fc.constant("remove" as const), order }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("read" as const) }) },
);

test("ordered rows are those of a map, sorted by their orders, after any changes and reads", () => {
  const property = fc.property(fc.nat(120), fc.array(step, { maxLength: 400, size: "max" }), (filled, changes) => {
    const appended = Array.from({ length: filled }, (_, index): Step => ({ does: "put", order: index, version: 0 }));
    const model = new Map<number, object>();
    const ordered = createOrderedRows();
    for (const each of [...appended, ...changes]) {
      if (each.does === "put") {
        const row = { order: each.order, version: each.version };
        model.set(each.order, row);
        ordered.put({ order: each.order, row });
      } else if (each.does === "remove") {
        model.delete(each.order);
        ordered.remove(each.order);
      } else ordered.rows();
      expect(ordered.size()).toBe(model.size);
    }
    const sorted = [...model].toSorted(([left], [right]) => left - right);
    expect(ordered.rows()).toEqual(sorted.map(([, row]) => row));
  });
  fc.assert(property, { seed: 1, numRuns: 300 });
});

import { expect, it } from "vitest";
import { closing, table } from "../../tools/bench/table.ts";

const all = [
  {
    benchmark: "queue",
    figure: { what: "keys through the queue", value: 250_000, unit: "keys/s", target: { atLeast: 100_000 } },
  },
  { benchmark: "queue", figure: { what: "baseline: a plain list", value: 3_000_000.4, unit: "keys/s" } },
  { benchmark: "bulk", figure: { what: "calls for each", value: 1.2, unit: "", target: { atMost: 1.05 } } },
];

it("shows every figure with its benchmark, its target and whether that was met", () => {
  expect(table(all)).toEqual([
    "BENCHMARK  WHAT                    MEASURED          TARGET",
    "queue      keys through the queue  250,000 keys/s    at least 100,000  met",
    "queue      baseline: a plain list  3,000,000 keys/s",
    "bulk       calls for each          1.20              at most 1.05      MISSED",
  ]);
});

it("names what was missed and what failed", () => {
  expect(closing(all, ["ready"], 3)).toEqual([
    "missed: bulk: calls for each, 1.20, at most 1.05",
    "failed: ready",
    "2 of 3 benchmarks ran, 1 of 2 targets met",
  ]);
});

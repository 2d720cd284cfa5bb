import { expect, it } from "vitest";
import { closing, table } from "../../tools/bench/table.ts";

const all = [
  {
    benchmark: "queue",
    figure: { what: "keys through the queue", value: 250_000, unit: "keys/s", target: { atLeast: 100_000 } },
  },
  { benchmark: "ready", figure: { what: "to Ready", value: 50.4, unit: "s", baseline: { of: "stock", value: 201.6 } } },
  { benchmark: "bulk", figure: { what: "calls for each", value: 1.2, unit: "", target: { atMost: 1.05 } } },
];

it("shows every figure with its benchmark, its goal, its baseline and whether the goal was met", () => {
  expect(table(all)).toEqual([
    "BENCHMARK  WHAT                    GOAL              FIGURE          BASELINE     RATIO",
    "queue      keys through the queue  at least 100,000  250,000 keys/s                      met",
    "ready      to Ready                                  50.40 s         202 (stock)  0.25",
    "bulk       calls for each          at most 1.05      1.20                                MISSED",
  ]);
});

it("names what was missed and what failed", () => {
  expect(closing(all, ["ready"], 3)).toEqual([
    "missed: bulk: calls for each, at most 1.05, 1.20",
    "failed: ready",
    "2 of 3 benchmarks ran, 1 of 2 goals met",
  ]);
});

import { describe, expect, test } from "vitest";
import { assertionsOf, conditionsFrom } from "../../../src/core/store/conditions.ts";

const noon = new Date("2026-01-01T12:00:00.700Z");
const later = new Date("2026-01-01T12:05:00Z");
const ready = { state: "ready", reason: "Ready", message: "as specified" } as const;
const waiting = { state: "waiting", reason: "Provisioning", message: "wait" } as const;
const stalled = { state: "stalled", reason: "Refused", message: "label: taken" } as const;

describe("which conditions stand", () => {
  test.each([
    { verdict: ready, types: ["Ready=True"], because: "settled: neither of the others" },
    {
      verdict: waiting,
      types: ["Ready=False", "Reconciling=True"],
      because: "kstatus reads Reconciling as in progress",
    },
    { verdict: stalled, types: ["Ready=False", "Stalled=True"], because: "kstatus reads Stalled as failed" },
  ])("$verdict.state: $types ($because)", ({ verdict, types }) => {
    expect(assertionsOf(verdict).map(({ type, status }) => `${type}=${status}`)).toEqual(types);
  });
});

test("lastTransitionTime moves only when the status flips", () => {
  const first = conditionsFrom([], assertionsOf(waiting), 1, noon);
  const same = conditionsFrom(first, assertionsOf({ ...waiting, message: "still" }), 2, later);
  expect(same.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([
    "2026-01-01T12:00:00Z",
    "2026-01-01T12:00:00Z",
  ]);
  const flipped = conditionsFrom(same, assertionsOf(ready), 2, later);
  expect(flipped).toMatchObject([
    { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T12:05:00Z", observedGeneration: 2 },
  ]);
});

test("a message longer than the API server takes is cut", () => {
  const [condition] = conditionsFrom([], assertionsOf({ ...stalled, message: "x".repeat(40_000) }), 1, noon);
  expect(condition?.message).toHaveLength(32_768);
});

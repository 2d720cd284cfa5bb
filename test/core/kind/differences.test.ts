import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/api/types.ts";
import type { Difference } from "../../../src/core/kind/differences.ts";
import { differencesIn } from "../../../src/core/kind/fields.ts";
import { matches, mergePatch } from "../../../src/core/kind/differences.ts";

/** What differs, for a kind whose table wants and shows these values. */
function found(desired: JsonObject, observed: JsonObject): Difference[] {
  const row = (name: string) => ({
    desired: () => desired[name],
    ...(name in observed && { observed: (wire: Record<string, unknown>) => wire[name] as Json }),
  });
  const names = [...new Set([...Object.keys(desired), ...Object.keys(observed)])];
  const fields = Object.fromEntries(names.map((name) => [name, row(name)]));
  return differencesIn({ fields }, { name: "a", namespace: "b", spec: {}, refs: {} }, observed);
}

describe("differences", () => {
  test.each([
    { desired: { label: "a" }, observed: { label: "a" }, fields: [], because: "equal" },
    { desired: { label: "a" }, observed: { label: "b" }, fields: ["label"], because: "another value" },
    { desired: {}, observed: { label: "b" }, fields: [], because: "not wanted: not managed" },
    { desired: { image: "x" }, observed: {}, fields: [], because: "not returned: create-only" },
    {
      desired: { tags: ["a", "b"] },
      observed: { tags: ["b", "a"] },
      fields: ["tags"],
      because: "kinds sort what has no order",
    },
    { desired: { updates: { day: 1 } }, observed: { updates: { day: 2 } }, fields: ["updates"], because: "nested" },
    { desired: { rdns: null }, observed: { rdns: "x" }, fields: ["rdns"], because: "null is a value" },
  ])("$because", ({ desired, observed, fields }) => {
    expect(found(desired as JsonObject, observed as JsonObject).map(({ field }) => field)).toEqual(fields);
  });
});

test("a pattern matches a row that has all its values", () => {
  const row = { id: 1, label: "web", tags: ["a"] };
  expect(matches(row, { label: "web", tags: ["a"] })).toBe(true);
  expect(matches(row, { label: "web", region: "us-east" })).toBe(false);
});

describe("the merge patch from one status to the next", () => {
  test.each([
    { before: { a: 1 }, after: { a: 1 }, patch: undefined, because: "nothing changed: nothing is sent" },
    { before: { a: 1, b: 2 }, after: { a: 1 }, patch: { b: null }, because: "what is gone is removed by null" },
    {
      before: { a: { x: 1, y: 2 } },
      after: { a: { x: 1, y: 3 } },
      patch: { a: { y: 3 } },
      because: "only what differs is sent",
    },
    { before: { a: [1] }, after: { a: [1, 2] }, patch: { a: [1, 2] }, because: "lists are replaced whole" },
  ])("$because", ({ before, after, patch }) => {
    expect(mergePatch(before, after as never)).toEqual(patch);
  });
});

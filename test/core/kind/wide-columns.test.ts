import { expect, it } from "vitest";
import { wideTexts } from "../../../src/core/kind/wide-columns.ts";

const columns = [
  { name: "State", jsonPath: ".status.state" },
  { name: "Target", jsonPath: ".spec.target", long: true },
  { name: "Select plans", jsonPath: ".status.plans.available", long: true },
];

it.each([
  ["www.example.com", "www.example.com", "a short text is complete"],
  ["a".repeat(40), "a".repeat(40), "40 characters fit"],
  ["a".repeat(41), `${"a".repeat(39)}…`, "a longer text ends with an ellipsis"],
  [`${"a".repeat(38)}😀bc`, `${"a".repeat(38)}…`, "a character of two code units is not split"],
  ["v=spf1\n\tinclude:a ", "v=spf1 include:a", "a line break would break the row"],
])("the target %j is shown as %j: %s", (target, shown, _reason) => {
  expect(wideTexts(columns, { spec: { target }, status: {} })).toEqual({ target: shown });
});

it("a list is shown as one text", () => {
  const plans = { available: ["premium-1", "premium-2"] };
  expect(wideTexts(columns, { status: { plans } })).toEqual({ selectPlans: "premium-1, premium-2" });
});

it("an object without long values has no short texts", () => {
  expect(wideTexts(columns, { spec: { target: "" }, status: { state: "running", plans: { available: [] } } })).toBe(
    undefined,
  );
});

import { expect, test } from "vitest";
import { outcomesIn } from "../../tools/clients/go-suite.ts";
import { judge } from "../../tools/clients/judge.ts";
import type { Expectation, Outcome } from "../../tools/clients/suite.ts";

const SUITE: Expectation = {
  covered: { domains: ["models/domain"], tags: ["models/tag.py"] },
  notPassed: new Map([["models/tag.py::volumes", "needs volumes"]]),
};

const outcome = (name: string, told: Outcome["outcome"]): Outcome => ({ test: name, outcome: told, why: "why" });
const AS_EXPECTED = [
  outcome("models/domain/one.py::create", "passed"),
  outcome("models/tag.py::list", "skipped"),
  outcome("models/tag.py::volumes", "failed"),
];

test("outcomes are counted by service, and what does not pass has a reason", () => {
  expect(judge(SUITE, AS_EXPECTED)).toEqual({
    good: true,
    lines: [
      "SERVICE  PASSED  NOT PASSED  SKIPPED",
      "domains  1       0           0",
      "tags     0       1           1",
      "all      1       1           1",
      "",
      "   1  needs volumes",
    ],
  });
});

test.each([
  {
    why: "a failure without a reason",
    outcomes: [...AS_EXPECTED, outcome("models/domain/one.py::delete", "failed")],
    line: "FAILED models/domain/one.py::delete: why",
  },
  {
    why: "a reason that is none any more",
    outcomes: [...AS_EXPECTED, outcome("models/tag.py::volumes", "passed")],
    line: "no longer fails: models/tag.py::volumes (needs volumes)",
  },
  { why: "a service of which nothing ran", outcomes: AS_EXPECTED.slice(1), line: "no test of domains ran" },
  { why: "no outcome at all", outcomes: [], line: "no test of tags ran" },
])("$why is not good", ({ outcomes, line }) => {
  const { good, lines } = judge(SUITE, outcomes);
  expect(good).toBe(false);
  expect(lines).toContain(line);
});

test("of a test that ran again the last word counts", () => {
  const again = [outcome("models/domain/one.py::create", "rerun"), ...AS_EXPECTED];
  expect(judge(SUITE, again)).toEqual(judge(SUITE, AS_EXPECTED));
});

test("a place can be the whole name of a test", () => {
  const suite = { covered: { live: ["TestLive"] }, notPassed: new Map<string, string>() };
  expect(judge(suite, [outcome("TestLive", "passed")]).good).toBe(true);
  expect(judge(suite, [outcome("TestLiveness", "passed")]).lines).toContain("no test of live ran");
});

test("of the output of go test only tests without subtests count, and marked ones as left out", () => {
  const output = [
    "--- FAIL: TestAll (1.2s)",
    "    --- PASS: TestAll/one (0.1s)",
    "    --- FAIL: TestAll/two (0.0s)",
    "    --- PASS: TestAll/three_LEFT_OUT (0.0s)",
    "--- SKIP: TestMore (0.0s)",
  ];
  const outcomes = outcomesIn(output.join("\n"), "LEFT_OUT").map((one) => `${one.outcome} ${one.test}`);
  expect(outcomes).toEqual([
    "passed TestAll/one",
    "failed TestAll/two",
    "skipped TestAll/three_LEFT_OUT",
    "skipped TestMore",
  ]);
});

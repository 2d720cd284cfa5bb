import { expect, test } from "vitest";
import { judge } from "../../tools/clients/suite.ts";
import type { ClientSuite, Outcome } from "../../tools/clients/suite.ts";

const SUITE: ClientSuite = {
  name: "client",
  version: "1",
  folder: "",
  root: "",
  brandWord: "acme",
  environment: () => ({}),
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

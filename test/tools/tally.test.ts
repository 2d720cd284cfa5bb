import { expect, it } from "vitest";
import { closingLine, failureLines, tally } from "../../tools/test/tally.ts";
import type { Report } from "../../tools/test/tally.ts";

const file = (status: string, ...tests: string[]): Report["testResults"][number] => ({
  name: "some.test.ts",
  status,
  assertionResults: tests.map((each) => ({ status: each })),
});

it.each([
  ["what passed is counted over all files", [file("passed", "passed", "passed"), file("passed", "passed")], 0, 3, 0],
  ["a failed test counts once, not again for its file", [file("failed", "passed", "failed")], 1, 1, 1],
  ["a file that did not load counts as a failure", [file("passed", "passed"), file("failed")], 1, 1, 1],
  ["a hook that threw after all tests passed counts as a failure", [file("failed", "passed")], 1, 1, 1],
  ["an error outside of all tests shows in the exit code alone", [file("passed", "passed")], 1, 1, 1],
  ["a run that ran nothing is no success", [], 0, 0, 1],
])("%s", (_reason, testResults, exitCode, passed, failed) => {
  expect(tally({ testResults }, exitCode)).toEqual({ passed, failed });
});

it("counts a run without a report as one failure", () => {
  expect(closingLine(tally(undefined, 1))).toBe("0 passed, 1 failed");
});

it("names each failure with the first line of its message", () => {
  const name = `${process.cwd()}/test/some.test.ts`;
  const failed = { status: "failed", fullName: "a key is made once", failureMessages: ["two were made\n  at line 3"] };
  const testResults = [
    { name, status: "failed", assertionResults: [{ status: "passed", fullName: "a key is made" }, failed] },
    { name, status: "failed", message: "does not load", assertionResults: [] },
    { name, status: "passed", assertionResults: [{ status: "passed" }] },
  ];
  expect(failureLines({ testResults })).toEqual([
    "FAILED test/some.test.ts > a key is made once: two were made",
    "FAILED test/some.test.ts: does not load",
  ]);
});

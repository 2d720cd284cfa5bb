import type { Expectation, Outcome } from "./suite.ts";

export interface Judgement {
  lines: string[];
  /** True where every test did what was expected of it. */
  good: boolean;
}

/** What the outcomes say by service, and what was not expected: a failure without a reason, or a reason that is none any more. */
export function judge({ covered, notPassed }: Expectation, outcomes: Outcome[]): Judgement {
  const last = new Map(outcomes.map((each) => [each.test, each]));
  const failed = [...last.values()].filter(({ outcome }) => outcome === "failed");
  const unexpected = failed.filter(({ test }) => !notPassed.has(test));
  const stale = [...notPassed.keys()].filter((test) => last.get(test)?.outcome !== "failed");
  const unseen = Object.entries(covered).filter(([, places]) => !inOneOf(places, [...last.keys()]));
  const rows = Object.entries(covered).map(([service, places]) =>
    row(
      service,
      [...last.values()].filter(({ test }) => isIn(places, test)),
    ),
  );
  const lines = [
    ...table([["SERVICE", "PASSED", "NOT PASSED", "SKIPPED"], ...rows, row("all", [...last.values()])]),
    "",
    ...reasons(failed.flatMap(({ test }) => notPassed.get(test) ?? [])),
    ...unexpected.map(({ test, why }) => `FAILED ${test}: ${why}`),
    ...stale.map((test) => `no longer fails: ${test} (${notPassed.get(test) ?? ""})`),
    ...unseen.map(([service]) => `no test of ${service} ran`),
  ];
  return { lines, good: unexpected.length + stale.length + unseen.length === 0 };
}

function row(service: string, all: Outcome[]): string[] {
  const count = (wanted: string): string => String(all.filter(({ outcome }) => outcome === wanted).length);
  return [service, count("passed"), count("failed"), count("skipped")];
}

/** How many tests did not pass for each reason, the most frequent first. */
function reasons(all: string[]): string[] {
  const groups = Map.groupBy(all, (reason) => reason);
  return [...groups]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([reason, { length }]) => `${String(length).padStart(4)}  ${reason}`);
}

function table(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function inOneOf(places: string[], tests: string[]): boolean {
  return tests.some((test) => isIn(places, test));
}

function isIn(places: string[], test: string): boolean {
  return places.some((place) => test === place || test.startsWith(`${place}/`) || test.startsWith(`${place}::`));
}

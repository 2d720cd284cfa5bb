import { isMet, rowOf } from "../../bench/support/measure.ts";
import type { Figure } from "../../bench/support/measure.ts";

interface Told {
  benchmark: string;
  figure: Figure;
}

/** All figures, a line each, each with the benchmark that it comes from. */
export function table(all: Told[]): string[] {
  const rows = all.map(({ benchmark, figure }) => [benchmark, ...rowOf(figure)]);
  const cells = [["BENCHMARK", "WHAT", "GOAL", "FIGURE", "BASELINE", "RATIO", ""], ...rows];
  const widths = [0, 1, 2, 3, 4, 5].map((index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** What is to be said of the whole: what failed, and which goals were missed. */
export function closing(all: Told[], failed: string[], count: number): string[] {
  const missed = all.filter(({ figure: { value, target } }) => target !== undefined && !isMet(value, target));
  const targets = all.filter(({ figure }) => figure.target !== undefined).length;
  return [
    ...missed.map(({ benchmark, figure }) => `missed: ${benchmark}: ${rowOf(figure).slice(0, 3).join(", ")}`),
    ...failed.map((name) => `failed: ${name}`),
    `${count - failed.length} of ${count} benchmarks ran, ${targets - missed.length} of ${targets} goals met`,
  ];
}

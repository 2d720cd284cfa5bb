/** Runs a sample of the cells, and writes how many cells differ from the classification. Arguments: `place=shared every=10`. */
import { cells, inWords, resultsOf } from "./run.ts";
import type { Cell } from "./cells.ts";

const given = process.argv.slice(2).map((argument) => argument.split("=") as [string, string]);
const wanted: Partial<Record<string, string>> = Object.fromEntries(given);

function isWanted({ field, ...rest }: Cell): boolean {
  return Object.entries({ is: field.is, ...rest }).every(([name, value]) => (wanted[name] ?? value) === value);
}

const every = Number(wanted["every"] ?? 1);
const sample = cells.filter(isWanted).filter((_, index) => index % every === 0);
const red: string[] = [];
for (const cell of sample) {
  const { expected, found } = await resultsOf(cell);
  if (found !== expected) red.push(`${cell.place}: ${inWords(cell)}`);
}
process.stdout.write(JSON.stringify({ cells: sample.length, red }));

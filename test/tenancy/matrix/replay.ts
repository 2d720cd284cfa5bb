/**
 * Runs a sample of the cells, and writes how many cells differ from the classification. Arguments: `place=shared every=10`.
 * With `until=red`, it stops after the first such cell.
 */
import { allRows, cellsOf, existing, inWords, resultsOf } from "./run.ts";
import type { Row } from "./cells.ts";

const given = process.argv.slice(2).map((argument) => argument.split("=") as [string, string]);
const wanted: Partial<Record<string, string>> = Object.fromEntries(given);

function isWanted(of: object): boolean {
  return Object.entries(of).every(([name, value]) => (wanted[name] ?? value) === value);
}

const ofRow = ({ field, ...rest }: Row): object => ({ is: field.is, ...rest });

const every = Number(wanted["every"] ?? 1);
const sample = cellsOf(existing(allRows.filter((row) => isWanted(ofRow(row)))))
  .filter(({ place }) => isWanted({ place }))
  .filter((_, index) => index % every === 0);
const red: string[] = [];
for (const cell of sample) {
  if (wanted["until"] === "red" && red.length > 0) break;
  const { expected, found } = await resultsOf(cell);
  if (found !== expected) red.push(`${cell.place}: ${inWords(cell)}`);
}
process.stdout.write(JSON.stringify({ cells: sample.length, red }));

import { afterAll, beforeAll, expect, test } from "vitest";
import { candidatesOf } from "./matrix/cells.ts";
import type { Cell } from "./matrix/cells.ts";
import { playOnCluster } from "./matrix/cluster.ts";
import { expected, found } from "./matrix/judge.ts";
import { allRows, cellsOf, existing, inWords } from "./matrix/run.ts";
import { startInstallation } from "./support/installation.ts";
import type { Installation } from "./support/installation.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await startInstallation();
});
afterAll(() => installation.stop());

/** Cells that the installation permits. The Deployment does not permit account actions. */
const possible = cellsOf(existing(allRows)).filter(({ field }) => field.kind.setting === undefined);
const sample = possible.filter((_, index) => index % 10 === 4);

test("the sample contains every operation, every class and every namespace, and most kinds", () => {
  const kinds = new Set(sample.map(({ field }) => field.kind.kind));
  const ways = sample.map(({ field, operation, place }) => `${field.is} ${operation} ${place}`);
  expect(sample.length).toBe(192);
  expect(kinds.size).toBeGreaterThan(25);
  expect(new Set(ways).size).toBeGreaterThan(30);
});

test("one cell in ten has the expected result on the API server", { timeout: 600_000 }, async () => {
  const waiting = [...sample];
  const wrong: string[] = [];
  const work = async (): Promise<void> => {
    for (let cell = waiting.shift(); cell; cell = waiting.shift()) wrong.push(...(await differenceIn(cell)));
  };
  await Promise.all(Array.from({ length: 10 }, work));
  expect(wrong).toEqual([]);
});

/** Most specs of a cell. The API server refuses some specs by rules that the schema does not contain. */
const mostSpecs = 4;

async function differenceIn(cell: Cell): Promise<string[]> {
  let difference = "no spec";
  for (const candidate of candidatesOf(cell).slice(0, mostSpecs)) {
    const wanted = expected(cell, candidate);
    const played = await playOnCluster(installation, cell, candidate);
    const result = found(cell, played, candidate);
    if (result === wanted) return [];
    difference = `expected ${wanted}, found ${result}`;
    if (wanted !== "sent" && played.object) break;
  }
  return [`${cell.place}, ${inWords(cell)}: ${difference}`];
}

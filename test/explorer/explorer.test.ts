import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { describe as describeFinding, lifeOf } from "./explore.ts";
import { live } from "./live.ts";
import type { Life } from "./story.ts";
import { exploreTogether } from "./workers.ts";

interface Story {
  seed: number;
  life: Life;
}

const corpus = JSON.parse(readFileSync(new URL("corpus.json", import.meta.url), "utf8")) as Record<string, Story>;

// Of a life in which the operator looks for ever, thousands of looks.
describe("a story that was found once is over", { timeout: 60_000 }, () => {
  it.each(Object.entries(corpus))("%s", async (_name, { seed, life }) => {
    const { violations } = await live(life, seed);
    expect(violations).toEqual([]);
  });
});

it.each([
  { cast: "first", lives: 5_000 },
  { cast: "later", lives: 2_000 },
  { cast: "held", lives: 1_000 },
] as const)('$lives random lives of the cast "$cast" break no invariant', { timeout: 1_800_000 }, async (at) => {
  const { findings } = await exploreTogether({ ...at, seed: 1, without: [], jobs: 2 });
  expect(findings.map(describeFinding)).toEqual([]);
});

it("a seed says everything: its life ends the same each time", { timeout: 60_000 }, async () => {
  const ends = async (seed: number) => {
    const { world, violations } = await live(lifeOf(seed), seed);
    const end = JSON.stringify([violations, world.cloud.ledger(), world.cluster.events()]);
    // Names of attempts and passwords are random bytes, on which nothing depends.
    return end.replaceAll(/\b[0-9a-f]{8}\b|"root_pass":"[^"]+"/g, "*");
  };
  for (let seed = 1; seed <= 10; seed += 1) expect(await ends(seed)).toEqual(await ends(seed));
});

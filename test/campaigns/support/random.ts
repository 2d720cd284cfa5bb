import { seededRandom } from "../../support/chance.ts";

/** Chance that can be repeated: the seed is printed, and `CAMPAIGN_SEED` sets it. */
export interface Chance {
  seed: number;
  /** 0 up to 1. */
  next: () => number;
  /** A whole number from `least` to `most`, both possible. */
  between: (least: number, most: number) => number;
}

/** Prints the seed with the campaign's name, so that a failure can be run again. */
export function createChance(campaign: string): Chance {
  const given = process.env["CAMPAIGN_SEED"];
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
  process.stderr.write(`${campaign}: CAMPAIGN_SEED=${seed}\n`);
  const next = seededRandom(seed);
  return { seed, next, between: (least, most) => least + Math.floor(next() * (most - least + 1)) };
}

import { expect, test } from "vitest";
import { scrubFor } from "../../src/api/scrub.ts";
import type { JsonObject } from "../../src/api/types.ts";
import type { Clock } from "../../src/queue/clock.ts";
import { createMovedClock } from "../support/clock.ts";

/** A clock that counts how often work let others run. */
function countingClock(): Clock & { turns: number } {
  const clock = { ...createMovedClock(), turns: 0 };
  clock.turn = () => {
    clock.turns += 1;
    return Promise.resolve();
  };
  return clock;
}

const errors = Array.from({ length: 50 }, (_, index) => `metadata.user_data: no such word in round ${index} of many`);
const filled = (unit: string, length: number) => unit.repeat(length).slice(0, length);
const userData = (text: string): JsonObject => ({ metadata: { user_data: Buffer.from(text).toString("base64") } });

interface Attack {
  what: string;
  body: (length: number) => JsonObject;
  texts: string[];
}

const attacks: Attack[] = [
  {
    what: "a field, many spaces and a carriage return",
    body: (n) => userData(`a:${filled(" ", n)}x\ry`),
    texts: errors,
  },
  { what: "lines of a field", body: (n) => userData(filled("a:\n", n)), texts: errors },
  { what: "one letter, echoed", body: (n) => userData(filled("a", n)), texts: [filled("a", 4_000)] },
  { what: "percent signs, echoed", body: (n) => userData(filled("%25", n)), texts: [`%${filled("25", 3_999)}`] },
  { what: "backslashes, echoed", body: (n) => userData(filled("\\", n)), texts: [filled("\\", 4_000)] },
  { what: "entities, echoed", body: (n) => userData(filled("&amp;", n)), texts: [`&${filled("amp;", 3_999)}`] },
  {
    what: "lines that begin and end as the echo does",
    body: (n) =>
      userData(Array.from({ length: n / 20 }, (_, index) => `aaaaaaaa${index.toString(36)}aaaaaaaa`).join("\n")),
    texts: [filled("a", 4_000)],
  },
  {
    what: "thousands of short values",
    body: (n) => ({
      stackscript_data: Object.fromEntries(Array.from({ length: n / 8 }, (_, at) => [`k${at}`, `v${at}`])),
    }),
    texts: errors,
  },
];

test.each(attacks)("the scrub of $what takes at most twice as many turns for twice the length", async (attack) => {
  const turnsFor = async (length: number): Promise<number> => {
    const clock = countingClock();
    await scrubFor("token-12345678", attack.body(length), clock)(attack.texts);
    return clock.turns;
  };
  const [once, twice] = [await turnsFor(32_768), await turnsFor(65_536)];
  expect(once).toBeGreaterThan(0);
  expect(twice).toBeLessThanOrEqual(2 * once + 1);
});

test("a small request waits for few slices of large ones", async () => {
  const clock = countingClock();
  const large = Array.from({ length: 8 }, () =>
    scrubFor("token-1", userData(filled("line: some value\n", 65_536)), clock)(errors),
  );
  let turns = 0;
  const small = scrubFor(
    "token-2",
    { root_pass: "hunter22" },
    clock,
  )(["hunter22 is weak"]).then((texts) => {
    turns = clock.turns;
    return texts;
  });
  expect(await small).toEqual(["(sensitive) is weak"]);
  await Promise.all(large);
  expect(turns).toBeLessThan(clock.turns / 2);
});

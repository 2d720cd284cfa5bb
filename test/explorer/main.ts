/**
 * Explores as many lives as asked: LIVES, SEED, and WITHOUT for commands to leave out, such as `forge,oddRow`.
 * Ends with 1 where an invariant was broken.
 */
import { describe, explore } from "./explore.ts";

const lives = Number(process.env["LIVES"] || 10_000);
const seed = Number(process.env["SEED"] || 1);

const without = new Set((process.env["WITHOUT"] ?? "").split(","));

const { findings, ms } = await explore({ lives, seed, without, onFinding: (finding) => say(describe(finding)) });

say(
  `\n${lives} lives from seed ${seed}, ${Math.round((lives / ms) * 1_000)} a second; ${findings.length} kinds of violation`,
);
for (const { signature, seed: first, count } of findings.toSorted((a, b) => b.count - a.count))
  say(`${String(count).padStart(6)}  ${signature}  (seed ${first})`);
process.exitCode = findings.length > 0 ? 1 : 0;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/**
 * Explores as many lives as asked: LIVES, SEED, CAST (first, later, held), JOBS for the number of processes, and WITHOUT for
 * commands to leave out, such as `forge,oddRow`. Ends with 1 where an invariant was broken.
 */
import { availableParallelism } from "node:os";
import { describe } from "./explore.ts";
import { exploreTogether } from "./workers.ts";

const lives = Number(process.env["LIVES"] || 10_000);
const seed = Number(process.env["SEED"] || 1);
const jobs = Number(process.env["JOBS"] || availableParallelism());
const cast = (["later", "held"] as const).find((one) => one === process.env["CAST"]) ?? "first";
const without = (process.env["WITHOUT"] ?? "").split(",");

const { findings, ms } = await exploreTogether({
  lives,
  seed,
  jobs,
  cast,
  without,
  onFinding: (finding) => say(describe(finding)),
  onProgress: (lived) => note(`${lived} of ${lives} lives`),
});

say(
  `\n${lives} lives from seed ${seed}, ${Math.round((lives / ms) * 1_000)} a second; ${findings.length} kinds of violation`,
);
for (const { signature, seed: first, count } of findings.toSorted((a, b) => b.count - a.count))
  say(`${String(count).padStart(6)}  ${signature}  (seed ${first})`);
process.exitCode = findings.length > 0 ? 1 : 0;

function say(text: string): void {
  note("");
  process.stdout.write(`${text}\n`);
}

/** On a terminal, a line that the next text replaces. */
function note(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`);
}

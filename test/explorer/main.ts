/**
 * Explores as many lives as LIVES says, from SEED on, in JOBS processes. CAST names one kind of life (first, later, held,
 * tenants). If it does not, `first` lives all of them and `tenants` a quarter as many. WITHOUT names commands to leave out,
 * such as `forge,oddRow`, and `tenants` to leave out those lives. Ends with 1 if an invariant was broken.
 */
import { availableParallelism } from "node:os";
import { describe } from "./explore.ts";
import { troupes } from "./troupes.ts";
import type { Cast } from "./troupes.ts";
import { exploreTogether } from "./workers.ts";

const asked = Number(process.env["LIVES"] || 10_000);
const seed = Number(process.env["SEED"] || 1);
const jobs = Number(process.env["JOBS"] || availableParallelism());
const without = (process.env["WITHOUT"] ?? "").split(",");
const named = (Object.keys(troupes) as Cast[]).find((cast) => cast === process.env["CAST"]);

if (named) await explore(named, asked);
else {
  await explore("first", asked);
  if (!without.includes("tenants")) await explore("tenants", Math.ceil(asked / 4));
}

async function explore(cast: Cast, lives: number): Promise<void> {
  const { findings, ms } = await exploreTogether({
    lives,
    seed,
    jobs,
    cast,
    without,
    onFinding: (finding) => say(describe(finding)),
    onProgress: (lived) => note(`${lived} of ${lives} lives`),
  });
  const speed = Math.round((lives / ms) * 1_000);
  say(`\n${lives} lives of ${cast} from seed ${seed}, ${speed} a second; ${findings.length} kinds of violation`);
  for (const { signature, seed: first, count } of findings.toSorted((a, b) => b.count - a.count))
    say(`${String(count).padStart(6)}  ${signature}  (seed ${first})`);
  if (findings.length > 0) process.exitCode = 1;
}

function say(text: string): void {
  note("");
  process.stdout.write(`${text}\n`);
}

/** On a terminal, a line that the next text replaces. */
function note(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`);
}

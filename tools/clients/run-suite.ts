import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSimulator } from "../../src/simulator/simulator.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { withLock } from "../run/lock.ts";
import { cacheRoot } from "../run/places.ts";
import { createProgress } from "../run/progress.ts";
import { run } from "./run.ts";
import type { ClientSuite, Outcome } from "./suite.ts";

/**
 * Builds the suite once, runs it against a simulator of its own on this machine, and returns the outcome of each test.
 *
 * @throws Error with one line that says what to do, if a tool is missing or the suite cannot be fetched or built
 */
export async function runSuite(suite: ClientSuite): Promise<Outcome[]> {
  const home = await ensureBuilt(suite);
  const scratch = mkdtempSync(join(tmpdir(), "cloud-platform-clients-"));
  const outcomes = join(scratch, "outcomes");
  const clean = (): void => rmSync(scratch, { recursive: true, force: true });
  process.once("exit", clean);
  const simulator = await startSimulator({ brandWord: suite.brandWord });
  try {
    for (const domain of suite.domains ?? []) await createDomain(simulator, domain);
    const { program, args, cwd, env, output } = suite.command({ home, simulator, outcomes });
    // The outcome of each test counts, not the exit code.
    const accepted = [0, 1];
    await run(program, args, {
      accepted,
      cwd,
      output,
      env: { ...process.env, ...suite.environment(simulator), ...env },
    });
    return existsSync(outcomes) ? suite.outcomesIn(readFileSync(outcomes, "utf8")) : [];
  } finally {
    await simulator.close();
    process.off("exit", clean);
    clean();
  }
}

/** Returns the folder with the built suite. It is kept outside the tree. */
async function ensureBuilt(suite: ClientSuite): Promise<string> {
  const { name, version, inputs } = suite;
  const hash = createHash("sha256");
  for (const input of inputs) hash.update(input);
  const home = join(cacheRoot(process.env), "clients", hash.digest("hex").slice(0, 12));
  const complete = join(home, "complete");
  const progress = createProgress();
  const waiting = (pid: number): void => progress.say(`${name}: process ${pid} is building it; waiting for it`);
  await withLock(`${home}.lock`, waiting, async () => {
    if (existsSync(complete)) return;
    progress.say(`${name} ${version} is not here yet: fetching and building it once, kept in ${home}`);
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
    await suite.build(home);
    writeFileSync(complete, "");
  });
  return home;
}

async function createDomain({ url, token }: Simulator, domain: string): Promise<void> {
  const response = await fetch(`${url}/v4/domains`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ domain, type: "master", soa_email: `admin@${domain}` }),
  });
  if (!response.ok) throw new Error(`the domain ${domain} was not created: ${await response.text()}`);
}

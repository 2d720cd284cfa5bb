/** Runs the tests of a client in Go against a simulator. */
import { createHash } from "node:crypto";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startSimulator } from "../../src/simulator/simulator.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { withLock } from "../run/lock.ts";
import { cacheRoot } from "../run/places.ts";
import { createProgress } from "../run/progress.ts";
import { run } from "./run.ts";
import type { ClientSuite, Outcome } from "./suite.ts";

/** A text in a source file that is replaced before the build. */
interface Patch {
  file: string;
  text: string;
  by: string;
}

/** A suite that `go test` builds. */
export interface GoSuite extends ClientSuite {
  /** Has `go.mod` and `go.sum`, which pin the source package. */
  folder: string;
  /** The module of the source package. */
  module: string;
  /** The package with the tests, below the source package. */
  tests: string;
  /** The word that the client says. */
  brandWord: string;
  /** Points the client at the simulator, and corrects faults of the client that no service can heal. */
  patches: Patch[];
  /** Source files that are replaced as a whole, such as the list of all providers. */
  files: Record<string, string>;
  args: string[];
  /** Stands in the name of a test that the suite leaves out and reports as passed. */
  skipMark: string;
  environment(simulator: { url: string; token: string }): Record<string, string>;
  /** Creates what the tests need. */
  prepare(simulator: Simulator): Promise<void>;
}

/**
 * Builds the suite once, runs it against a simulator of its own on this machine, and returns the outcome of each test.
 *
 * @throws Error with one line, if Go is missing, the source package cannot be fetched, or a patch does not fit
 */
export async function runGo(suite: GoSuite): Promise<Outcome[]> {
  const home = await ensureBuilt(suite);
  const scratch = mkdtempSync(join(tmpdir(), "cloud-platform-clients-"));
  const file = join(scratch, "output");
  const clean = (): void => rmSync(scratch, { recursive: true, force: true });
  process.once("exit", clean);
  const simulator = await startSimulator({ brandWord: suite.brandWord });
  const output = openSync(file, "w");
  try {
    await suite.prepare(simulator);
    await run(join(home, "tests"), ["-test.v", ...suite.args], {
      cwd: join(home, "source", suite.tests),
      // The outcome of each test counts, not the exit code.
      accepted: [0, 1],
      output,
      env: { ...process.env, ...suite.environment(simulator) },
    });
    return outcomesIn(readFileSync(file, "utf8"), suite.skipMark);
  } finally {
    closeSync(output);
    await simulator.close();
    process.off("exit", clean);
    clean();
  }
}

/** Returns the outcomes in the output of `go test -v`. A test with subtests is left out: its subtests count. */
export function outcomesIn(output: string, skipMark: string): Outcome[] {
  const words = { PASS: "passed", FAIL: "failed", SKIP: "skipped" } as const;
  const all = [...output.matchAll(/^ *--- (PASS|FAIL|SKIP): (\S+) \(/gm)].map(
    ([, word = "PASS", test = ""]): Outcome => {
      const outcome = test.includes(skipMark) ? "skipped" : words[word as keyof typeof words];
      return { test, outcome, why: "go test has no reason in this line" };
    },
  );
  const parents = new Set(all.map(({ test }) => test.slice(0, test.lastIndexOf("/"))));
  return all.filter(({ test }) => !parents.has(test));
}

/** Returns the folder with the patched sources and the built tests. It is kept outside the tree. */
async function ensureBuilt(suite: GoSuite): Promise<string> {
  const { folder, name, version, patches, files } = suite;
  const changes = JSON.stringify([patches, files]);
  const hash = createHash("sha256")
    .update(readFileSync(join(folder, "go.sum")))
    .update(changes);
  const home = join(cacheRoot(process.env), "clients", hash.digest("hex").slice(0, 12));
  const progress = createProgress();
  const waiting = (pid: number): void => progress.say(`${name}: process ${pid} is building it; waiting for it`);
  await withLock(`${home}.lock`, waiting, async () => {
    if (existsSync(join(home, "tests"))) return;
    progress.say(`${name} ${version} is not here yet: fetching and building it once, kept in ${home}`);
    rmSync(home, { recursive: true, force: true });
    const source = join(home, "source");
    cpSync(await fetched(suite), source, { recursive: true });
    await run("chmod", ["-R", "u+w", source]);
    for (const patch of patches) apply(source, patch);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(source, file), text);
    await run("go", ["test", "-c", "-o", join(home, "built"), `./${suite.tests}`], { cwd: source, env: goEnvironment });
    renameSync(join(home, "built"), join(home, "tests"));
  });
  return home;
}

const goEnvironment = { ...process.env, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-mod=mod" };

/** Returns the folder of the source package in Go's cache of modules. Go compares the package with `go.sum`. */
async function fetched({ folder, module }: GoSuite): Promise<string> {
  const env = { ...goEnvironment, GOFLAGS: "-mod=readonly" };
  const { stdout } = await promisify(execFile)("go", ["mod", "download", "-json", module], { cwd: folder, env }).catch(
    (error: Error) => {
      throw new Error(`${module} cannot be fetched: ${error.message.split("\n")[0]}`);
    },
  );
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

function apply(source: string, { file, text, by }: Patch): void {
  const path = join(source, file);
  const before = readFileSync(path, "utf8");
  if (!before.includes(text)) throw new Error(`${file} does not contain: ${text}`);
  writeFileSync(path, before.replace(text, by));
}

import { execFile } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { run } from "./run.ts";
import type { ClientSuite, Outcome, SuiteFacts } from "./suite.ts";

/** A text in a source file that is replaced before the build. */
interface Patch {
  file: string;
  text: string;
  by: string;
}

/** A suite that `go test` builds. `folder` has `go.mod` and `go.sum`, which pin the source package. */
interface GoSuite extends Omit<SuiteFacts, "version"> {
  /** The module of the source package. */
  module: string;
  /** The package with the tests, below the source package. */
  tests: string;
  /** Points the client at the simulator, and corrects faults of the client that no service can heal. */
  patches: Patch[];
  /** Source files that are added or replaced as a whole, such as the list of all providers. */
  files: Record<string, string>;
  args: string[];
  /** Stands in the name of a test that the suite leaves out and reports as passed. */
  skipMark: string;
}

/** Returns a suite of a client in Go, at the version in `go.mod`. */
export function goSuite(facts: GoSuite): ClientSuite {
  const { folder, module, tests, patches, files, skipMark } = facts;
  const [, version = ""] = / v(\S+)/.exec(readFileSync(join(folder, "go.mod"), "utf8")) ?? [];
  return {
    ...facts,
    version,
    inputs: [readFileSync(join(folder, "go.sum")), JSON.stringify([module, tests, patches, files])],
    build: (home) => build(facts, home),
    command: ({ home, outcomes }) => ({
      program: join(home, "tests"),
      args: ["-test.v", ...facts.args],
      cwd: join(home, "source", tests),
      env: {},
      output: outcomes,
    }),
    outcomesIn: (text) => outcomesIn(text, skipMark),
  };
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

const goEnvironment = { ...process.env, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-mod=mod" };

/** Builds the tests of the patched sources. */
async function build(suite: GoSuite, home: string): Promise<void> {
  const source = join(home, "source");
  cpSync(await fetched(suite), source, { recursive: true });
  await run("chmod", ["-R", "u+w", source]);
  for (const patch of suite.patches) apply(source, patch);
  for (const [file, text] of Object.entries(suite.files)) writeFileSync(join(source, file), text);
  await run("go", ["test", "-c", "-o", join(home, "tests"), `./${suite.tests}`], { cwd: source, env: goEnvironment });
}

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

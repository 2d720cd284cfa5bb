import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { duration } from "../run/progress.ts";
import type { Progress } from "../run/progress.ts";
import { moduleFolder } from "./module.ts";

export interface GoBuild {
  /** Go module in tools/ that pins what is built. */
  module: string;
  /** Packages by the names that the programs get. */
  packages: Record<string, string>;
  /** Further flags of `go build`. */
  flags?: string[];
  /** For the linker, beside `-s -w`. */
  variables?: string[];
}

/** Go is not there, or cannot say its version. */
export class GoMissing extends Error {
  override readonly name = "GoMissing";
}

/**
 * Builds programs from a Go module of tools/ and renames them into `folder` when whole.
 *
 * @throws GoMissing where there is no Go; Error with one line that ends with what the compiler said last
 */
export async function buildGo(what: GoBuild, folder: string, progress: Progress): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const environment = await goEnvironment(moduleFolder(what.module), progress);
  const scratch = mkdtempSync(join(folder, ".build-"));
  try {
    await compile(what, scratch, environment, progress);
    for (const program of Object.keys(what.packages)) renameSync(join(scratch, program), join(folder, program));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Go settings that do not depend on the person's own: no cgo, no workspace, nothing changed in go.mod. */
async function goEnvironment(module: string, progress: Progress): Promise<NodeJS.ProcessEnv> {
  const environment: NodeJS.ProcessEnv = { ...process.env, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-mod=readonly" };
  for (const name of ["GOOS", "GOARCH", "GOBIN"]) delete environment[name];
  const have = await goVersion(environment);
  const need = /^go (\d+)\.(\d+)/m.exec(readFileSync(join(module, "go.mod"), "utf8"));
  const [major, minor] = [Number(need?.[1]), Number(need?.[2])];
  if (have.major > major || (have.major === major && have.minor >= minor))
    return { ...environment, GOTOOLCHAIN: "local" };
  progress.say(
    `  Go ${have.major}.${have.minor} is older than ${major}.${minor}: it fetches the newer toolchain first`,
  );
  return { ...environment, GOTOOLCHAIN: "auto" };
}

async function goVersion(environment: NodeJS.ProcessEnv): Promise<{ major: number; minor: number }> {
  try {
    const { stdout } = await promisify(execFile)("go", ["version"], { env: { ...environment, GOTOOLCHAIN: "local" } });
    const found = /go(\d+)\.(\d+)/.exec(stdout);
    return { major: Number(found?.[1]), minor: Number(found?.[2]) };
  } catch {
    throw new GoMissing("Go is missing: install Go 1.26 or newer");
  }
}

function compile(
  { module, packages, flags = [], variables = [] }: GoBuild,
  scratch: string,
  env: NodeJS.ProcessEnv,
  progress: Progress,
): Promise<void> {
  // Into a folder, `go build` names each program after its package, which may be called v3 or v4.
  const names = Object.keys(packages);
  const output = names.length === 1 ? join(scratch, names.join("")) : `${scratch}/`;
  const linker = ["-s", "-w", ...variables.map((variable) => `-X ${variable}`)].join(" ");
  const args = ["build", "-v", "-trimpath", "-ldflags", linker, ...flags, "-o", output, ...Object.values(packages)];
  const child = spawn("go", args, { cwd: moduleFolder(module), env, stdio: ["ignore", "ignore", "pipe"] });
  // Tests may run at the same time.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const programs = names.join(", ");
  const watch = follow(programs, progress);
  createInterface({ input: child.stderr }).on("line", (text) => watch.line(text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      const elapsed = watch.stop();
      if (code !== 0) {
        reject(new Error(`go build of ${programs} failed: ${watch.last()}`));
        return;
      }
      progress.say(`  built ${programs} in ${elapsed}`);
      resolve();
    });
  });
}

/** Counts what `go build -v` prints: a line for each module fetched, then one for each package compiled. */
function follow(what: string, progress: Progress): { line(text: string): void; stop(): string; last(): string } {
  const started = performance.now();
  const elapsed = (): string => duration((performance.now() - started) / 1000);
  let modules = 0;
  let packages = 0;
  const other: string[] = [];
  const show = (): void => {
    const fetched = modules > 0 ? `${modules} modules fetched, ` : "";
    progress.step(`  building ${what}: ${fetched}${packages} packages compiled, ${elapsed()}`);
  };
  const timer = setInterval(show, 1000);
  return {
    line(text) {
      if (text.startsWith("go: downloading")) modules += 1;
      else if (/^[\w./~-]+$/.test(text)) packages += 1;
      else other.push(text);
      show();
    },
    stop() {
      clearInterval(timer);
      progress.end();
      return elapsed();
    },
    last: () => other.slice(-3).join(" | ") || "no reason given",
  };
}

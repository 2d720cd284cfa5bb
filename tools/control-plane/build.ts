import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { duration } from "./progress.ts";
import type { Progress } from "./progress.ts";
import { sources, versions } from "./versions.ts";
import type { Program } from "./versions.ts";

/**
 * Builds programs from the Go modules that tools/ pins and renames them into `folder` when whole.
 *
 * @throws Error with one line that says what to do, when Go is missing or a build fails
 */
export async function build(wanted: Program[], folder: string, progress: Progress): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const module of new Set(wanted.map((program) => sources[program].module))) {
    const programs = wanted.filter((program) => sources[program].module === module);
    const environment = await goEnvironment(module, progress);
    const scratch = mkdtempSync(join(folder, ".build-"));
    try {
      await compile(module, programs, scratch, environment, progress);
      for (const program of programs) renameSync(join(scratch, program), join(folder, program));
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
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
    throw new Error(
      "no control plane: install Go 1.26 or newer, or set KUBEBUILDER_ASSETS to a folder with kube-apiserver and etcd, or name a cluster with CLUSTER=path/to/kubeconfig",
    );
  }
}

function compile(
  module: string,
  programs: Program[],
  scratch: string,
  env: NodeJS.ProcessEnv,
  progress: Progress,
): Promise<void> {
  // Into a folder, `go build` names each program after its package; etcd's package is called v3.
  const lone = programs.length === 1 ? programs[0] : undefined;
  const output = lone === undefined ? `${scratch}/` : join(scratch, lone);
  const args = ["build", "-v", "-trimpath", "-ldflags", linkerFlags(), "-o", output];
  const child = spawn("go", [...args, ...programs.map((program) => sources[program].package)], {
    cwd: module,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const watch = follow(programs.join(", "), progress);
  createInterface({ input: child.stderr }).on("line", (text) => watch.line(text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      const elapsed = watch.stop();
      if (code !== 0) {
        reject(new Error(`control plane: go build of ${programs.join(", ")} failed: ${watch.last()}`));
        return;
      }
      progress.say(`  built ${programs.join(", ")} in ${elapsed}`);
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

function linkerFlags(): string {
  const [major, minor] = versions.kubernetes.slice(1).split(".");
  const variable = "-X k8s.io/component-base/version.";
  return `-s -w ${variable}gitVersion=${versions.kubernetes} ${variable}gitMajor=${major} ${variable}gitMinor=${minor}`;
}

import { join } from "node:path";
import { build } from "./build.ts";
import { download, officialOrigins } from "./download.ts";
import type { Origins } from "./download.ts";
import { isExecutable } from "../run/executables.ts";
import { withLock } from "../run/lock.ts";
import { removeScratch } from "../run/scratch.ts";
import { createProgress } from "../run/progress.ts";
import type { Progress } from "../run/progress.ts";
import { cacheFolder, programs, versions } from "./versions.ts";
import type { Binaries, Program } from "./versions.ts";

interface Options {
  /** Default: all of them. */
  wanted?: readonly Program[];
  environment?: NodeJS.ProcessEnv;
  progress?: Progress;
  origins?: Origins;
  builder?: typeof build;
}

/**
 * Makes the programs of a control plane available and says what it does. In this order, each program by itself:
 * the folder `KUBEBUILDER_ASSETS`, the cache of an earlier run, official binaries by checksum, a build from Go modules.
 *
 * @throws Error with one line that says what to do
 */
export async function ensureControlPlane(options: Options = {}): Promise<Binaries> {
  const { wanted = programs, environment = process.env, origins = officialOrigins } = options;
  const progress = options.progress ?? createProgress();
  const cache = cacheFolder(environment);
  const assets = environment["KUBEBUILDER_ASSETS"];
  const folders = assets === undefined || assets === "" ? [cache] : [assets, cache];
  const makeCached = async (): Promise<void> => {
    removeScratch(cache);
    const missing = wanted.filter((program) => locate(program, folders) === undefined);
    if (missing.length === 0) return;
    progress.say(
      `control plane: ${missing.join(", ")} (${versions.kubernetes}) not here yet; trying official binaries`,
    );
    const unavailable = await download(missing, cache, progress, origins);
    if (unavailable.length === 0) return;
    progress.say(`  building from Go modules instead: once, some eight minutes, kept in ${cache}`);
    await (options.builder ?? build)(unavailable, cache, progress);
  };
  if (wanted.some((program) => locate(program, folders) === undefined)) {
    const waiting = (pid: number): void =>
      progress.say(`control plane: process ${pid} is making it available; waiting for it`);
    await withLock(join(cache, ".lock"), waiting, makeCached);
  }
  return Object.fromEntries(wanted.map((program) => [program, found(program, folders)])) as Binaries;
}

function found(program: Program, folders: string[]): string {
  const path = locate(program, folders);
  if (path === undefined) throw new Error(`control plane: ${program} is still missing in ${folders.join(" and ")}`);
  return path;
}

function locate(program: Program, folders: string[]): string | undefined {
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

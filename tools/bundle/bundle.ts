/**
 * The bundle room: makes each program one file without dependencies, for the image and for the published package.
 *
 * It guarantees that a bundle runs from an empty folder on Node 24 and that the licence text of everything in it lies
 * beside it. May import tools of this folder and esbuild; src and test import nothing of it but `bundle`.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { Metafile } from "esbuild";
import { root } from "../run/places.ts";
import { bundledPackages, licences } from "./licences.ts";
import { slim } from "./slim.ts";

export interface Program {
  /** Name of the bundle. */
  file: string;
  /** Where the program begins, from the project's root. */
  entry: string;
  /** Programs of its threads, each a bundle of its own beside it. */
  threads?: Program[];
}

export const programs: Program[] = [
  {
    file: "operator.mjs",
    entry: "src/main.ts",
    threads: [{ file: "lease.mjs", entry: "src/lease-worker.ts" }],
  },
  { file: "simulator.mjs", entry: "src/simulator/main.ts" },
  { file: "cloudplatform.mjs", entry: "src/cli/main.ts" },
];

/**
 * With what Node runs the operator. V8 is told to save memory: each collection of the old heap compacts and gives back what
 * is free, also in the quiet after many creations. So it need not collect early: the old heap may grow by half before, and the
 * young one to 4 MiB. The parser of HTTP, in WebAssembly, stays as first compiled: to optimize its one large function took
 * 20 MiB, of which some 8 were not always given back.
 */
export const nodeFlags = [
  "--max-semi-space-size=4",
  "--memory-saver-mode",
  "--heap-growing-percent=50",
  "--expose-gc",
  "--no-wasm-tier-up",
  "--no-wasm-dynamic-tiering",
];

/**
 * The environment that it runs in: free memory of more than 128 KiB is given back at once, also after much of it was in use. What
 * starting up leaves behind is 13 MiB. One arena for all threads: those that compile and collect would keep one each, 3 to 7 MiB in
 * all. And what is larger than 8 KiB is mapped by itself, so that it goes back as soon as it is free, 4 to 10 MiB.
 */
export const nodeEnvironment = {
  MALLOC_TRIM_THRESHOLD_: "131072",
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: "8192",
};

/** The same for the simulator, which makes more: 4 MiB save 60 MiB under load, and cost no speed. */
export const simulatorNodeFlags = ["--max-semi-space-size=4"];

export const licenceFile = "THIRD-PARTY-LICENSES";

/**
 * Empties the folder and writes into it the bundle of each program, its source map beside it, and the licences.
 *
 * @throws Error where a program cannot be bundled, or a package in it carries no licence text
 */
export async function bundle(folder: string, which: Program[] = programs): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const all = which.flatMap((program) => [program, ...(program.threads ?? [])]);
  const metafiles = await Promise.all(all.map((program) => bundleOne(program, folder)));
  writeFileSync(join(folder, licenceFile), licences(bundledPackages(metafiles, root)));
}

/** Packages in CommonJS ask for Node's modules through `require`, which an ES module does not have. */
const requireShim = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/**
 * Names are kept, so that a stack trace says where it happened; the source map is a file of its own, to be looked up
 * when one is read, and not shipped.
 */
async function bundleOne({ file, entry }: Program, folder: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: join(folder, file),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    sourcemap: "external",
    metafile: true,
    plugins: [slim],
    banner: { js: requireShim },
    logLevel: "warning",
  });
  return metafile;
}

/**
 * Runs each benchmark of bench/ by itself, so that none disturbs another, and shows their figures in one table. A missed
 * goal is named at the end and is no failure: it depends on the machine. All of it goes to bench/results/, with the machine that it
 * was measured on. Exits non-zero when a benchmark failed.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { parseArgs } from "node:util";
import type { Figure } from "../bench/support/measure.ts";
import { draw, save } from "./bench/results.ts";
import { closing, table } from "./bench/table.ts";
import { environment } from "./run/command.ts";
import { root } from "./run/places.ts";
import { createProgress, duration } from "./run/progress.ts";

const { positionals } = parseArgs({ allowPositionals: true });
const names = readdirSync(join(root, "bench"))
  .filter((name) => name.endsWith(".bench.ts"))
  .map((name) => basename(name, ".bench.ts"))
  .filter((name) => positionals.length === 0 || positionals.includes(name));
const progress = createProgress();
const figures: { benchmark: string; figure: Figure }[] = [];
const failed: string[] = [];
for (const name of names.toSorted()) {
  const began = performance.now();
  const child = fork(join(root, "bench", `${name}.bench.ts`), {
    cwd: root,
    env: environment,
    execArgv: ["--expose-gc"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  child.on("message", (figure) => void figures.push({ benchmark: name, figure: figure as Figure }));
  const timer = setInterval(
    () => progress.step(`${name} is running: ${duration((performance.now() - began) / 1000)}`),
    1000,
  );
  const [code] = (await once(child, "close")) as [number | null];
  clearInterval(timer);
  progress.say(`${name}: ${code === 0 ? "done" : "FAILED"} in ${duration((performance.now() - began) / 1000)}`);
  if (code !== 0) failed.push(name);
}
console.log(`\n${table(figures).join("\n")}\n`);
console.log(closing(figures, failed, names.length).join("\n"));
console.log(`raw results: ${relative(root, save({ figures, failed }))}`);
draw({ figures, failed });
process.exitCode = failed.length > 0 || figures.length === 0 ? 1 : 0;

/** Runs each benchmark of bench/ by itself, so that none disturbs another; exits non-zero when one failed. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run/places.ts";
import { show } from "./run/command.ts";

const benchmarks = readdirSync(join(root, "bench")).filter((name) => name.endsWith(".bench.ts"));
for (const name of benchmarks.toSorted()) {
  console.log(`\n${name}`);
  if ((await show("node", ["--expose-gc", join("bench", name)])) !== 0) process.exitCode = 1;
}
if (benchmarks.length === 0) {
  console.error("no benchmark in bench/");
  process.exitCode = 1;
}

import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import type { Figure } from "../../bench/support/measure.ts";
import { root } from "../run/places.ts";
import { plot, seriesOf } from "./plot.ts";

/** What one run of `make bench` found. */
export interface Results {
  figures: { benchmark: string; figure: Figure }[];
  failed: string[];
}

const folder = join(root, "bench", "results");

/** Writes them to a file of their own and says which; they belong to this machine, so they are not committed. */
export function save(results: Results): string {
  const at = new Date().toISOString();
  const machine = {
    processor: cpus()[0]?.model,
    cores: availableParallelism(),
    memoryMiB: Math.round(totalmem() / 2 ** 20),
    node: process.version,
    loadAtTheEnd: loadavg()[0],
  };
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${at.replaceAll(":", "-")}.json`);
  writeFileSync(path, `${JSON.stringify({ at, machine, ...results }, null, 1)}\n`);
  return path;
}

/** Draws how the figures of `growth` grow; what is drawn is beside the results. */
export function draw({ figures }: Results): void {
  const series = seriesOf(figures.filter(({ benchmark }) => benchmark === "growth").map(({ figure }) => figure));
  for (const { file, title, unit, begins } of drawings) {
    const shown = series.filter(({ name, points }) => name.startsWith(begins) && points.length > 1);
    if (shown.length > 0) writeFileSync(join(folder, `${file}.svg`), plot(title, unit, shown));
  }
}

const drawings = [
  { file: "memory", title: "Resident memory", unit: "MiB", begins: "resident" },
  { file: "cpu", title: "CPU for an object from created to Ready", unit: "ms", begins: "CPU for each" },
  { file: "rate", title: "Objects from created to Ready", unit: "a second", begins: "from created to Ready" },
  { file: "restart", title: "All reconciled after a restart", unit: "s", begins: "reconciled" },
];

import { setTimeout as sleep } from "node:timers/promises";

/** Times, in milliseconds, of one thing in several rounds. */
export type Times = number[];

/** Runs each of `things` once a round, in turn, so that what disturbs the machine disturbs all alike; the first round warms up. */
export async function alternate<K extends string>(
  rounds: number,
  things: Record<K, () => Promise<void>>,
): Promise<Record<K, Times>> {
  const names = Object.keys(things) as K[];
  const times = Object.fromEntries(names.map((name) => [name, [] as Times])) as Record<K, Times>;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const began = performance.now();
      await things[name]();
      if (round > 0) times[name].push(performance.now() - began);
    }
  }
  return times;
}

export function median(times: Times): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

/** Runs `work` for 0 up to `count`, at most `parallel` at the same time. */
export async function repeat(
  count: number,
  parallel: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

/** Waits until it holds; asks every second if not told otherwise. Throws when it does not in that time. */
export async function until(
  what: string,
  holds: () => Promise<boolean>,
  { patienceMs, everyMs = 1_000 }: { patienceMs: number; everyMs?: number },
): Promise<void> {
  for (let leftMs = patienceMs; leftMs > 0; leftMs -= everyMs) {
    if (await holds()) return;
    await sleep(everyMs);
  }
  throw new Error(`not within ${patienceMs / 1_000} s: ${what}`);
}

/** One figure of a benchmark. */
export interface Figure {
  what: string;
  value: number;
  unit: string;
  target?: Target;
  baseline?: Baseline;
}

export type Target = { atMost: number } | { atLeast: number };

/** What the same is elsewhere, measured in the same run and in the same unit. */
export interface Baseline {
  of: string;
  value: number;
}

/** Tells a figure to `make bench`, which shows all of them in one table; a benchmark that runs alone shows it itself. */
export function figure(what: string, value: number, unit: string, target?: Target, baseline?: Baseline): void {
  const one: Figure = { what, value, unit, ...(target && { target }), ...(baseline && { baseline }) };
  if (process.send) process.send(one);
  else console.log(rowOf(one).join("  "));
}

/** Cells of a table: what, the goal, the figure, the baseline, the figure divided by that, and whether the goal was met. */
export function rowOf({ what, value, unit, target, baseline }: Figure): string[] {
  const goal =
    target && ("atMost" in target ? `at most ${rounded(target.atMost)}` : `at least ${rounded(target.atLeast)}`);
  const verdict = target === undefined ? "" : isMet(value, target) ? "met" : "MISSED";
  const beside = baseline ? [`${shown(baseline.value)} (${baseline.of})`, shown(value / baseline.value)] : ["", ""];
  return [what, goal ?? "", `${shown(value)} ${unit}`.trim(), ...beside, verdict];
}

export function isMet(value: number, target: Target): boolean {
  return "atMost" in target ? value <= target.atMost : value >= target.atLeast;
}

const shown = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(2));
const rounded = (bound: number): string => (bound < 10 ? String(bound) : Math.round(bound).toLocaleString("en"));

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

/** One line: what, how much, and beside it the target; a missed one makes the program fail. */
export function figure(
  what: string,
  value: number,
  unit: string,
  target?: { atMost: number } | { atLeast: number },
): void {
  const shown = value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(2);
  if (target === undefined) return console.log(`  ${what}: ${shown} ${unit}`);
  const met = "atMost" in target ? value <= target.atMost : value >= target.atLeast;
  const rounded = (bound: number): number => (bound < 10 ? bound : Math.round(bound));
  const bound = "atMost" in target ? `at most ${rounded(target.atMost)}` : `at least ${rounded(target.atLeast)}`;
  console.log(`  ${what}: ${shown} ${unit} (target: ${bound}${met ? "" : ", MISSED"})`);
  if (!met) process.exitCode = 1;
}

/**
 * Cuts the work on large requests into slices. The requests of the process share each turn of the event loop. A small
 * request of another tenant waits for one slice of each large request.
 */
import type { Clock } from "../queue/clock.ts";

/** Work that yields the cost of each slice: about one unit per character read. */
export type Sliced<T> = Generator<number, T>;

/** Highest cost of a slice. A turn of the event loop runs slices up to `turnCost`, 1 to 5 ms, before other callbacks run. */
export const sliceCost = 16_384;
const turnCost = 4 * sliceCost;

interface Job {
  /** Runs one slice. Returns the cost, or undefined if the job has ended. */
  step: () => number | undefined;
}

const lines = new WeakMap<Clock, Job[]>();

/**
 * Runs the work slice by slice, in turn with the rest of the work of this clock. Rejects with the error of the work.
 */
export function inSlices<T>(clock: Clock, work: Sliced<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const step = (): number | undefined => {
      try {
        const { done, value } = work.next();
        if (done !== true) return value;
        resolve(value);
      } catch (error) {
        reject(error instanceof Error ? error : new Error("not an error", { cause: error }));
      }
      return undefined;
    };
    const line = lines.get(clock);
    if (line) return void line.push({ step });
    const own = [{ step }];
    lines.set(clock, own);
    void run(clock, own);
  });
}

async function run(clock: Clock, line: Job[]): Promise<void> {
  for (;;) {
    for (let left = turnCost; left > 0;) {
      const job = line.shift();
      if (!job) break;
      const cost = job.step();
      if (cost !== undefined) line.push(job);
      // Thousands of small jobs may wait, and even a tiny job takes time.
      left -= Math.max(cost ?? 0, leastCost);
    }
    if (line.length === 0) break;
    await clock.turn();
  }
  lines.delete(clock);
}

const leastCost = 512;

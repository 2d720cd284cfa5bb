import { getHeapStatistics } from "node:v8";
import type { Clock } from "../queue/clock.ts";

export interface QuietCollectionOptions {
  clock: Clock;
  /** Collects all garbage at once and gives back what is free; undefined (without `node --expose-gc`): nothing is done. */
  collect: (() => unknown) | undefined;
  /** Bytes that the heap takes from the system; this process's if not given. */
  heapBytes?: () => number;
  /** Which part of the time, 0 to 1, something ran since this was asked last; this process's if not given. */
  busy?: () => number;
}

/** How often it is asked, milliseconds. */
const everyMs = 10_000;
/** Nobody waits for anything where no more than this part of the time is used. */
const quiet = 0.1;
/** So many more bytes than after the last collection are worth one: the young heap alone takes 8 MiB by turns. */
const growthBytes = 12 * 2 ** 20;
/** It stops everything for 1 to 2 ms for each MiB in use: a larger heap is left to V8, which collects it beside the work. */
const mostBytes = 192 * 2 ** 20;

/**
 * Gives memory back in the quiet. V8 collects its old heap only when more is allocated: half as much again as is in use, what creations
 * or a list of thousands have left behind, would stay resident until then. The returned function ends it.
 */
export function collectWhenQuiet({
  clock,
  collect,
  heapBytes = () => getHeapStatistics().total_heap_size,
  busy = busySince(),
}: QuietCollectionOptions): () => void {
  if (!collect) return () => undefined;
  // What starting up leaves behind is collected in any case.
  let leastBytes = 0;
  let cancel = clock.schedule(everyMs, function ask(): void {
    const bytes = heapBytes();
    leastBytes = Math.min(leastBytes, bytes);
    if (busy() < quiet && bytes > leastBytes + growthBytes && bytes <= mostBytes) {
      collect();
      leastBytes = heapBytes();
    }
    cancel = clock.schedule(everyMs, ask);
  });
  return () => cancel();
}

/** As the event loop of this process tells. */
function busySince(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

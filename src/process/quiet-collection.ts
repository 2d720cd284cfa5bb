import { getHeapStatistics } from "node:v8";
import type { Clock } from "../queue/clock.ts";

export interface QuietCollectionOptions {
  clock: Clock;
  /** Runs a full garbage collection and returns free memory. Undefined without `node --expose-gc`. */
  collect: (() => unknown) | undefined;
  /** Returns the size of the heap, bytes. Default: the heap of this process. */
  heapBytes?: () => number;
  /** Returns the share of time, 0 to 1, in which the event loop was busy since the last call. Default: this process. */
  busy?: () => number;
}

/** Interval between checks, milliseconds. */
const everyMs = 10_000;
/** Share of busy time below which the process counts as idle. */
const quiet = 0.1;
/**
 * Growth since the last collection that makes a collection useful, bytes. The young generation alone varies by 8 MiB.
 */
const growthBytes = 12 * 2 ** 20;
/** Largest heap to collect, bytes. A collection blocks the process for 1 to 2 ms per MiB. */
const mostBytes = 192 * 2 ** 20;

/**
 * Collects garbage while the process is idle. V8 collects the old generation only after further allocations. Garbage
 * from creates, or from a list of thousands, would stay resident: half of the used memory. The returned function stops
 * the checks.
 */
export function collectWhenQuiet({
  clock,
  collect,
  heapBytes = () => getHeapStatistics().total_heap_size,
  busy = busySince(),
}: QuietCollectionOptions): () => void {
  if (!collect) return () => undefined;
  // The first check always collects the garbage of the start.
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

function busySince(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

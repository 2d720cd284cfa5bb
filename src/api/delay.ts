import type { Clock } from "../queue/clock.ts";

/** Resolves after `ms` milliseconds of the clock. Rejects with the reason of the signal if the signal aborts first. */
export function delay(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const stop = () => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = clock.schedule(ms, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    signal.addEventListener("abort", stop, { once: true });
  });
}

import type { Clock } from "../queue/clock.ts";

/** Resolves after `ms` milliseconds of the clock. Rejects with the reason of the signal if the signal aborts first. */
export function delay(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(reasonOf(signal));
      return;
    }
    const stop = () => {
      cancel();
      reject(reasonOf(signal));
    };
    const cancel = clock.schedule(ms, () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    signal?.addEventListener("abort", stop, { once: true });
  });
}

export function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error("aborted");
}

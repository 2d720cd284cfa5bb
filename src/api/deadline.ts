import type { Clock } from "../queue/clock.ts";

/** A signal that aborts at a time, or with the first of several signals. */
export interface Deadline {
  signal: AbortSignal;
  /** Removes timer and listeners. Without this call, timer and listeners live as long as the source signals. */
  end(): void;
}

/**
 * Creates a deadline. `atMs` is a clock time, or `Infinity`. The abort reason is an Error with a message. If the only
 * source is one signal, returns the source signal with its own abort reason.
 */
export function createDeadline(clock: Clock, atMs: number, others: (AbortSignal | undefined)[]): Deadline {
  const signals = others.filter((signal) => signal !== undefined);
  const [only] = signals;
  if (only && signals.length === 1 && !Number.isFinite(atMs)) return { signal: only, end: () => undefined };
  const controller = new AbortController();
  const stop = () => controller.abort(new Error("stopped"));
  const late = () => controller.abort(new Error("no response in time"));
  const cancel = Number.isFinite(atMs) ? clock.schedule(Math.max(0, atMs - clock.now()), late) : undefined;
  for (const signal of signals) {
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  }
  return {
    signal: controller.signal,
    end() {
      cancel?.();
      for (const signal of signals) signal.removeEventListener("abort", stop);
    },
  };
}

import type { Clock } from "../queue/clock.ts";

/** A signal that aborts at a time or with one of several others, whichever comes first. */
export interface Deadline {
  signal: AbortSignal;
  /** Takes timer and listeners back. Must be called, or they live as long as the other signals. */
  end(): void;
}

/**
 * `atMs` is a time of the clock, `Infinity` for none; the abort reason is an Error whose message says what happened. Without a
 * time, one other signal alone is the answer itself, with the reason that it has.
 */
export function createDeadline(clock: Clock, atMs: number, others: (AbortSignal | undefined)[]): Deadline {
  const signals = others.filter((signal) => signal !== undefined);
  const [only] = signals;
  if (only && signals.length === 1 && !Number.isFinite(atMs)) return { signal: only, end: () => undefined };
  const controller = new AbortController();
  const stop = () => controller.abort(new Error("stopped"));
  const late = () => controller.abort(new Error("no answer in time"));
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

import type { Clock } from "../../queue/clock.ts";

/** Milliseconds. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/**
 * Time as the simulated service sees it: a clock handed in (the system's by default) plus an offset that a test can move.
 * The wall clock runs at its normal pace; only the durations of jobs are divided by `scale`, so that a pre-signed URL
 * or an SMS code lives as long as the documents say while a database is ready in seconds.
 */
export class SimulatedClock {
  /** Durations of jobs are divided by this number. */
  scale: number;
  /** The `Date` header is ahead of what rows say of their time by so many milliseconds. */
  dateSkew = 0;
  readonly #base: Clock;
  readonly #pending = new Set<() => void>();
  #offset = 0;
  #frozenAt: number | undefined;

  constructor(base: Clock, scale = 1) {
    this.#base = base;
    this.scale = scale;
  }

  /** Milliseconds since 1970, UTC. */
  now(): number {
    return this.#frozenAt ?? this.#base.date().getTime() + this.#offset;
  }

  /** The service's time as the `Date` header tells it. */
  headerDate(): string {
    return new Date(this.now() + this.dateSkew).toUTCString();
  }

  /** Milliseconds that a job of so many documented seconds takes. */
  duration(seconds: number): number {
    return Math.ceil((seconds * 1000) / this.scale);
  }

  /** Moves time forward by `ms`; the caller runs the jobs that became due. */
  advance(ms: number): void {
    this.#offset += ms;
    if (this.#frozenAt !== undefined) this.#frozenAt += ms;
  }

  /** Shows one instant to everything that runs inside `work`: a job sees the moment it was due. */
  at<T>(instant: number, work: () => T): T {
    const before = this.#frozenAt;
    this.#frozenAt = instant;
    try {
      return work();
    } finally {
      this.#frozenAt = before;
    }
  }

  /** Calls back once after `ms` real milliseconds; the returned function cancels. */
  schedule(ms: number, callback: () => void): () => void {
    const cancel = this.#base.schedule(ms, () => {
      this.#pending.delete(cancel);
      callback();
    });
    this.#pending.add(cancel);
    return () => {
      this.#pending.delete(cancel);
      cancel();
    };
  }

  /** Cancels everything that is scheduled: nothing runs on a store that was closed. */
  stop(): void {
    for (const cancel of this.#pending) cancel();
    this.#pending.clear();
  }
}

/** The machine's own time. Timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  turn: () => new Promise((resolve) => setImmediate(resolve)),
  schedule(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, 0x7fff_ffff));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

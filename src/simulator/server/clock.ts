import type { Clock } from "../../queue/clock.ts";

/** Milliseconds. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/**
 * Simulated time: a base clock (default: the system clock) plus an offset that tests can change.
 * `scale` divides only the durations of jobs. Pre-signed URLs and SMS codes live as long as documented, while a
 * database is ready in seconds.
 */
export class SimulatedClock {
  scale: number;
  /** Milliseconds that the `Date` header is ahead of the timestamps in rows. */
  dateSkew = 0;
  readonly #base: Clock;
  readonly #pending = new Set<() => void>();
  #offset = 0;
  #frozenAt: number | undefined;

  constructor(base: Clock, scale = 1) {
    this.#base = base;
    this.scale = scale;
  }

  /** Returns epoch milliseconds. */
  now(): number {
    return this.#frozenAt ?? this.#base.date().getTime() + this.#offset;
  }

  /** Returns the text of the `Date` header. */
  headerDate(): string {
    return new Date(this.now() + this.dateSkew).toUTCString();
  }

  /** Returns the milliseconds of a job with this documented duration. */
  duration(seconds: number): number {
    return Math.ceil((seconds * 1000) / this.scale);
  }

  /** Moves time forward by `ms`. The caller must run due jobs. */
  advance(ms: number): void {
    this.#offset += ms;
    if (this.#frozenAt !== undefined) this.#frozenAt += ms;
  }

  /** Runs `work` with the time set to `instant`. A job sees the due time. */
  at<T>(instant: number, work: () => T): T {
    const before = this.#frozenAt;
    this.#frozenAt = instant;
    try {
      return work();
    } finally {
      this.#frozenAt = before;
    }
  }

  /** Calls back once after `ms` real milliseconds. The returned function cancels the call. */
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

  /** Cancels all scheduled calls, because a call must not use a closed store. */
  stop(): void {
    for (const cancel of this.#pending) cancel();
    this.#pending.clear();
  }
}

/** The system clock. Timers do not keep the process alive. */
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

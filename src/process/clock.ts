import type { Clock } from "../queue/clock.ts";

/** The longest delay that a Node timer keeps; longer ones are chained. */
const longestTimerMs = 0x7fff_ffff;

/** Nanoseconds of the monotonic clock that all threads of this process share, for a time of `systemClock` and back. */
export const sharedTime = {
  of: (now: number): bigint => process.hrtime.bigint() + BigInt(Math.round((now - performance.now()) * 1e6)),
  now: (): bigint => process.hrtime.bigint(),
  /** Milliseconds of `systemClock` in this thread. */
  toClock: (shared: bigint): number => performance.now() + Number(shared - process.hrtime.bigint()) / 1e6,
};

/** Time of this machine: monotonic for `now`, wall clock for `date`. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  turn: () => new Promise((resolve) => setImmediate(resolve)),
  schedule(ms, callback) {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      const step = Math.min(Math.max(0, left), longestTimerMs);
      timer = setTimeout(() => (left > step ? arm(left - step) : callback()), step);
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};

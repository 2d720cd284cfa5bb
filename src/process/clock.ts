import type { Clock } from "../queue/clock.ts";

/** The longest delay of a Node timer. The clock chains timers for a longer delay. */
const longestTimerMs = 0x7fff_ffff;

/** Converts times of `systemClock` to nanoseconds of the monotonic clock that the threads share, and back. */
export const sharedTime = {
  of: (now: number): bigint => process.hrtime.bigint() + BigInt(Math.round((now - performance.now()) * 1e6)),
  now: (): bigint => process.hrtime.bigint(),
  /** Returns milliseconds of `systemClock` in this thread. */
  toClock: (shared: bigint): number => performance.now() + Number(shared - process.hrtime.bigint()) / 1e6,
};

/** Time of the machine: monotonic for `now`, wall clock for `date`. */
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

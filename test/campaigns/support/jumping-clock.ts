import type { Clock } from "../../../src/queue/clock.ts";

/** Real time that a test can move on: what falls due by that runs at once. */
export interface JumpingClock extends Clock {
  advance: (ms: number) => void;
}

interface Timer {
  at: number;
  callback: () => void;
  handle: NodeJS.Timeout;
}

/** For the real network, which cannot wait for a clock that stands still. */
export function createJumpingClock(): JumpingClock {
  let ahead = 0;
  const timers = new Set<Timer>();
  const now = (): number => performance.now() + ahead;
  const arm = (at: number, callback: () => void): Timer => {
    const timer: Timer = {
      at,
      callback,
      handle: setTimeout(() => fire(timer), Math.min(2 ** 31 - 1, Math.max(0, at - now()))),
    };
    timers.add(timer);
    return timer;
  };
  const fire = (timer: Timer): void => {
    timers.delete(timer);
    timer.callback();
  };
  return {
    now,
    date: () => new Date(Date.now() + ahead),
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    schedule(ms, callback) {
      const timer = arm(now() + ms, callback);
      return () => {
        clearTimeout(timer.handle);
        timers.delete(timer);
      };
    },
    advance(ms) {
      ahead += ms;
      for (const timer of timers) {
        clearTimeout(timer.handle);
        timer.handle = setTimeout(() => fire(timer), Math.max(0, timer.at - now()));
      }
    },
  };
}

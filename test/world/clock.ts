import type { Clock } from "../../src/queue/clock.ts";

/** A clock that stands still until it is moved, made for many lives a second. */
export interface WorldClock extends Clock {
  /** Moves time on by `ms`, calling back what falls due in order; what needs no time ends before time goes on. */
  advance(ms: number): Promise<void>;
  /** Lets everything run that needs no time. */
  settle(): Promise<void>;
}

interface Timer {
  at: number;
  order: number;
  callback: (() => void) | undefined;
}

/** Not zero, so that a forgotten `?? 0` or a falsy check shows. */
const origin = 1_000_000;

/**
 * Time begins at `start` and moves just by `advance`. Nothing here uses sockets, so one turn of the event loop is all
 * that promise chains need to come to rest.
 */
export function createWorldClock(start: Date = new Date("2026-01-01T00:00:00Z")): WorldClock {
  let now = origin;
  let order = 0;
  const timers: Timer[] = [];
  const clock: WorldClock = {
    now: () => now,
    date: () => new Date(start.getTime() + now - origin),
    schedule(ms, callback) {
      order += 1;
      const timer: Timer = { at: now + Math.max(0, ms), order, callback };
      insert(timers, timer);
      return () => {
        timer.callback = undefined;
      };
    },
    // No time passes in it: what is in memory waits for nothing else.
    turn: () => Promise.resolve(),
    settle: () => new Promise((resolve) => process.nextTick(resolve)),
    async advance(ms) {
      const end = now + ms;
      await clock.settle();
      for (let head = timers[0]; head !== undefined && head.at <= end; head = timers[0]) {
        timers.shift();
        if (head.callback === undefined) continue;
        now = Math.max(now, head.at);
        head.callback();
        await clock.settle();
      }
      now = end;
    },
  };
  return clock;
}

function insert(timers: Timer[], timer: Timer): void {
  let low = 0;
  let high = timers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = timers[middle];
    if (other !== undefined && (other.at < timer.at || (other.at === timer.at && other.order < timer.order)))
      low = middle + 1;
    else high = middle;
  }
  timers.splice(low, 0, timer);
}

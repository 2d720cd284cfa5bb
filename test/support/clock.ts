import type { Clock } from "../../src/queue/clock.ts";

/** A clock that stands still until the test moves it. */
export interface MovedClock extends Clock {
  /** Moves time on by `ms`, calling back what falls due in order and letting promises settle after each. */
  advance(ms: number): Promise<void>;
  /** How many callbacks wait; a test may assert that nothing was left running. */
  waiting(): number;
}

interface Waiting {
  at: number;
  callback: () => void;
}

/** Time begins at `start` (default 2026-01-01T00:00:00Z) and moves just by `advance`. */
export function createMovedClock(start: Date = new Date("2026-01-01T00:00:00Z")): MovedClock {
  // Not zero, so that a forgotten `?? 0` or a falsy check shows.
  const origin = 1_000_000;
  let now = origin;
  const timers = new Set<Waiting>();
  const nextBy = (end: number): Waiting | undefined =>
    [...timers].filter((each) => each.at <= end).toSorted((a, b) => a.at - b.at)[0];
  return {
    now: () => now,
    date: () => new Date(start.getTime() + now - origin),
    turn: () => Promise.resolve(),
    schedule(ms, callback) {
      const timer = { at: now + Math.max(0, ms), callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let timer = nextBy(end); timer !== undefined; timer = nextBy(end)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.callback();
        await settle();
      }
      now = end;
    },
    waiting: () => timers.size,
  };
}

/** Lets everything run that needs no time: promise chains, and a few turns of the event loop for local sockets. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Moves the clock until the call ends, at most two minutes. */
export async function driven<T>(clock: Pick<MovedClock, "advance">, call: Promise<T>): Promise<T> {
  const state = { ended: false };
  const end = () => void (state.ended = true);
  call.then(end, end);
  for (let n = 0; n < 1_200 && !state.ended; n++) await clock.advance(100);
  return call;
}

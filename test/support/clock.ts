import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../src/queue/clock.ts";

export interface MovedClock extends Clock {
  /** Moves time forward, timer by timer in order, and lets all that follows from each run before the next. */
  advance(ms: number): Promise<void>;
  /** How many timers are set: to prove that nothing was left behind. */
  pending(): number;
}

const START = Date.parse("2026-11-21T00:00:00Z");
const MAX_TIMERS_IN_ONE_ADVANCE = 1_000_000;

/** A clock that stands still until a test moves it. `now()` begins at 0, `date()` at midnight of 2026-11-21 UTC. */
export function createMovedClock(): MovedClock {
  const timers = new Set<{ at: number; callback: () => void }>();
  let now = 0;

  const next = (end: number) => {
    let first: { at: number; callback: () => void } | undefined;
    for (const timer of timers) {
      if (timer.at <= end && (first === undefined || timer.at < first.at)) first = timer;
    }
    return first;
  };

  return {
    now: () => now,
    date: () => new Date(START + now),
    schedule(ms, callback) {
      const timer = { at: now + Math.max(0, ms), callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms) {
      const end = now + ms;
      await turn();
      for (let fired = 0; fired < MAX_TIMERS_IN_ONE_ADVANCE; fired += 1) {
        const timer = next(end);
        if (timer === undefined) break;
        now = Math.max(now, timer.at);
        timers.delete(timer);
        timer.callback();
        await turn();
      }
      now = end;
      await turn();
    },
    pending: () => timers.size,
  };
}

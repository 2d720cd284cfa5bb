/** The clock of a run. The time stands still until the run moves it to the next timer. */
import type { Clock } from "../queue/clock.ts";
import { createHeap } from "../queue/heap.ts";

export interface RunClock extends Clock {
  /** Waits for a call that takes no simulated time, such as a request to the copy. Time does not move before its end. */
  during: <T>(call: Promise<T>) => Promise<T>;
  /** Resolves at the end of all work without simulated time. */
  settle: () => Promise<void>;
  /** Moves to the next timer and runs it. Without a timer before `end`, moves to `end`, clock milliseconds. */
  step: (end: number) => Promise<void>;
}

interface Timer {
  at: number;
  order: number;
  callback: () => void;
  slot: number;
}

/** Starts a clock at a wall-clock time. */
export function createRunClock(start: Date): RunClock {
  let now = 0;
  let order = 0;
  let calls = 0;
  const timers = createHeap<Timer>(
    (left, right) => left.at < right.at || (left.at === right.at && left.order < right.order),
  );
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const clock: RunClock = {
    now: () => now,
    date: () => new Date(start.getTime() + now),
    schedule(ms, callback) {
      order += 1;
      const timer: Timer = { at: now + Math.max(0, ms), order, callback, slot: -1 };
      timers.push(timer);
      return () => timers.remove(timer);
    },
    turn,
    async during(call) {
      calls += 1;
      try {
        return await call;
      } finally {
        calls -= 1;
      }
    },
    async settle() {
      // Callers react to the end of a call in microtasks, which run before the second turn.
      for (let quiet = 0; quiet < 2; quiet += 1) {
        await turn();
        if (calls > 0) quiet = -1;
      }
    },
    async step(end) {
      await clock.settle();
      const next = timers.peek();
      if (!next || next.at > end) {
        now = Math.max(now, end);
        return;
      }
      timers.pop();
      now = Math.max(now, next.at);
      next.callback();
      await clock.settle();
    },
  };
  return clock;
}

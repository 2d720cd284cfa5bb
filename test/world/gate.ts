import type { Clock } from "../../src/queue/clock.ts";

/** One process: what it holds acts on the world only through here, and not at all once it is gone. */
export interface Gate {
  /** Names the process, in ledgers. */
  process: number;
  alive: () => boolean;
  /** The process is gone, at whatever it waits for. */
  kill: () => void;
  /** The process will be gone at the nth of its steps from now: each call has one before it and one after it was applied. */
  killAfter: (steps: number) => void;
  /** One step; false once the process is gone. */
  step: () => boolean;
  /** Does one call, after `latencyMs`; the promise stays open for ever when the process is gone before the answer. */
  call: <T>(latencyMs: number, run: () => T) => Promise<T>;
  /** Timers that a process had die with it. */
  clock: Clock;
}

/** So many steps at one moment are a loop that no timer and no answer ends. */
const mostSteps = 20_000;

/** `onLoop` is told of a process that makes calls without end while no time passes; it is ended. */
export function createGate(process: number, clock: Clock, onLoop: () => void = () => undefined): Gate {
  let alive = true;
  let left = Infinity;
  let moment = { at: clock.now(), steps: 0 };
  const gate: Gate = {
    process,
    alive: () => alive,
    kill() {
      alive = false;
    },
    killAfter(steps) {
      left = steps;
    },
    step() {
      left -= 1;
      if (left < 0) alive = false;
      if (moment.at !== clock.now()) moment = { at: clock.now(), steps: 0 };
      moment.steps += 1;
      if (alive && moment.steps > mostSteps) {
        alive = false;
        onLoop();
      }
      return alive;
    },
    call: (latencyMs, run) =>
      new Promise((resolve, reject) => {
        const act = () => {
          if (!gate.step()) return;
          const answer = outcomeOf(run);
          if (!gate.step()) return;
          if (answer.error === undefined) resolve(answer.value);
          else reject(answer.error);
        };
        if (latencyMs > 0) gate.clock.schedule(latencyMs, act);
        else act();
      }),
    clock: {
      now: () => clock.now(),
      date: () => clock.date(),
      turn: () => clock.turn(),
      schedule: (ms, callback) =>
        clock.schedule(ms, () => {
          if (alive) callback();
        }),
    },
  };
  return gate;
}

function outcomeOf<T>(run: () => T): { value: T; error?: undefined } | { error: Error } {
  try {
    return { value: run() };
  } catch (error) {
    return { error: error as Error };
  }
}

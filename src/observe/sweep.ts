import type { Clock } from "../queue/clock.ts";

/** Looks at one thing again and again, never twice at once. */
export interface Sweep {
  /** The time of the next look may have come nearer. */
  plan(): void;
  close(): void;
}

export interface SweepOptions {
  clock: Clock;
  /** Clock time of the next look; asked again after each look and at each `plan`. */
  dueAt: () => number;
  /** Must not reject. */
  look: () => Promise<void>;
}

interface State extends SweepOptions {
  timer: { at: number; cancel: () => void } | undefined;
  looking: boolean;
  closed: boolean;
}

/** Creates a sweep with one timer, set by the first `plan`. */
export function createSweep(options: SweepOptions): Sweep {
  const state: State = { ...options, timer: undefined, looking: false, closed: false };
  return {
    plan: () => plan(state),
    close() {
      state.closed = true;
      state.timer?.cancel();
    },
  };
}

function plan(state: State): void {
  if (state.looking || state.closed) return;
  const { clock, dueAt, timer } = state;
  const at = dueAt();
  if (timer !== undefined && timer.at <= at) return;
  timer?.cancel();
  const cancel = clock.schedule(Math.max(0, at - clock.now()), () => fire(state));
  state.timer = { at, cancel };
}

function fire(state: State): void {
  state.timer = undefined;
  // What was due may have been read meanwhile by somebody who needed it at once.
  if (state.dueAt() > state.clock.now()) {
    plan(state);
    return;
  }
  state.looking = true;
  void state.look().finally(() => {
    state.looking = false;
    plan(state);
  });
}

import type { Clock } from "../queue/clock.ts";

/** Reads one thing again and again, never twice at once. */
export interface Sweep {
  /** The time of the next read may have come nearer. */
  plan(): void;
  close(): void;
}

export interface SweepOptions {
  clock: Clock;
  /** Clock time of the next read; asked again after each and at each `plan`. */
  dueAt: () => number;
  /** Must not reject. */
  read: () => Promise<void>;
}

interface State extends SweepOptions {
  timer: { at: number; cancel: () => void } | undefined;
  reading: boolean;
  closed: boolean;
}

/** Creates a sweep with one timer, set by the first `plan`. */
export function createSweep(options: SweepOptions): Sweep {
  const state: State = { ...options, timer: undefined, reading: false, closed: false };
  return {
    plan: () => plan(state),
    close() {
      state.closed = true;
      state.timer?.cancel();
    },
  };
}

function plan(state: State): void {
  if (state.reading || state.closed) return;
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
  state.reading = true;
  void state.read().finally(() => {
    state.reading = false;
    plan(state);
  });
}

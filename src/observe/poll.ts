import type { Clock } from "../queue/clock.ts";

/** Reads repeatedly, and never twice at the same time. */
export interface Poll {
  /** Schedules the next read again, because it may be due sooner. */
  plan(): void;
  close(): void;
}

export interface PollOptions {
  clock: Clock;
  /** Returns the clock time of the next read. Called after each read and by `plan`. */
  dueAt: () => number;
  /** Reads once. Must not reject. */
  read: () => Promise<void>;
}

interface State extends PollOptions {
  timer: { at: number; cancel: () => void } | undefined;
  reading: boolean;
  closed: boolean;
}

/** Creates a poll with one timer. The first `plan` sets the timer. */
export function createPoll(options: PollOptions): Poll {
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
  // An urgent caller may have read in the meantime.
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

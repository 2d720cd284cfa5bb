import type { Clock } from "../queue/clock.ts";
import type { ReadOptions } from "./types.ts";

export interface SharedRead<T> {
  /**
   * Joins the read in flight if the read began late enough, or the following read. Rejects with the error of the read,
   * or with the reason of the signal.
   */
  ask(options: ReadOptions): Promise<T>;
  idle(): boolean;
}

interface State<T> {
  clock: Clock;
  start: (read: { startedAt: number; urgent: boolean }) => Promise<T>;
  flying: { startedAt: number; promise: Promise<T> } | undefined;
  /** The next read, shared by callers that cannot use the read in flight. */
  following: { urgent: boolean; promise: Promise<T> } | undefined;
}

/** Creates a shared read. `start` never runs twice at the same time. */
export function createSharedRead<T>(clock: Clock, start: State<T>["start"]): SharedRead<T> {
  const state: State<T> = { clock, start, flying: undefined, following: undefined };
  return {
    ask: ({ after = -Infinity, urgent = false, signal }) => orAbort(join(state, after, urgent), signal),
    idle: () => state.flying === undefined && state.following === undefined,
  };
}

function join<T>(state: State<T>, after: number, urgent: boolean): Promise<T> {
  const { flying, following } = state;
  if (flying !== undefined && flying.startedAt >= after) return flying.promise;
  if (following !== undefined) {
    following.urgent ||= urgent;
    return following.promise;
  }
  return flying === undefined ? begin(state, urgent) : follow(state, flying.promise, urgent);
}

function begin<T>(state: State<T>, urgent: boolean): Promise<T> {
  const startedAt = state.clock.now();
  const promise = state.start({ startedAt, urgent }).finally(() => (state.flying = undefined));
  state.flying = { startedAt, promise };
  return promise;
}

function follow<T>(state: State<T>, before: Promise<T>, urgent: boolean): Promise<T> {
  const beginNow = () => {
    const isUrgent = state.following?.urgent ?? urgent;
    state.following = undefined;
    return begin(state, isUrgent);
  };
  const promise = before.then(beginNow, beginNow);
  state.following = { urgent, promise };
  return promise;
}

/** Rejects when the signal aborts. The read continues for other callers. */
function orAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

import type { Clock } from "../queue/clock.ts";
import type { ReadOptions } from "./types.ts";

/** One kind of read that many ask for at the same time. */
export interface SharedRead<T> {
  /** Joins the read in flight if it began late enough, else the one that follows it. Rejects with its error, or with the signal's reason. */
  ask(options: ReadOptions): Promise<T>;
  idle(): boolean;
}

interface State<T> {
  clock: Clock;
  start: (read: { startedAt: number; urgent: boolean }) => Promise<T>;
  flying: { startedAt: number; promise: Promise<T> } | undefined;
  /** The one read that follows; all who cannot use the one in flight share it. */
  following: { urgent: boolean; promise: Promise<T> } | undefined;
}

/** `start` begins a read; it is never begun twice at once. */
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

/** Only the asker stops waiting: the read is others' too. */
function orAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

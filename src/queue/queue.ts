/**
 * Room `queue`: a delay queue of keys, between the sources of changes and the reconcile flow.
 * Guarantees: a key waits once, at its earliest time. Two workers never handle a key at the same time. A handler that
 * throws or hangs blocks only its own worker. Changes by users go first, but other keys never starve. A lane with slow
 * handlers delays no other lane while workers are free. A tenant delays the keys of another tenant by one turn.
 * Imports nothing; the caller passes clock and randomness. Assumes that the keys fit into memory (100,000).
 */
import { backoff } from "./backoff.ts";
import type { Clock } from "./clock.ts";
import { createHeap, type Heap } from "./heap.ts";
import { createLanes, type Laned, type Lanes } from "./lanes.ts";
import type { Failure, KeyState, Outcome, Place, Queue, Urgency } from "./types.ts";

export interface QueueOptions {
  clock: Clock;
  /** Keys handled at the same time. */
  workers: number;
  /** Keys of one lane handled at the same time. Default: `workers`. */
  workersPerLane?: number;
  /** Returns the tenant and the lane of a due key. Must not throw. Default: one lane for all keys. */
  laneOf?: (key: string) => Place;
  handle: (key: string) => Promise<Outcome>;
  /** Random number from 0 to 1, for jitter. */
  random?: () => number;
  /** Called after a handler threw. The queue retries the key with backoff. */
  onError?: (key: string, error: unknown) => void;
  /** Called for every key that begins to wait, for metrics. Not called for a key that already waits. */
  onAdded?: (key: string) => void;
  /** Called after every handled key, for metrics. */
  onHandled?: (measure: Handled) => void;
}

export interface Handled {
  key: string;
  /** From the due time until a worker took the key. */
  waitedMs: number;
  ranMs: number;
  outcome: Outcome["type"];
  /** A handler that threw counts as an unexpected failure. */
  failed: Failure | undefined;
}

/** A key and its state. An entry is in one heap at most, and in no heap while a handler runs. */
interface Entry extends Laned {
  /** Due time, by the clock. */
  at: number;
  urgency: Urgency;
  order: number;
  failures: number;
  /** The first delay of this series of failures, milliseconds. */
  firstMs: number;
  /** Clock time when the handler started. */
  runningSince: number | undefined;
  /** Set if a caller adds the key again while the handler runs. */
  again: { at: number; urgency: Urgency } | undefined;
}

interface State {
  options: QueueOptions;
  entries: Map<string, Entry>;
  ready: Lanes<Entry>;
  delayed: Heap<Entry>;
  active: number;
  order: number;
  phase: "held" | "running" | "stopped";
  pumping: boolean;
  /**
   * Clock time when the current slice began, and handlers started since. A slice ends with a turn of the event loop.
   */
  slice: { start: number; begun: number } | undefined;
  alarm: { at: number; cancel: () => void } | undefined;
  drained: (() => void)[];
}

/** A key changed by a user counts as due this much earlier, and overtakes every key that waited less. */
const HEAD_START_MS = 3_600_000;

/**
 * Milliseconds until the event loop gets a turn. Handlers without I/O would otherwise block lease renewal and watches.
 */
const SLICE_MS = 20;

/** Most handlers started in one slice. Each handler runs synchronously until its first wait. */
const MOST_BEGUN = 16;

/** Creates the queue. No handler runs before `start()`. A handler that throws counts as `backoff`. */
export function createQueue(options: QueueOptions): Queue {
  const state: State = {
    options,
    entries: new Map(),
    ready: createLanes<Entry>({
      laneOf: options.laneOf ?? (() => ({ tenant: "", lane: "" })),
      perLane: options.workersPerLane ?? options.workers,
      goesFirst,
      urgent: ({ urgency }) => urgency === "user",
    }),
    delayed: createHeap((a, b) => a.at < b.at),
    active: 0,
    order: 0,
    phase: "held",
    pumping: false,
    slice: undefined,
    alarm: undefined,
    drained: [],
  };
  return {
    add: (key, { afterMs = 0, urgency = "resync" } = {}) => add(state, key, afterMs, urgency),
    reset(key) {
      const entry = state.entries.get(key);
      if (entry !== undefined) entry.failures = 0;
    },
    start() {
      if (state.phase !== "held") return;
      state.phase = "running";
      pumpSoon(state);
    },
    stop: () => stop(state),
    depth() {
      collectDue(state);
      return { ready: state.ready.size(), delayed: state.delayed.size(), active: state.active };
    },
    keys: () => keysOf(state),
  };
}

function* keysOf({ entries, options }: State): Generator<KeyState> {
  const now = options.clock.now();
  for (const { key, urgency, at, runningSince } of entries.values()) {
    const waiting = at <= now ? "ready" : "delayed";
    const ranMs = runningSince === undefined ? 0 : now - runningSince;
    yield { key, urgency, state: runningSince === undefined ? waiting : "active", ranMs };
  }
}

function goesFirst(a: Entry, b: Entry): boolean {
  const rank = (entry: Entry) => entry.at - (entry.urgency === "user" ? HEAD_START_MS : 0);
  const difference = rank(a) - rank(b);
  return difference === 0 ? a.order < b.order : difference < 0;
}

function add(state: State, key: string, afterMs: number, urgency: Urgency): void {
  if (state.phase === "stopped") return;
  const at = state.options.clock.now() + Math.max(0, afterMs);
  const entry = state.entries.get(key);
  if (entry === undefined) {
    const rest = {
      order: 0,
      failures: 0,
      firstMs: firstPauseMs,
      runningSince: undefined,
      again: undefined,
      slot: -1,
      lane: undefined,
    };
    const fresh: Entry = { key, at, urgency, ...rest };
    state.entries.set(key, fresh);
    state.options.onAdded?.(key);
    wait(state, fresh);
  } else if (entry.runningSince !== undefined) {
    if (entry.again === undefined) state.options.onAdded?.(key);
    entry.again = sooner(entry.again, { at, urgency });
  } else if (at < entry.at || (urgency === "user" && entry.urgency === "resync")) {
    if (entry.lane === undefined) state.delayed.remove(entry);
    else state.ready.leave(entry);
    wait(state, Object.assign(entry, sooner(entry, { at, urgency })));
  }
}

function sooner(a: { at: number; urgency: Urgency } | undefined, b: { at: number; urgency: Urgency }) {
  if (a === undefined) return b;
  const urgency: Urgency = a.urgency === "user" || b.urgency === "user" ? "user" : "resync";
  return { at: Math.min(a.at, b.at), urgency };
}

function wait(state: State, entry: Entry): void {
  state.order += 1;
  entry.order = state.order;
  const due = entry.at <= state.options.clock.now();
  (due ? state.ready : state.delayed).push(entry);
  pumpSoon(state);
}

/** Starts handlers outside `add`, because a handler may add keys. */
function pumpSoon(state: State): void {
  if (state.pumping || state.phase !== "running") return;
  state.pumping = true;
  queueMicrotask(() => {
    state.pumping = false;
    pump(state);
  });
}

function pump(state: State): void {
  if (state.phase !== "running") return;
  collectDue(state);
  while (state.active < state.options.workers && state.ready.open() && hasTime(state)) {
    const entry = state.ready.next();
    if (entry === undefined) break;
    if (state.slice) state.slice.begun += 1;
    void run(state, entry);
  }
  setAlarm(state);
}

function collectDue(state: State): void {
  const now = state.options.clock.now();
  for (let head = state.delayed.peek(); head !== undefined && head.at <= now; head = state.delayed.peek()) {
    state.delayed.remove(head);
    state.ready.push(head);
  }
}

function hasTime(state: State): boolean {
  const { clock } = state.options;
  if (state.slice === undefined) {
    state.slice = { start: clock.now(), begun: 0 };
    clock.schedule(0, () => {
      state.slice = undefined;
      pump(state);
    });
  }
  const { start, begun } = state.slice;
  return begun < MOST_BEGUN && clock.now() - start < SLICE_MS;
}

function setAlarm(state: State): void {
  const at = state.delayed.peek()?.at;
  if (at === state.alarm?.at) return;
  state.alarm?.cancel();
  state.alarm = undefined;
  if (at === undefined) return;
  const { clock } = state.options;
  const cancel = clock.schedule(at - clock.now(), () => {
    state.alarm = undefined;
    pump(state);
  });
  state.alarm = { at, cancel };
}

async function run(state: State, entry: Entry): Promise<void> {
  const { clock, handle, onError, onHandled } = state.options;
  const began = clock.now();
  const waitedMs = began - entry.at;
  entry.runningSince = began;
  state.active += 1;
  let outcome: Outcome = { type: "backoff" };
  let thrown: { error: unknown } | undefined;
  try {
    outcome = await handle(entry.key);
  } catch (error) {
    thrown = { error };
  }
  settle(state, entry, outcome);
  if (thrown !== undefined) onError?.(entry.key, thrown.error);
  const failed = thrown !== undefined ? "unexpected" : outcome.type === "done" ? undefined : outcome.failed;
  onHandled?.({ key: entry.key, waitedMs, ranMs: clock.now() - began, outcome: outcome.type, failed });
}

function settle(state: State, entry: Entry, outcome: Outcome): void {
  const { clock, random = Math.random } = state.options;
  entry.runningSince = undefined;
  state.active -= 1;
  state.ready.end(entry);
  const delay = outcome.type === "backoff" ? fail(entry, outcome, random()) : afterMs(outcome);
  if (outcome.type !== "backoff") entry.failures = 0;
  const planned = delay === undefined ? undefined : { at: clock.now() + delay, urgency: "resync" as const };
  const next = entry.again && planned ? sooner(entry.again, planned) : (entry.again ?? planned);
  if (entry.again === undefined && next !== undefined) state.options.onAdded?.(entry.key);
  entry.again = undefined;
  if (next === undefined || state.phase === "stopped") {
    state.entries.delete(entry.key);
  } else {
    wait(state, Object.assign(entry, next));
  }
  if (state.active === 0) for (const resolve of state.drained.splice(0)) resolve();
  pumpSoon(state);
}

/** First and longest pause after failures, milliseconds. */
const [firstPauseMs, longestMs] = [1_000, 300_000];

/** Counts a failure. Returns the milliseconds to wait. `chance`: 0 to 1. */
function fail(entry: Entry, { firstMs = firstPauseMs }: { firstMs?: number }, chance: number): number {
  entry.failures = entry.firstMs === firstMs ? entry.failures + 1 : 1;
  entry.firstMs = firstMs;
  // Keys that failed together spread out over a quarter of the pause.
  return backoff(entry.failures, firstMs, longestMs) * (1 - chance / 4);
}

/** Returns at least one millisecond for a positive delay, because adding less may not change the clock time. */
function afterMs(outcome: Outcome): number | undefined {
  if (outcome.type !== "later") return undefined;
  return outcome.afterMs > 0 ? Math.max(1, outcome.afterMs) : 0;
}

function stop(state: State): Promise<void> {
  state.phase = "stopped";
  state.alarm?.cancel();
  state.alarm = undefined;
  if (state.active === 0) return Promise.resolve();
  return new Promise((resolve) => state.drained.push(resolve));
}

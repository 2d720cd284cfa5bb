/*
 * Room `queue`: a delay queue of keys, between everything that notices a change and the reconcile flow.
 * Guarantees: a key waits once, with its earliest time; it is never handled twice at once; a handler that throws or
 * hangs delays no other key beyond its own worker; users' changes go before the rest, which is never starved; a lane
 * whose handlers are slow delays no other lane while workers are left; a tenant delays the keys of another by one turn.
 * Imports nothing; time and chance are handed in. Assumes that keys are few enough to be held in memory (100,000).
 */
import { backoffMs, FIRST_MS } from "./backoff.ts";
import type { Clock } from "./clock.ts";
import { createHeap, type Heap } from "./heap.ts";
import { createLanes, type Laned, type Lanes } from "./lanes.ts";
import type { Failure, KeyState, Outcome, Place, Queue, Urgency } from "./types.ts";

export interface QueueOptions {
  clock: Clock;
  /** Keys handled at the same time, in all. */
  workers: number;
  /** …and in one lane; default: `workers`. */
  workersPerLane?: number;
  /** Returns the tenant and the lane of a key when it is due; must not throw. Default: one lane for all keys. */
  laneOf?: (key: string) => Place;
  handle: (key: string) => Promise<Outcome>;
  /** 0 to 1; for jitter. */
  random?: () => number;
  /** Told of a handler that threw; the key is tried again with backoff. */
  onError?: (key: string, error: unknown) => void;
  /** Told of every key that begins to wait, for metrics; one that waits already does not begin again. */
  onAdded?: (key: string) => void;
  /** Told of every key handled, for metrics. */
  onHandled?: (measure: Handled) => void;
}

export interface Handled {
  key: string;
  /** From the time the key was due until a worker took it. */
  waitedMs: number;
  ranMs: number;
  outcome: Outcome["type"];
  /** A handler that threw is an unexpected failure. */
  failed: Failure | undefined;
}

/** A key with what is known of it; it stands in one heap at most, in none while it is handled. */
interface Entry extends Laned {
  /** Clock time when it is due. */
  at: number;
  urgency: Urgency;
  order: number;
  failures: number;
  /** What the delay of these failures began with, milliseconds. */
  firstMs: number;
  /** Clock time since when it is handled. */
  runningSince: number | undefined;
  /** Added again while it is handled. */
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
  /** When handlers began to run without the event loop having had a turn, by the clock, and how many did since. */
  slice: { start: number; begun: number } | undefined;
  alarm: { at: number; cancel: () => void } | undefined;
  drained: (() => void)[];
}

/** A user's key counts as due this much earlier: it overtakes every key that has not waited as long. */
const HEAD_START_MS = 3_600_000;

/** Handlers that never wait for I/O would keep the event loop from lease renewal and watches; it gets its turn after this. */
const SLICE_MS = 20;

/** …and after so many were begun: what each of them does before it waits is done in the same turn. */
const MOST_BEGUN = 16;

/** Creates the queue; nothing is handled before `start()`, and a handler that throws counts as `backoff`. */
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
      firstMs: FIRST_MS,
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

/** Handlers never run inside `add`, so that a handler may add keys without nesting. */
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

/** One more failure of its sort; answers how long to wait, milliseconds. */
function fail(entry: Entry, { firstMs = FIRST_MS }: { firstMs?: number }, chance: number): number {
  entry.failures = entry.firstMs === firstMs ? entry.failures + 1 : 1;
  entry.firstMs = firstMs;
  return backoffMs(entry.failures, chance, firstMs);
}

/** A part of a millisecond is one: so little added to the time may leave it as it is, and the key would be handled without end. */
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

import type { Clock } from "../queue/clock.ts";
import { createBucket, freeAt, hasRoom, learn, take, type Bucket, type Lesson } from "./bucket.ts";
import { limitOf, totalLimit } from "./limits.ts";
import type { Pace, Permit, Priority } from "./types.ts";

export interface Turn {
  operation: string;
  /** The operation reads a paginated list. */
  paged: boolean;
  priority: Priority;
  urgent: boolean;
  signal?: AbortSignal;
}

/** Thrown if the limit is used up for longer than a request may wait. The request was not sent. */
export interface Exhausted {
  exhaustedForMs: number;
}

export interface Limiter {
  /** Resolves when the request may be sent. Rejects with `Exhausted`, or with the reason of an aborted signal. */
  acquire(turn: Turn): Promise<Permit>;
  /** Updates the limits from a response. `retryAfterMs` is set for a 429. */
  learn(turn: Pick<Turn, "operation" | "paged">, lesson: Lesson | undefined, retryAfterMs?: number): void;
  /** Returns the remaining requests of each known limit. */
  remaining(): { limit: string; remaining: number }[];
  /** Returns the intervals between requests that use at most this share of each applicable limit. */
  paces(turn: Pick<Turn, "operation" | "paged">, share: number): Pace[];
}

interface LimiterOptions {
  clock: Clock;
  /** Longest wait of a request, milliseconds. */
  maxWaitMs?: number;
  /** The total limit, if the cloud does not use the documented limit. */
  requestsInTwoMinutes?: number | undefined;
}

interface Waiter {
  turn: Turn;
  order: number;
  buckets: Bucket[];
  grant: () => void;
  /** Rejects the request because of a wait of `waitMs` milliseconds. */
  refuse: (waitMs: number) => void;
}

interface State {
  clock: Clock;
  maxWaitMs: number;
  buckets: Map<string, Bucket>;
  waiting: Waiter[];
  order: number;
  alarm: (() => void) | undefined;
}

/**
 * Creates the limiter. A request is sent immediately if the limits have room. Waiting requests go by priority, then
 * users' requests first, then in order of arrival. A request that waits for the limit of its operation delays no other
 * operation. The last tenth of every limit is reserved for urgent calls. No request waits longer than `maxWaitMs`: the
 * queue handles longer waits. Until the first response, the limit is a guess and requests wait, because the response
 * may permit more.
 */
export function createLimiter({ clock, maxWaitMs = 10_000, requestsInTwoMinutes }: LimiterOptions): Limiter {
  const total = createBucket({ ...totalLimit, ...(requestsInTwoMinutes && { requests: requestsInTwoMinutes }) });
  const state: State = {
    clock,
    maxWaitMs,
    buckets: new Map([[total.name, total]]),
    waiting: [],
    order: 0,
    alarm: undefined,
  };
  return {
    async acquire(turn) {
      await acquire(state, turn);
      return permitFor(state, bucketsFor(state, turn));
    },
    learn(turn, lesson, retryAfterMs) {
      const refused = retryAfterMs !== undefined;
      const bucket = lesson === undefined ? bucketsFor(state, turn)[0] : meant(state, turn, lesson, refused);
      if (lesson !== undefined) learn(bucket, lesson);
      for (const one of bucketsFor(state, turn)) one.answered = true;
      if (retryAfterMs !== undefined) bucket.blockedUntil = Math.max(bucket.blockedUntil, clock.now() + retryAfterMs);
      serve(state);
      refuseLongWaits(state);
    },
    remaining: () =>
      [...state.buckets.values()].map(({ name, limit, used, resetAt }) => ({
        limit: name,
        remaining: clock.now() >= resetAt ? limit : Math.max(0, limit - used),
      })),
    paces: (turn, share) =>
      bucketsFor(state, turn).map(({ name, limit, windowMs }) => ({
        limit: name,
        everyMs: windowMs / Math.max(1, limit * share),
      })),
  };
}

const RANK: Record<Priority, number> = { delete: 0, create: 1, update: 2, observe: 3 };

function bucketsFor(state: State, { operation, paged }: Pick<Turn, "operation" | "paged">): [Bucket, Bucket] {
  const limit = limitOf(operation, paged);
  const own = limit.shared && state.buckets.get(operation);
  const specific = own || (state.buckets.get(limit.bucket) ?? createBucket(limit));
  const total = state.buckets.get(totalLimit.bucket) ?? createBucket(totalLimit);
  state.buckets.set(specific.name, specific);
  return [specific, total];
}

/**
 * Returns the limit that a response describes; the headers do not name the limit. Assumes the limit of the operation,
 * unless the figure fits only the total limit. If operations share a limit and a response shows a different figure, the
 * operation gets a separate limit.
 */
function meant(state: State, turn: Pick<Turn, "operation" | "paged">, lesson: Lesson, refused: boolean): Bucket {
  const [specific, total] = bucketsFor(state, turn);
  const { limit } = lesson;
  if (limit === specific.limit) return specific;
  if (limit === total.limit || (refused && specific.learned)) return total;
  const { shared } = limitOf(turn.operation, turn.paged);
  if (!shared || specific.name === turn.operation) return specific;
  const own = createBucket({ bucket: turn.operation, requests: limit, windowMs: 60_000 });
  state.buckets.set(own.name, own);
  return own;
}

function acquire(state: State, turn: Turn): Promise<void> {
  // Waiting requests go first, even if the alarm is late.
  if (state.waiting.length > 0) serve(state);
  const now = state.clock.now();
  const buckets = bucketsFor(state, turn);
  if (buckets.every((bucket) => hasRoom(bucket, turn.urgent, now))) {
    for (const bucket of buckets) take(bucket, now);
    return Promise.resolve();
  }
  const wait = untilFree(buckets, turn.urgent, now);
  if (isTooLong(state, buckets, turn.urgent)) return Promise.reject(exhausted(wait));
  return hold(state, turn, buckets);
}

/** Returns true for a request that must wait too long. Before the first response a limit is a guess, and is ignored. */
function isTooLong({ clock, maxWaitMs }: State, buckets: Bucket[], urgent: boolean): boolean {
  const latest = clock.now() + maxWaitMs;
  return buckets.some((bucket) => bucket.answered && freeAt(bucket, urgent, clock.now()) > latest);
}

function refuseLongWaits(state: State): void {
  for (const { turn, buckets, refuse } of state.waiting)
    if (isTooLong(state, buckets, turn.urgent)) refuse(untilFree(buckets, turn.urgent, state.clock.now()));
}

function permitFor(state: State, buckets: Bucket[]): Permit {
  const { clock } = state;
  const counted = buckets.map((bucket) => ({ bucket, until: bucket.resetAt }));
  let held = true;
  const end = (): boolean => {
    const was = held;
    held = false;
    return was;
  };
  return {
    use() {
      const now = clock.now();
      if (!end()) return false;
      // The cloud counts a request in the window in which the request arrives.
      for (const { bucket, until } of counted) if (now >= until) take(bucket, now);
      return true;
    },
    giveBack() {
      const now = clock.now();
      if (!end()) return;
      for (const { bucket, until } of counted) if (now < until) bucket.used = Math.max(0, bucket.used - 1);
      serve(state);
    },
  };
}

function hold(state: State, turn: Turn, buckets: Bucket[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (end: () => void) => {
      cancel();
      turn.signal?.removeEventListener("abort", stop);
      state.waiting = state.waiting.filter((other) => other !== waiter);
      if (state.waiting.length === 0) setAlarm(state);
      end();
    };
    const stop = () => leave(() => reject(turn.signal?.reason as Error));
    const refuse = (waitMs: number) => leave(() => reject(exhausted(Math.max(1_000, waitMs))));
    const cancel = state.clock.schedule(state.maxWaitMs, () =>
      refuse(untilFree(buckets, turn.urgent, state.clock.now())),
    );
    state.order += 1;
    const waiter: Waiter = { turn, order: state.order, buckets, grant: () => leave(resolve), refuse };
    if (turn.signal?.aborted === true) {
      stop();
      return;
    }
    turn.signal?.addEventListener("abort", stop, { once: true });
    state.waiting.push(waiter);
    state.waiting.sort(goesFirst);
    setAlarm(state);
  });
}

function goesFirst(a: Waiter, b: Waiter): number {
  const byPriority = RANK[a.turn.priority] - RANK[b.turn.priority];
  if (byPriority !== 0) return byPriority;
  return Number(b.turn.urgent) - Number(a.turn.urgent) || a.order - b.order;
}

/** Grants waiting requests in order, as far as the limits have room. */
function serve(state: State): void {
  const now = state.clock.now();
  for (const waiter of state.waiting) {
    if (!waiter.buckets.every((bucket) => hasRoom(bucket, waiter.turn.urgent, now))) continue;
    for (const bucket of waiter.buckets) take(bucket, now);
    waiter.grant();
  }
  setAlarm(state);
}

function setAlarm(state: State): void {
  state.alarm?.();
  state.alarm = undefined;
  if (state.waiting.length === 0) return;
  const now = state.clock.now();
  const wait = Math.min(...state.waiting.map(({ buckets, turn }) => untilFree(buckets, turn.urgent, now)));
  state.alarm = state.clock.schedule(Math.max(1, wait), () => serve(state));
}

function untilFree(buckets: Bucket[], urgent: boolean, now: number): number {
  return Math.max(0, ...buckets.map((bucket) => freeAt(bucket, urgent, now) - now));
}

function exhausted(wait: number): Error & Exhausted {
  return Object.assign(new Error("the rate limit is used up"), { exhaustedForMs: Math.ceil(wait) });
}

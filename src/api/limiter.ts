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

/** Thrown when the limit is used up for longer than a caller should be held: nothing was sent. */
export interface Exhausted {
  exhaustedForMs: number;
}

/** The rate limits of one token. */
export interface Limiter {
  /** Resolves when the request may leave, at once or later. Rejects with `Exhausted`, or with the reason of an aborted signal. */
  acquire(turn: Turn): Promise<Permit>;
  /** Takes in what an answer says of the limits. `retryAfterMs`: it was a 429. */
  learn(turn: Pick<Turn, "operation" | "paged">, lesson: Lesson | undefined, retryAfterMs?: number): void;
  /** What is left of each limit met so far. */
  remaining(): { limit: string; remaining: number }[];
  /** How far apart such requests must leave for no more than this share of each limit that counts for them. */
  paces(turn: Pick<Turn, "operation" | "paged">, share: number): Pace[];
}

interface LimiterOptions {
  clock: Clock;
  /** The longest that a request is held, milliseconds. */
  maxWaitMs?: number;
  /** The limit in all, where the cloud's is not that of the documents. */
  requestsInTwoMinutes?: number | undefined;
}

interface Waiter {
  turn: Turn;
  order: number;
  buckets: Bucket[];
  grant: () => void;
  /** Rejects the request for a wait of so many milliseconds. */
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
 * Creates the limiter. Requests leave at once while there is room; then by priority, users' first among equals, then
 * in order of arrival. One that waits for its own operation's limit holds up no other operation, and the last tenth
 * of every limit is kept for urgent calls. None is held longer than `maxWaitMs`: longer waits are the queue's.
 * Until the first response, the limit is a guess, and requests are held: the response may permit more.
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
 * The limit that an answer speaks of. Headers do not say which that is: the operation's own, unless the figure fits only
 * the one in all. Where several operations count together and one names another figure, that one has a limit of its own.
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
  // Those who wait go first, should their alarm be late.
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

/** Returns true for a request that must wait longer than a request is held. Before the first response a limit is a guess, and counts for nothing. */
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
      // What leaves in the next window is counted there by the cloud, too.
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

/** Lets go whoever finds room, in order. */
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

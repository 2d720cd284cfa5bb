/**
 * Room `observe`: the observed state of the cloud for one account, read once for every object.
 * Guarantees: concurrent callers share one list. A read that began too early never counts. An older read never undoes
 * an own write. A row is gone only after a 404. A failed read changes nothing. Only changed rows wake their keys. If
 * the cloud contradicts itself, the operator reads with growing delay.
 * The observer reads a collection while a key depends on a row or a caller asks, and then drops the collection.
 * May import types of `api` and `queue`, and the error of `api`.
 */
import type { CloudClient } from "../api/types.ts";
import type { Clock } from "../queue/clock.ts";
import { createDependents, type Dependents } from "./dependents.ts";
import { createDetails, type Details } from "./details.ts";
import { createFeed, type Feed, type Hint } from "./feed.ts";
import { createGuards, type Guards } from "./guards.ts";
import { createSpread, isNested, nameOf, type Spread } from "./spread.ts";
import { createPoll } from "./poll.ts";
import type { Collection, Observer } from "./types.ts";
import type { Log } from "../queue/log.ts";
import { createWatch, type Watch } from "./watch.ts";

export interface ObserverOptions {
  client: CloudClient;
  clock: Clock;
  /** Milliseconds between two lists of a collection in use. */
  pollMs?: number;
  /** Milliseconds between two reads of rows in transition. */
  fastPollMs?: number;
  /** Milliseconds to cache a detail, or a nested collection with events, without a sign of change. */
  resyncMs?: number;
  /** Milliseconds between two reads of the account events. */
  feedMs?: number;
  /** Returns true if the token has the scope for events. Called before each read. */
  canReadEvents: () => boolean;
  wake: (keys: string[]) => void;
  log: Log;
  /** Random number from 0 to 1, for jitter. */
  random?: () => number;
}

interface State extends Required<ObserverOptions> {
  watches: Map<string, Watch>;
  dependents: Dependents;
  details: Details;
  guards: Guards;
  spread: Spread;
  feed: Feed;
  closed: boolean;
  /** Collection and fault of each warning. */
  warned: Set<string>;
}

/** Faults repeat with every list, and an account may have thousands of collections. */
const MOST_WARNINGS = 1_000;

/** Creates the observer of one account. The timers run until `close()`. */
export function createObserver(options: ObserverOptions): Observer {
  const state = begin({
    pollMs: 60_000,
    fastPollMs: 3_000,
    resyncMs: 600_000,
    feedMs: 10_000,
    random: Math.random,
    ...options,
  });
  const { clock, dependents, details, feed, guards, watches } = state;
  let expiredAt = clock.now();
  const resync = createPoll({
    clock,
    dueAt: () => expiredAt + state.pollMs,
    read: () => {
      expiredAt = clock.now();
      wakeAbove(state, details.expire());
      return Promise.resolve();
    },
  });
  resync.plan();
  return {
    snapshot: async (collection, options = {}) => watchOf(state, collection).snapshot(options),
    read: async (collection, id, options = {}) => watchOf(state, collection).read(id, options),
    put: (collection, id, row, by) => watchOf(state, collection).put(id, row, by),
    detail: (path, options) => details.get(path, options),
    readAt: (path) => details.readAt(path),
    invalidate: (path) => void details.invalidate(path),
    depend(key, rows) {
      dependents.set(key, rows);
      for (const collection of new Set(rows.map((row) => row.collection))) watchOf(state, collection).plan();
    },
    rest: (key) => dependents.rest(key),
    pollEvery(ms) {
      state.pollMs = ms;
      for (const watch of watches.values()) watch.plan();
      guards.plan();
    },
    guard: (key, reads) => guards.set(key, reads),
    guardAges: () => guards.ages().map(({ path, ageMs }) => ({ path, ageSeconds: ageMs / 1000 })),
    ages: () => oldest(watches.values(), clock.now()),
    feedAge() {
      const age = feed.ageMs();
      return age === undefined ? undefined : age / 1000;
    },
    forget(key) {
      dependents.set(key, []);
      guards.set(key, []);
    },
    close() {
      state.closed = true;
      guards.close();
      resync.close();
      feed.close();
      for (const watch of watches.values()) watch.close();
    },
  };
}

/** Returns one figure for each type of collection. Identifiers would create an unlimited number of metric labels. */
function oldest(watches: Iterable<Watch>, now: number): { collection: string; ageSeconds: number }[] {
  const ages = new Map<string, number>();
  for (const watch of watches) {
    const began = watch.listedAt();
    const name = nameOf(watch.collection.path);
    if (began !== undefined) ages.set(name, Math.max(ages.get(name) ?? 0, (now - began) / 1000));
  }
  return [...ages].map(([collection, ageSeconds]) => ({ collection, ageSeconds }));
}

function begin(options: Required<ObserverOptions>): State {
  const watches = new Map<string, Watch>();
  const dependents = createDependents();
  const { client, clock, feedMs, log, canReadEvents, wake } = options;
  const details = createDetails(options);
  const state: State = {
    ...options,
    watches,
    dependents,
    details,
    spread: createSpread(client),
    guards: createGuards({
      client,
      clock,
      details,
      wake,
      log,
      pollMs: () => state.pollMs,
      eventsTell: () => state.feed.healthy(),
    }),
    closed: false,
    warned: new Set(),
    feed: createFeed({
      client,
      clock,
      feedMs,
      log,
      wanted: () => canReadEvents() && !dependents.empty(),
      onHints: (hints) => heed(state, hints),
      onHealth() {
        for (const watch of watches.values()) watch.plan();
        state.guards.plan();
      },
    }),
  };
  return state;
}

function watchOf(state: State, collection: Collection): Watch {
  const { watches, resyncMs, feed, spread, client, clock, dependents, random, fastPollMs, wake, log } = state;
  const { path, eventEntity } = collection;
  const known = watches.get(path);
  if (known !== undefined) return known;
  const announced = eventEntity !== undefined && isNested(path);
  const place = spread.join(path);
  const watch = createWatch({
    collection,
    client,
    clock,
    dependents,
    random,
    fastPollMs,
    wake,
    log,
    warnOnce: (of, reason) => warnOnce(state, of, reason),
    pollMs(chance) {
      const told = announced && feed.healthy();
      return place.everyMs(told ? resyncMs : state.pollMs, chance, told);
    },
    onUnused() {
      place.leave();
      watch.close();
      watches.delete(path);
    },
  });
  watches.set(path, watch);
  // A caller that started earlier may still read, but the collection gets no poll.
  if (state.closed) watch.close();
  return watch;
}

function warnOnce({ warned, log }: State, path: string, reason: string): void {
  const fault = `${path}: ${reason}`;
  if (warned.has(fault) || warned.size >= MOST_WARNINGS) return;
  warned.add(fault);
  log.warn({ path, reason }, "skipping a row of a list: the row has no usable ID");
}

/** Reads the objects of the events: the row, the collections below, and other cached paths below. */
function heed(state: State, hints: Hint[]): void {
  const suspects = new Map<Watch, Set<string>>();
  const dropped = new Set<string>();
  for (const { type, id, path, made } of hints) {
    const paths = new Set(path === undefined ? [] : [path]);
    for (const watch of state.watches.values()) {
      const { collection } = watch;
      const item = collection.eventEntity === type ? collection.itemPath(id) : undefined;
      if (path !== undefined && collection.path.startsWith(`${path}/`)) watch.suspect();
      if (item === undefined || (path !== undefined && path !== item)) continue;
      paths.add(item);
      if (made && watch.heardOf(id)) continue;
      if (state.dependents.uses(collection.path, id)) suspects.set(watch, (suspects.get(watch) ?? new Set()).add(id));
    }
    for (const each of paths) for (const path of state.details.invalidate(each)) dropped.add(path);
  }
  for (const [watch, ids] of suspects) watch.suspect([...ids]);
  wakeAbove(state, dropped);
}

/** Wakes the keys that depend on rows with dropped details. */
function wakeAbove({ dependents, wake }: State, paths: Iterable<string>): void {
  const keys = new Set([...paths].flatMap((path) => dependents.keysAbove(path)));
  if (keys.size > 0) wake([...keys]);
}

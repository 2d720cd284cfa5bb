/**
 * Repeats reads that guard access or money and that no row shows, such as the permissions of a bucket. Each read runs
 * once per poll. The reads are spread over the poll and use at most a fifth of each rate limit. If the reads do not
 * fit, the oldest goes first. Only a changed response wakes the dependent keys.
 */
import type { CloudClient, Pace } from "../api/types.ts";
import type { Clock } from "../queue/clock.ts";
import type { Log } from "../queue/log.ts";
import type { Details } from "./details.ts";
import { createPoll } from "./poll.ts";
import type { GuardedRead } from "./types.ts";

export interface GuardsOptions {
  client: Pick<CloudClient, "paces">;
  clock: Clock;
  details: Details;
  pollMs: () => number;
  /** Returns true if the account events are reliable. */
  eventsTell: () => boolean;
  wake: (keys: string[]) => void;
  log: Pick<Log, "debug">;
}

export interface Guards {
  /** Replaces the guarded reads of a key. */
  set(key: string, reads: GuardedRead[]): void;
  /** Returns, for each path, the milliseconds since the last comparison began. */
  ages(): { path: string; ageMs: number }[];
  /** Schedules the next comparison again, because it may be due sooner. */
  plan(): void;
  close(): void;
}

interface Guard {
  read: GuardedRead;
  keys: Set<string>;
  since: number;
  paces: Pace[];
}

interface State extends GuardsOptions {
  /** Guards in the order of their turns. */
  guards: Map<string, Guard>;
  byKey: Map<string, Set<string>>;
  /** Earliest clock time of the next read, by limit. */
  freeAt: Map<string, number>;
  /** Number of guards covered by events. */
  told: number;
  startedAt: number;
  /** Clock time before which the limits permit no read. */
  blockedUntil: number;
  flying: number;
}

const share = 0.2;

/** Part of the poll in which to spread the reads. The rest covers the time of the reads. */
const part = 0.9;

const mostFlying = 8;

export function createGuards(options: GuardsOptions): Guards {
  const { clock, details } = options;
  const state: State = {
    ...options,
    guards: new Map(),
    byKey: new Map(),
    freeAt: new Map(),
    told: 0,
    startedAt: clock.now(),
    blockedUntil: 0,
    flying: 0,
  };
  const poll = createPoll({ clock, dueAt: () => dueAt(state), read: () => compareNext(state) });
  return {
    set(key, reads) {
      set(state, key, reads);
      poll.plan();
    },
    ages: () =>
      polled(state).map(([path, { since }]) => ({ path, ageMs: clock.now() - (details.readAt(path) ?? since) })),
    plan: () => poll.plan(),
    close: () => poll.close(),
  };
}

function set(state: State, key: string, reads: GuardedRead[]): void {
  const { guards, byKey, clock, client } = state;
  if (guards.size === 0) state.startedAt = clock.now();
  const wanted = new Set(reads.map(({ path }) => path));
  for (const path of byKey.get(key) ?? []) if (!wanted.has(path)) leave(state, key, path);
  for (const read of reads) {
    const { path, paged = false } = read;
    const known = guards.get(path);
    const guard = known ?? { read, keys: new Set(), since: clock.now(), paces: client.paces(path, { paged, share }) };
    if (!known && read.told) state.told += 1;
    guard.keys.add(key);
    guards.set(path, guard);
  }
  if (wanted.size > 0) byKey.set(key, wanted);
  else byKey.delete(key);
}

function leave(state: State, key: string, path: string): void {
  const guard = state.guards.get(path);
  guard?.keys.delete(key);
  if (guard?.keys.size !== 0) return;
  state.guards.delete(path);
  if (guard.read.told) state.told -= 1;
}

/** Returns the guards to poll. With reliable events, an event triggers the read. */
function polled({ guards, eventsTell }: State): [string, Guard][] {
  const isTold = eventsTell();
  return [...guards].filter(([, { read }]) => !(isTold && read.told));
}

/**
 * Returns the clock time of the next comparison. Runs in every reconcile, and therefore must not loop over the guards.
 */
function dueAt({ clock, guards, told, eventsTell, pollMs, startedAt, blockedUntil }: State): number {
  const count = eventsTell() ? guards.size - told : guards.size;
  return count === 0 ? clock.now() + pollMs() : Math.max(startedAt + (pollMs() * part) / count, blockedUntil);
}

/** Starts one comparison. Does not wait: a slow response must not delay other guards. */
function compareNext(state: State): Promise<void> {
  const now = state.clock.now();
  state.startedAt = now;
  const due = polled(state);
  const next = due.find(([path, guard]) => freeAt(state, path, guard) <= now);
  if (next && state.flying < mostFlying) void compare(state, ...next);
  const soonest = due.reduce((first, [path, guard]) => Math.min(first, freeAt(state, path, guard)), Infinity);
  state.blockedUntil = Math.min(soonest, now + state.pollMs());
  return Promise.resolve();
}

/** A reconcile may have just read the path. */
function freeAt({ freeAt: times, details, pollMs }: State, path: string, { paces }: Guard): number {
  const readAt = details.readAt(path) ?? -Infinity;
  return Math.max(readAt + pollMs() / 20, ...paces.map(({ limit }) => times.get(limit) ?? 0));
}

async function compare(state: State, path: string, guard: Guard): Promise<void> {
  const { guards, details, client, clock, wake, log } = state;
  const { paged = false, needs } = guard.read;
  guards.delete(path);
  guards.set(path, guard);
  guard.paces = client.paces(path, { paged, share });
  for (const { limit, everyMs } of guard.paces) state.freeAt.set(limit, clock.now() + everyMs);
  state.flying += 1;
  try {
    if (await details.renew(path, { paged, ...(needs && { needs }) })) wake([...guard.keys]);
  } catch (error) {
    log.debug({ path, error }, "could not compare fields that guard access");
  } finally {
    state.flying -= 1;
  }
}

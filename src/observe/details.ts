import { isDeepStrictEqual } from "node:util";
import { HttpError } from "../api/errors.ts";
import type { CloudClient, Json, JsonObject } from "../api/types.ts";
import type { Clock } from "../queue/clock.ts";
import { createSharedRead, type SharedRead } from "./shared-read.ts";
import type { DetailShape, ReadOptions } from "./types.ts";

/** Caches GET responses for paths without a list, until a path is dirty or the response is old. */
export interface Details {
  /** Returns the response. Read a path always with the same `paged`. Throws the client's errors, never cached. */
  get(path: string, options?: ReadOptions & DetailShape): Promise<Json | undefined>;
  /** Reads the path again. Returns false if the response is unchanged, or if another caller has woken the keys. */
  renew(path: string, shape: DetailShape): Promise<boolean>;
  /** Returns the clock time when the cached read began, or undefined without a cached response. */
  readAt(path: string): number | undefined;
  /** Drops a path and the paths below, including reads in flight. Returns the dropped paths. */
  invalidate(path: string): string[];
  /** Drops responses older than the resync. Returns the dropped paths. */
  expire(): string[];
}

interface Entry {
  read: SharedRead<Json | undefined>;
  kept: { value: Json | undefined; startedAt: number; until: number } | undefined;
}

interface State extends Options {
  entries: Map<string, Entry>;
}

interface Options {
  client: CloudClient;
  clock: Clock;
  /** How long to cache a response, plus or minus a tenth: responses then do not expire at the same time. */
  resyncMs: number;
  random: () => number;
}

export function createDetails(options: Options): Details {
  const state: State = { ...options, entries: new Map() };
  return {
    get: (path, options = {}) => get(state, path, options),
    renew: (path, shape) => renew(state, path, shape),
    readAt: (path) => state.entries.get(path)?.kept?.startedAt,
    invalidate: (path) =>
      drop(state, (other) => other === path || other.startsWith(`${path}/`) || other.startsWith(`${path}?`)),
    expire: () => drop(state, (_, { kept }) => kept !== undefined && kept.until <= state.clock.now()),
  };
}

async function get(
  state: State,
  path: string,
  { paged = false, needs = [], ...options }: ReadOptions & DetailShape,
): Promise<Json | undefined> {
  const answer = await kept(state, path, paged, options);
  const missing = needs.filter((name) => !isObject(answer) || !(name in answer));
  if (missing.length === 0) return answer;
  // A cached wrong response would stay until the resync.
  state.entries.delete(path);
  const what = `got a response of an unexpected form, without ${missing.join(", ")}`;
  throw new HttpError(what, { method: "GET", path, outcome: "ambiguous" });
}

async function renew(state: State, path: string, shape: DetailShape): Promise<boolean> {
  const entry = state.entries.get(path);
  const before = entry?.kept;
  const answer = await get(state, path, { ...shape, after: state.clock.now() });
  if (before === undefined) return true;
  return state.entries.get(path) === entry && !isDeepStrictEqual(answer, before.value);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function kept(state: State, path: string, paged: boolean, options: ReadOptions): Promise<Json | undefined> {
  const entry = state.entries.get(path) ?? newEntry(state, path, paged);
  const known = entry.kept;
  const fresh =
    known !== undefined && known.until > state.clock.now() && known.startedAt >= (options.after ?? -Infinity);
  if (fresh) return known.value;
  try {
    return await entry.read.ask(options);
  } catch (error) {
    const gone = error instanceof HttpError && error.status === 404;
    if ((gone || entry.kept === undefined) && entry.read.idle() && state.entries.get(path) === entry)
      state.entries.delete(path);
    throw error;
  }
}

/** Creates an entry. After a drop, the read still resolves for its callers, but is not cached. */
function newEntry(state: State, path: string, paged: boolean): Entry {
  const { client, clock, resyncMs, random } = state;
  const entry: Entry = {
    kept: undefined,
    read: createSharedRead(clock, async ({ startedAt, urgent }) => {
      const value = paged ? (await client.list(path, { urgent })).rows : await client.get(path, { urgent });
      entry.kept = { value, startedAt, until: startedAt + resyncMs * (0.9 + random() / 5) };
      return value;
    }),
  };
  state.entries.set(path, entry);
  return entry;
}

function drop({ entries }: State, matches: (path: string, entry: Entry) => boolean): string[] {
  const dropped = [...entries].filter(([path, entry]) => matches(path, entry)).map(([path]) => path);
  for (const path of dropped) entries.delete(path);
  return dropped;
}

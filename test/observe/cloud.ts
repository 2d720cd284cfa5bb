import { HttpError } from "../../src/api/errors.ts";
import type { CloudClient, Json, JsonObject, Pace } from "../../src/api/types.ts";
import { createObserver, type ObserverOptions } from "../../src/observe/observer.ts";
import type { Collection } from "../../src/observe/types.ts";
import { createMovedClock, type MovedClock } from "../support/clock.ts";

/** A cloud of a few collections. Reads see it as it is when they begin, and end when the test lets them. */
export interface FakeCloud {
  client: CloudClient;
  /** Requests so far: `LIST path` once a page, `GET path`. */
  requests: string[];
  /** Rows by path of their collection. */
  collections: Map<string, JsonObject[]>;
  /** Answers of paths that are no row. */
  details: Map<string, Json>;
  /** Row ids that lists leave out, as when pages shift. */
  hidden: Set<unknown>;
  /** Thrown by the next reads of a path, while it is there. */
  failures: Map<string, Error>;
  /** How far apart reads must leave. */
  paces: Pace[];
  /** Filters that came with lists of events. */
  filters: JsonObject[];
  /** Holds back all answers from now on; the function returned lets those held go, and no other. */
  hold(): () => void;
}

export function createFakeCloud(clock: MovedClock): FakeCloud {
  let gate: Promise<void> | undefined;
  const cloud: Omit<FakeCloud, "client"> = {
    requests: [],
    collections: new Map(),
    details: new Map(),
    hidden: new Set(),
    failures: new Map(),
    filters: [],
    paces: [],
    hold() {
      let open: () => void = () => undefined;
      gate = new Promise((resolve) => (open = resolve));
      return () => {
        gate = undefined;
        open();
      };
    },
  };
  const answer = async <T>(path: string, read: () => T): Promise<T> => {
    const failure = cloud.failures.get(path);
    const value = failure === undefined ? structuredClone(read()) : undefined;
    await gate;
    if (failure !== undefined) throw failure;
    return value as T;
  };
  const client: CloudClient = {
    get(path) {
      cloud.requests.push(`GET ${path}`);
      return answer(path, () => cloud.details.get(path) ?? rowAt(cloud, path)).then((found) => {
        if (found === undefined) throw gone(path);
        return found;
      });
    },
    list(path, { filter } = {}) {
      if (filter !== undefined) cloud.filters.push(filter);
      const rows = (cloud.collections.get(path) ?? []).filter(
        ({ id }) => !cloud.hidden.has(id) && passes(filter, Number(id)),
      );
      const pages = Math.max(1, Math.ceil(rows.length / 500));
      for (let page = 0; page < pages; page += 1) cloud.requests.push(`LIST ${path}`);
      return answer(path, () => ({ rows, pages }));
    },
    send: () => Promise.reject(new Error("the observer must not write")),
    reserve: () => Promise.resolve({ use: () => true, giveBack: () => undefined }),
    serverTime: () => clock.date(),
    scopes: () => ["*"],
    scopesHeard: () => [["*"]],
    limits: () => [],
    paces: () => cloud.paces,
  };
  return Object.assign(cloud, { client });
}

function passes(filter: JsonObject | undefined, id: number): boolean {
  const bound = filter?.["id"] as { "+gt": number } | undefined;
  return bound === undefined || id > bound["+gt"];
}

function rowAt({ collections }: Omit<FakeCloud, "client">, path: string): JsonObject | undefined {
  const cut = path.lastIndexOf("/");
  return collections.get(path.slice(0, cut))?.find((row) => idOf(row) === path.slice(cut + 1));
}

export function gone(path: string): HttpError {
  return new HttpError("got status 404", { method: "GET", path, status: 404, outcome: "refused" });
}

export function broken(path: string): HttpError {
  return new HttpError("got status 500", { method: "GET", path, status: 500, outcome: "ambiguous" });
}

function idOf({ id }: JsonObject): string {
  return typeof id === "number" || typeof id === "string" ? String(id) : "";
}

/** A collection whose rows are known by `id` and kept as `status` and `label`. */
export function collectionAt(path: string, eventEntity?: string): Collection {
  return {
    path,
    idOf,
    project: ({ id, status = null, label = null }) => {
      if (typeof id !== "number") throw new TypeError("a row without an id");
      return { status, label };
    },
    itemPath: (id) => `${path}/${id}`,
    ...(eventEntity !== undefined && { eventEntity }),
  };
}

export const instances = collectionAt("/compute/instances", "compute");

/** `count` rows with ids from 1 on. */
export function rows(count: number, status = "running"): JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({ id: index + 1, status, noise: "not kept" }));
}

/** An observer of a fake cloud on a moved clock, without jitter and without the event feed. */
export function arrange(options: Partial<ObserverOptions> = {}) {
  const clock = createMovedClock();
  const cloud = createFakeCloud(clock);
  const woken: string[] = [];
  const observer = createObserver({
    clock,
    client: cloud.client,
    canReadEvents: () => false,
    wake: (keys) => woken.push(...keys),
    log: { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined },
    random: () => 0.5,
    ...options,
  });
  return { clock, cloud, woken, observer };
}

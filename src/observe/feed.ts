import type { CloudClient, Json, JsonObject } from "../api/types.ts";
import type { Clock } from "../queue/clock.ts";
import { createPoll } from "./poll.ts";

/** A change in an account event: entity type, ID, and the path if the event has a path. */
export interface Hint {
  type: string;
  id: string;
  path: string | undefined;
  /** The entity was created in one step. A caller that knows the entity learns nothing from the event. */
  made: boolean;
}

export interface FeedOptions {
  client: CloudClient;
  clock: Clock;
  feedMs: number;
  /** False if the token may not read events, or no key needs events. */
  wanted: () => boolean;
  onHints: (hints: Hint[]) => void;
  /** Called when the feed becomes healthy or unhealthy. */
  onHealth: () => void;
  log: { warn(fields: object, message: string): void };
}

/** Reads the events of the account (not-shown, section 6) every few seconds. An event is only a hint to read. */
export interface Feed {
  /** Returns true if the last read succeeded. Collections with events then need no poll. */
  healthy(): boolean;
  /** Returns milliseconds since the last successful read began. Undefined before, or if events are not wanted. */
  ageMs(): number | undefined;
  close(): void;
}

interface State extends FeedOptions {
  /** Read only events with a higher ID. Unset before the first event. */
  after: number | undefined;
  /** Creation time from which to read the first events, in the format of the cloud. */
  since: string | undefined;
  /** Status of the events above `after`, and the time when the operator first saw each event. */
  seen: Map<number, { status: string; since: number }>;
  polledAt: number;
  /** Clock time when the last successful read began. */
  readAt: number | undefined;
  healthy: boolean;
}

export function createFeed(options: FeedOptions): Feed {
  const { clock, feedMs } = options;
  const state: State = {
    ...options,
    after: undefined,
    since: undefined,
    seen: new Map(),
    polledAt: clock.now() - feedMs,
    readAt: undefined,
    healthy: false,
  };
  const poller = createPoll({ clock, dueAt: () => state.polledAt + feedMs, read: () => poll(state) });
  poller.plan();
  return {
    healthy: () => state.healthy,
    ageMs: () => (state.readAt === undefined ? undefined : clock.now() - state.readAt),
    close: () => poller.close(),
  };
}

async function poll(state: State): Promise<void> {
  state.polledAt = state.clock.now();
  const began = state.polledAt;
  if (!state.wanted()) {
    state.readAt = undefined;
    setHealth(state, false);
    return;
  }
  try {
    const { rows } = await state.client.list("/account/events", { filter: filterOf(state) });
    const hints = takeIn(state, rows);
    const odd = rows.find((row) => idOf(row) === undefined);
    if (odd) fail(state, new Error(`an event has the id ${JSON.stringify(odd["id"])}`));
    else {
      state.readAt = began;
      setHealth(state, true);
    }
    if (hints.length > 0) state.onHints(hints);
  } catch (error) {
    fail(state, error);
  }
}

function fail(state: State, error: unknown): void {
  if (state.healthy)
    state.log.warn(
      { error },
      "could not read the account events; polling every collection until the events are readable",
    );
  setHealth(state, false);
}

function setHealth(state: State, healthy: boolean): void {
  if (state.healthy === healthy) return;
  state.healthy = healthy;
  state.onHealth();
}

/** Range of the first read. Clocks may differ, and an event may be in progress. */
const LOOK_BACK_MS = 600_000;

function filterOf(state: State): JsonObject {
  const order = { "+order_by": "id", "+order": "asc" };
  if (state.after !== undefined) return { id: { "+gt": state.after }, ...order };
  state.since ??= new Date(state.client.serverTime().getTime() - LOOK_BACK_MS).toISOString().slice(0, 19);
  return { created: { "+gte": state.since }, ...order };
}

/** Longest time that an unfinished event stops the cursor. */
const PATIENCE_MS = 6 * 3_600_000;

/** Returns hints of new or changed events. An event keeps its ID until its end, which holds back the cursor. */
function takeIn(state: State, rows: JsonObject[]): Hint[] {
  const now = state.clock.now();
  const fresh = rows.filter((row) => {
    const id = idOf(row);
    if (id === undefined) return false;
    const status = typeof row["status"] === "string" ? row["status"] : "";
    const known = state.seen.get(id);
    state.seen.set(id, { status, since: known?.since ?? now });
    return known?.status !== status;
  });
  const unfinished = [...state.seen].filter(([, { status, since }]) => isUnderWay(status) && now - since < PATIENCE_MS);
  const highest = Math.max(state.after ?? -Infinity, ...state.seen.keys());
  const after = Math.min(highest, ...unfinished.map(([id]) => id - 1));
  if (Number.isFinite(after)) state.after = after;
  for (const id of state.seen.keys()) if (id <= after) state.seen.delete(id);
  return fresh.flatMap(({ action, status, entity, secondary_entity: other }) => {
    const made = status === "notification" && typeof action === "string" && action.endsWith("_create");
    return [hintOf(entity, made), hintOf(other)].flat();
  });
}

/** Returns undefined for an invalid ID. An invalid ID would move the cursor past later events. */
function idOf({ id }: JsonObject): number | undefined {
  const number = typeof id === "string" && /^\d+$/.test(id) ? Number(id) : id;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function isUnderWay(status: string): boolean {
  return status === "scheduled" || status === "started";
}

function hintOf(entity: Json | undefined, made = false): Hint[] {
  if (typeof entity !== "object" || entity === null || Array.isArray(entity)) return [];
  const { id, type, url } = entity;
  if (typeof type !== "string" || (typeof id !== "number" && typeof id !== "string")) return [];
  const path = typeof url === "string" ? url.replace(/^\/v4(beta)?(?=\/)/, "") : undefined;
  return [{ type, id: String(id), path, made }];
}

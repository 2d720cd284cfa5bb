import type { Caller } from "./auth/caller.ts";
import { DAY_MS } from "./clock.ts";
import type { Table } from "./store/store.ts";
import { timestamp } from "./wire.ts";
import type { World } from "./world.ts";

/** The service keeps events for 90 days (not-shown section 6). */
const KEPT_MS = 90 * DAY_MS;

export interface NewEvent {
  readonly action: string;
  readonly entity: Entity;
  readonly secondary?: Entity;
  /** Absent for an event of the service. */
  readonly caller?: Caller;
}

/** Records an event that is already complete. Returns the ID. */
export function recordEvent(world: World, account: string, event: NewEvent): number {
  return store(world, account, event, { duration: 0, outcome: "notification" });
}

/** Records a job that ends in `ms`: `scheduled` for a tenth of the time, then `started` with a growing percentage. */
export function startEvent(world: World, account: string, event: NewEvent, ms: number): number {
  return store(world, account, event, { duration: ms, outcome: null });
}

/** Ends a started event. The ID stays. */
export function endEvent(
  world: World,
  account: string,
  id: number,
  outcome: "finished" | "failed",
  message?: string,
): void {
  const event = world.store.get(EVENTS, account, id);
  if (!event || event.outcome !== null) return;
  const duration = (world.clock.now() - event.startsAt) / 1000;
  world.store.patch(EVENTS, account, id, { outcome, duration: Math.max(0, duration), message: message ?? null });
}

/** Returns true for an event of the last 90 days. */
export function isRecent(event: Readonly<EventRow>, now: number): boolean {
  return event.created >= now - KEPT_MS;
}

/** Returns an event in the form of the API (not-shown section 6). */
export function presentEvent(world: World, event: EventRow): Record<string, unknown> {
  const now = world.clock.now();
  const status = event.outcome ?? (now < event.startsAt ? "scheduled" : "started");
  const length = Math.max(1, event.endsAt - event.startsAt);
  const progress = status === "scheduled" ? 0 : Math.min(99, Math.floor(((now - event.startsAt) / length) * 100));
  const underway = event.outcome === null;
  return {
    id: event.id,
    action: event.action,
    created: timestamp(event.created),
    duration: status === "started" ? (now - event.startsAt) / 1000 : event.duration,
    entity: event.entity,
    secondary_entity: event.secondary_entity,
    percent_complete: underway ? progress : event.outcome === "failed" ? 0 : 100,
    rate: null,
    read: event.read,
    seen: event.seen,
    status,
    time_remaining: null,
    username: event.username,
    message: event.message ?? "",
    details: {},
  };
}

function store(
  world: World,
  account: string,
  event: NewEvent,
  end: { duration: number; outcome: "notification" | null },
): number {
  const now = world.clock.now();
  const id = world.store.nextId("event", 1001);
  world.store.put(EVENTS, account, {
    id,
    action: event.action,
    created: now,
    username: event.caller?.user.username ?? null,
    entity: event.entity,
    secondary_entity: event.secondary ?? null,
    startsAt: now + Math.floor(end.duration / 10),
    endsAt: now + end.duration,
    outcome: end.outcome,
    duration: end.outcome === null ? null : 0,
    message: null,
    read: false,
    seen: false,
  });
  return id;
}

export interface Entity {
  readonly id: number | string;
  readonly label: string;
  readonly type: string;
  readonly url: string;
}

export interface EventRow {
  readonly id: number;
  readonly action: string;
  readonly created: number;
  readonly username: string | null;
  readonly entity: Entity | null;
  readonly secondary_entity: Entity | null;
  /** The event is `scheduled` until this time, then `started`. */
  readonly startsAt: number;
  /** Expected end. */
  readonly endsAt: number;
  /** Null while scheduled or started. */
  readonly outcome: "finished" | "failed" | "notification" | null;
  readonly duration: number | null;
  readonly message: string | null;
  readonly read: boolean;
  readonly seen: boolean;
}

export const EVENTS: Table<EventRow> = {
  name: "event",
  key: (row) => row.id,
  indexes: {
    "entity.id": ({ entity, secondary_entity: second }) => [
      entity?.id,
      ...(second?.type === "disk" ? [second.id] : []),
    ],
  },
  internal: true,
};

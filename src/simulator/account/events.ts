import { notFound } from "../server/errors.ts";
import { EVENTS, isRecent, presentEvent } from "../server/events.ts";
import type { EventRow } from "../server/events.ts";
import { rowList } from "../server/lists/paging.ts";
import { operation, rowOf } from "../server/operation.ts";
import type { World } from "../server/world.ts";
import type { Context, Operation } from "../server/operation.ts";

const path = "/account/events";
const scopes = ["events:read_only"];

/** Serves the event feed of the account, newest first (not-shown sections 6 and 8). */
export const eventOperations = [
  operation({
    method: "GET",
    path,
    summary: "List events of the last 90 days",
    scopes,
    paged: { filterable: ["id", "action", "created", "entity.id", "entity.type", "read"] },
    handler(context) {
      const { world, account } = context;
      const newestFirst = (rows: readonly EventRow[]) =>
        rows.filter((event) => isRecent(event, context.now) && mayRead(context, event)).toReversed();
      return rowList(
        () => newestFirst(world.store.all(EVENTS, account)),
        (event) => presentEvent(world, event),
        {
          id: (value) =>
            newestFirst([world.store.get(EVENTS, account, String(value))].filter((row) => row !== undefined)),
          "entity.id": (value) => newestFirst(world.store.find(EVENTS, account, "entity.id", value)),
        },
        (event) => comparedEvent(world, event),
      );
    },
  }),
  operation({
    method: "GET",
    path: `${path}/{eventId}`,
    summary: "View an event",
    scopes,
    handler: (context) => presentEvent(context.world, eventOf(context)),
  }),
  mark("seen", "Mark this event and all before it as seen"),
  mark("read", "Mark an event as read"),
];

/**
 * Returns the event for a filter. Clients find the events of a disk by an entity of type `disks` with the disk's ID
 * (not-shown section 9).
 */
function comparedEvent(world: World, event: EventRow): Record<string, unknown> {
  const { secondary_entity: disk } = event;
  const shown = presentEvent(world, event);
  return disk?.type === "disk" ? { ...shown, entity: [event.entity, { ...disk, type: "disks" }] } : shown;
}

function mark(flag: "seen" | "read", summary: string): Operation {
  return operation({
    method: "POST",
    path: `${path}/{eventId}/${flag}`,
    summary,
    scopes,
    handler(context) {
      const { store } = context.world;
      const event = eventOf(context);
      const earlier = (row: EventRow) => flag === "seen" && row.id < event.id && !row.seen;
      for (const row of store.all(EVENTS, context.account).filter(earlier))
        store.put(EVENTS, context.account, { ...row, seen: true });
      store.put(EVENTS, context.account, { ...event, [flag]: true });
      return {};
    },
  });
}

function eventOf(context: Context): Readonly<EventRow> {
  const event = rowOf(context, EVENTS, context.params["eventId"]);
  if (!mayRead(context, event)) throw notFound();
  return event;
}

/** Returns true if the caller may read the event. A restricted user reads own events, and events of entities with a grant. */
function mayRead({ caller: { user } }: Context, event: EventRow): boolean {
  if (!user.restricted || event.username === user.username) return true;
  if (!event.entity) return false;
  const held: Partial<Record<string, Readonly<Record<string, string>>>> = user.grants.entities;
  return held[event.entity.type]?.[String(event.entity.id)] !== undefined;
}

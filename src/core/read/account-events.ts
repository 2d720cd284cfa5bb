/**
 * Reads the account events of the cloud API. The operator needs events if a response was lost and the rows do not show
 * the result of a request.
 */
import { apiTime } from "../model/origin.ts";
import type { JsonObject } from "../../api/types.ts";
import { isHttpError } from "../kind/outcome.ts";
import type { AccountStatus } from "../kind/account-spec.ts";
import type { Call } from "../kind/call.ts";
import type { Kind } from "../kind/owned.ts";
import type { Operation } from "../kind/status-schema.ts";
import type { Located } from "../model/context.ts";
import { requireIDs } from "./whole-list.ts";
import { times } from "../kind/times.ts";

/**
 * Returns the status of the newest matching event about the cloud object, at most `withinMs` after the operation;
 * undefined without an event. For an action without a job, the cloud API sends a `notification`: the action is
 * finished.
 */
export async function eventOf(
  ctx: Located,
  id: string,
  operation: Pick<Operation, "time" | "applies" | "after">,
  withinMs = Infinity,
): Promise<string | undefined> {
  const { time } = operation;
  const told = await eventsOf(ctx, id, operation);
  const newest = told.findLast(({ created }) => apiTime(created) <= Date.parse(time) + withinMs + times.soon);
  return newest?.status === "notification" ? "finished" : newest?.status;
}

/**
 * Returns the events with these names about the cloud object since `time`, ordered by ID. Returns an empty list if the
 * token may not read events. Throws `Stalled` if an event has no ID.
 */
export async function eventsSince(
  ctx: Located,
  id: string,
  { names, time }: { names: string[]; time: string },
): Promise<Event[]> {
  if (names.length === 0) return [];
  const { kind, session, urgent } = ctx;
  const since = new Date(Date.parse(time) - times.soon).toISOString().slice(0, 19);
  const about = { ...(kind.eventEntity !== undefined && { "entity.type": kind.eventEntity }), "entity.id": Number(id) };
  const filter = { ...about, created: { "+gte": since }, "+order_by": "id", "+order": "asc" };
  const rows = await listUnlessForbidden(session.client.list("/account/events", { filter, urgent }));
  // An event about another cloud object is irrelevant, even without an ID.
  const here = (rows as Event[]).filter(({ entity }) => `${entity?.id ?? id}` === id);
  requireIDs({ idOf: eventId }, here as unknown as JsonObject[]);
  // A service or a gateway can ignore the filter of the request.
  const isOf = ({ entity, created }: Event) =>
    `${entity?.id}` === id && isType(kind, entity?.type) && !(apiTime(created) < apiTime(since));
  return (rows as Event[]).filter((event) => names.includes(event.action) && isOf(event));
}

function isType({ eventEntity }: Pick<Kind, "eventEntity">, type: string | null | undefined): boolean {
  return eventEntity === undefined || (type ?? eventEntity) === eventEntity;
}

/** Returns `progressPercent` from the newest event of an operation; an empty object without a valid percentage. */
export async function progressOf(ctx: Located, id: string, operation: Operation): Promise<object> {
  const told = await eventsOf(ctx, id, operation);
  const percent = told.at(-1)?.percent_complete;
  if (typeof percent !== "number" || percent < 0 || percent > 100) return {};
  return { progressPercent: Math.floor(percent) };
}

/**
 * Returns the ID of the newest matching event before a request leaves; undefined without an event. Events about the
 * request have a higher ID.
 */
export async function lastEventOf(ctx: Located, id: string, { applies }: Call): Promise<string | undefined> {
  const time = new Date(ctx.session.client.serverTime().getTime() - times.quiet).toISOString();
  const last = (await eventsOf(ctx, id, { time, ...(applies && { applies }) })).at(-1);
  return last && String(last.id);
}

/** Returns the events since the start of an operation, about the target of the operation, by the user of the token. */
async function eventsOf(
  ctx: Located,
  id: string,
  { time, applies: applied, after = "0" }: Pick<Operation, "time" | "applies" | "after">,
): Promise<Event[]> {
  const { names = [], about = id } = ctx.kind.events?.({ ...ctx.desired, applied }) ?? {};
  const { username: own } = (ctx.cloudAccount?.status ?? {}) as AccountStatus;
  const told = await eventsSince(ctx, about, { names, time });
  const isOwn = ({ username }: Event) => own === undefined || (username ?? own) === own;
  return told.filter((event) => Number(event.id) > Number(after) && isOwn(event));
}

function eventId({ id }: JsonObject): string {
  return typeof id === "string" || typeof id === "number" ? String(id) : "";
}

interface Event {
  id: number | string;
  action: string;
  username?: string | null;
  percent_complete?: number | null;
  status: string;
  created: string;
  entity: { id: number | string; type?: string | null; label?: string | null } | null;
}

/** The token can lack the permission to read events. */
async function listUnlessForbidden(listing: Promise<{ rows: object[] }>): Promise<object[]> {
  try {
    return (await listing).rows;
  } catch (error) {
    if (isHttpError(error) && (error.status === 401 || error.status === 403)) return [];
    throw error;
  }
}

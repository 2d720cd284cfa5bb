/**
 * What the events of the cloud tell: of what runs once, where no response and no row does, or where a record may be an older
 * one; and when something was created, where its row does not say that.
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
 * The status of the newest event that tells of it on this cloud object since then; undefined where none does. What the cloud
 * does at once, without a job, is told of as a notification: it is finished.
 */
export async function eventOf(
  at: Located,
  id: string,
  operation: Pick<Operation, "time" | "applies" | "after">,
  withinMs = Infinity,
): Promise<string | undefined> {
  const { time } = operation;
  const told = await eventsOf(at, id, operation);
  const newest = told.findLast(({ created }) => apiTime(created) <= Date.parse(time) + withinMs + times.soon);
  return newest?.status === "notification" ? "finished" : newest?.status;
}

/** The events of these names on this cloud object since then, the oldest first; none where the token may not read them. */
export async function eventsSince(
  at: Located,
  id: string,
  { names, time }: { names: string[]; time: string },
): Promise<Event[]> {
  if (names.length === 0) return [];
  const { kind, session, urgent } = at;
  const since = new Date(Date.parse(time) - times.soon).toISOString().slice(0, 19);
  const about = { ...(kind.eventEntity !== undefined && { "entity.type": kind.eventEntity }), "entity.id": Number(id) };
  const filter = { ...about, created: { "+gte": since }, "+order_by": "id", "+order": "asc" };
  const rows = await listUnlessForbidden(session.client.list("/account/events", { filter, urgent }));
  // What is plainly told of something else tells nothing of this, whatever it lacks.
  const here = (rows as Event[]).filter(({ entity }) => `${entity?.id ?? id}` === id);
  requireIDs({ path: "/account/events", idOf }, here as unknown as JsonObject[]);
  // Not every service, nor what stands before it, heeds a filter.
  const isOf = ({ entity, created }: Event) =>
    `${entity?.id}` === id && isType(kind, entity?.type) && !(apiTime(created) < apiTime(since));
  return (rows as Event[]).filter((event) => names.includes(event.action) && isOf(event));
}

/** A kind that names no type of entity is told of by the names of its events alone. */
function isType({ eventEntity }: Pick<Kind, "eventEntity">, type: string | null | undefined): boolean {
  return eventEntity === undefined || (type ?? eventEntity) === eventEntity;
}

/** How far it is, in percent, as the newest event that tells of it says; undefined where none does. */
export async function progressOf(at: Located, id: string, operation: Operation): Promise<object> {
  const told = await eventsOf(at, id, operation);
  const percent = told.at(-1)?.percent_complete;
  if (typeof percent !== "number" || percent < 0 || percent > 100) return {};
  return { progressPercent: Math.floor(percent) };
}

/** The newest event that tells of the like before a request leaves: what tells of that is newer. Undefined where none does. */
export async function lastEventOf(at: Located, id: string, { applies }: Call): Promise<string | undefined> {
  const time = new Date(at.session.client.serverTime().getTime() - times.quiet).toISOString();
  const last = (await eventsOf(at, id, { time, ...(applies && { applies }) })).at(-1);
  return last && String(last.id);
}

/** Since the operation began, on what it was done to, by the token's own user. */
async function eventsOf(
  at: Located,
  id: string,
  { time, applies: applied, after = "0" }: Pick<Operation, "time" | "applies" | "after">,
): Promise<Event[]> {
  const { names = [], about = id } = at.kind.events?.({ ...at.wanted, applied }) ?? {};
  const { username: own } = (at.cloudAccount?.status ?? {}) as AccountStatus;
  const told = await eventsSince(at, about, { names, time });
  const isOwn = ({ username }: Event) => own === undefined || (username ?? own) === own;
  return told.filter((event) => Number(event.id) > Number(after) && isOwn(event));
}

/** Empty where it has none. */
function idOf({ id }: JsonObject): string {
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

/** A token need not be allowed to read events. */
async function listUnlessForbidden(listing: Promise<{ rows: object[] }>): Promise<object[]> {
  try {
    return (await listing).rows;
  } catch (error) {
    if (isHttpError(error) && (error.status === 401 || error.status === 403)) return [];
    throw error;
  }
}

/** What the events of the cloud tell of what runs once: where the cloud object is gone, and where a record may be an older one. */
import { roundingMs } from "../claim/skew.ts";
import { isHttpError } from "../kind/outcome.ts";
import type { Operation } from "../kind/status-schema.ts";
import type { Located } from "./reconciliation.ts";

/** The status of the newest event that tells of it on this cloud object since then; undefined where none does. */
export async function eventOf(at: Located, id: string, { time }: Pick<Operation, "time">): Promise<string | undefined> {
  const { kind, session, wanted } = at;
  const names = kind.events?.(wanted) ?? [];
  const since = new Date(Date.parse(time) - roundingMs).toISOString().slice(0, 19);
  const about = { "entity.type": kind.eventEntity ?? "", "entity.id": Number(id) };
  const filter = { ...about, created: { "+gte": since }, "+order_by": "id", "+order": "asc" };
  const rows = await listUnlessForbidden(session.client.list("/account/events", { filter, urgent: at.urgent }));
  const own = (rows as Event[]).filter(({ action, entity }) => names.includes(action) && `${entity?.id}` === id);
  return own.at(-1)?.status;
}

interface Event {
  action: string;
  status: string;
  entity: { id: number | string } | null;
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

import type { Table } from "../store.ts";

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
  /** Until this moment the event is `scheduled`, then `started`. */
  readonly startsAt: number;
  /** When it is expected to end. */
  readonly endsAt: number;
  /** Null while it is scheduled or started. */
  readonly outcome: "finished" | "failed" | "notification" | null;
  readonly duration: number | null;
  readonly message: string | null;
  readonly read: boolean;
  readonly seen: boolean;
}

export const EVENTS: Table<EventRow> = { name: "event", key: (row) => row.id, internal: true };

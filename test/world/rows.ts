/** What exists in the cloud: rows by account and path, and what became of each that ever was. */
import type { JsonObject } from "../../src/api/types.ts";
import type { Clock } from "../../src/queue/clock.ts";

export interface CloudRow {
  /** Never used again, unlike the id. */
  serial: number;
  id: string;
  /** Path of its collection. */
  path: string;
  /** Whose it is: an account, or for what is personal a user. */
  holder: string;
  /** A process of the operator by its number; undefined: made by others. */
  madeBy: number | undefined;
  /** Number of the request in the ledger that made it. */
  madeIn: number | undefined;
  /** Of what others made: how many requests the ledger had then. */
  madeAfter?: number;
  /** As the service shows them. */
  fields: JsonObject;
  createdAt: number;
  /** What the fields become by themselves. */
  next: { at: number; fields: JsonObject } | undefined;
  /** Endpoints beside the row: access of a bucket, configs of an instance. */
  beside: JsonObject;
  removed: { at: number; by: number | undefined } | undefined;
  /** What is asked of it is answered as done, and is not. */
  stubborn?: boolean | undefined;
}

export interface Rows {
  at: (holder: string, path: string) => CloudRow[];
  find: (holder: string, path: string, id: string) => CloudRow | undefined;
  add: (row: NewRow) => CloudRow;
  /** Removes it, and what is below it. */
  remove: (row: CloudRow, by: number | undefined) => void;
  /** The next id of a collection; with `reuse` the lowest that is free. */
  nextId: (holder: string, path: string, reuse: boolean) => number;
  /** Every row that ever was. */
  history: () => CloudRow[];
}

export type NewRow = Pick<CloudRow, "id" | "path" | "holder" | "fields"> &
  Partial<Pick<CloudRow, "madeBy" | "madeIn" | "next" | "beside">>;

export function createRows(clock: Clock): Rows {
  const tables = new Map<string, Map<string, CloudRow>>();
  const history: CloudRow[] = [];
  // Given to rows that are shown only once they are done: nobody else gets these.
  const given = new Set<string>();
  let highest = 1_000;
  const table = (holder: string, path: string): Map<string, CloudRow> => {
    const key = `${holder} ${path}`;
    const known = tables.get(key) ?? new Map<string, CloudRow>();
    tables.set(key, known);
    return known;
  };
  const rows: Rows = {
    at: (holder, path) => [...(tables.get(`${holder} ${path}`)?.values() ?? [])].map((row) => grown(row, clock)),
    find(holder, path, id) {
      const row = tables.get(`${holder} ${path}`)?.get(id);
      return row && grown(row, clock);
    },
    add(fields) {
      const rest = { madeBy: undefined, madeIn: undefined, next: undefined, beside: {}, removed: undefined };
      const row: CloudRow = { ...rest, ...fields, serial: history.length + 1, createdAt: clock.now() };
      history.push(row);
      table(row.holder, row.path).set(row.id, row);
      given.delete(`${row.holder} ${row.path} ${row.id}`);
      return row;
    },
    remove(row, by) {
      table(row.holder, row.path).delete(row.id);
      row.removed = { at: clock.now(), by };
      for (const [key, inner] of tables)
        if (key.startsWith(`${row.holder} ${row.path}/${row.id}/`))
          for (const each of inner.values()) rows.remove(each, by);
    },
    nextId(holder, path, reuse) {
      if (reuse) {
        // No service gives an id away again within the second that `created` tells.
        const free = history.find(
          (row) =>
            row.path === path &&
            row.removed &&
            clock.now() - row.createdAt >= 1_000 &&
            !table(holder, path).has(row.id) &&
            !given.has(`${holder} ${path} ${row.id}`),
        );
        if (free && Number.isInteger(Number(free.id))) {
          given.add(`${holder} ${path} ${free.id}`);
          return Number(free.id);
        }
      }
      highest += 1;
      return highest;
    },
    history: () => history,
  };
  return rows;
}

function grown(row: CloudRow, clock: Clock): CloudRow {
  if (row.next !== undefined && clock.now() >= row.next.at) {
    Object.assign(row.fields, row.next.fields);
    row.next = undefined;
  }
  return row;
}

import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../api/types.ts";
import type { Snapshot } from "./types.ts";

/**
 * The rows of one collection, put together from whole lists, reads of single rows and own writes.
 * Each of them has a mark, taken when it began (a write: when it was answered), and of two that speak of the same row
 * the one that began later wins, in whatever order they end.
 */
export interface Rows {
  /** The next mark. */
  mark(): number;
  get(id: string): JsonObject | undefined;
  /** Undefined before the first list. */
  snapshot(): Snapshot | undefined;
  /** Takes in a whole list. A row it lacks is dropped, unless `kept` says to keep it until a GET has confirmed that it is gone. */
  list(
    listed: ReadonlyMap<string, JsonObject>,
    from: { mark: number; startedAt: number },
    kept: (id: string) => boolean,
  ): Merge;
  /** Takes in one row; `undefined`: it is gone. True when that changed something. */
  row(id: string, row: JsonObject | undefined, mark: number): boolean;
}

export interface Merge {
  /** Rows that are new or differ from what was known. */
  changed: string[];
  /** Rows that were known, are kept, and were not in the list. */
  missing: string[];
  snapshot: Snapshot;
}

interface State {
  current: Map<string, JsonObject>;
  listed: { mark: number; startedAt: number } | undefined;
  /** What single reads and writes said since the last list began; `row` undefined: gone. */
  later: Map<string, { mark: number; row: JsonObject | undefined }>;
}

export function createRows(): Rows {
  const state: State = { current: new Map(), listed: undefined, later: new Map() };
  let marks = 0;
  return {
    mark: () => (marks += 1),
    get: (id) => state.current.get(id),
    snapshot: () => state.listed && { rows: state.current, startedAt: state.listed.startedAt },
    list: (listed, from, kept) => mergeList(state, listed, from, kept),
    row: (id, row, mark) => mergeRow(state, id, row, mark),
  };
}

function mergeList(
  state: State,
  listed: ReadonlyMap<string, JsonObject>,
  from: { mark: number; startedAt: number },
  kept: (id: string) => boolean,
): Merge {
  const { current, later } = state;
  const next = new Map<string, JsonObject>();
  const merge: Merge = { changed: [], missing: [], snapshot: { rows: next, startedAt: from.startedAt } };
  for (const [id, entry] of later) {
    if (entry.mark < from.mark) later.delete(id);
    else if (entry.row !== undefined) next.set(id, entry.row);
  }
  for (const [id, row] of listed) {
    if (later.has(id)) continue;
    const known = current.get(id);
    const same = known !== undefined && isDeepStrictEqual(known, row);
    // The object that is already held is kept, so that an unchanged collection makes no garbage that lives long.
    next.set(id, same ? known : row);
    if (!same) merge.changed.push(id);
  }
  for (const [id, row] of current) {
    if (next.has(id) || later.has(id) || !kept(id)) continue;
    next.set(id, row);
    merge.missing.push(id);
  }
  state.current = next;
  state.listed = from;
  return merge;
}

function mergeRow(state: State, id: string, row: JsonObject | undefined, mark: number): boolean {
  const { current, later, listed } = state;
  const newest = Math.max(listed?.mark ?? 0, later.get(id)?.mark ?? 0);
  if (mark < newest) return false;
  later.set(id, { mark, row });
  const known = current.get(id);
  if (isDeepStrictEqual(known, row)) return false;
  if (row === undefined) current.delete(id);
  else current.set(id, row);
  return true;
}

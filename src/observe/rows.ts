import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../api/types.ts";
import type { Snapshot, Unreadable } from "./types.ts";

/**
 * The rows of one collection, put together from whole lists, reads of single rows and own writes.
 * Each of them has a mark, taken when it began (a write: when it was answered), and of two that speak of the same row
 * the one that began later wins, in whatever order they end.
 */
export interface Rows {
  /** The next mark. */
  mark(): number;
  get(id: string): Known | undefined;
  /** A single read or a write has shown it since the last list began. */
  isLater(id: string): boolean;
  /** Undefined before the first list. */
  snapshot(): Snapshot | undefined;
  /** Begins to take in a whole list; one at a time. */
  begin(): Intake;
  /** Takes in one row; `undefined`: it is gone. True when that changed something. */
  row(id: string, known: Known | undefined, mark: number): boolean;
}

/** A list of thousands is taken in by and by; until its end, what is known is as it was. */
export interface Intake {
  /** The next row of the list. What is the same as before stays the object that it was: an unchanged collection makes no garbage that lives long. */
  take(id: string, known: Known): void;
  /** A row that the list lacks is dropped, unless `kept` says to keep it until a GET has confirmed that it is gone. */
  end(from: ListedAt, kept: (id: string) => boolean): Merge;
}

/** When a list began, by mark and clock milliseconds, and whether each of its rows has an id. */
export interface ListedAt {
  mark: number;
  startedAt: number;
  whole: boolean;
}

/** What is known of a row that is there. */
export type Known = { row: JsonObject } | { unreadable: Unreadable };

export interface Merge {
  /** Rows that are new or differ from what was known. */
  changed: string[];
  /** Rows that were known, are kept, and were not in the list. */
  missing: string[];
  snapshot: Snapshot;
}

interface Contents extends Pick<Snapshot, "find"> {
  rows: Map<string, JsonObject>;
  unreadable: Map<string, Unreadable>;
  indexes: Map<TextOf, Index>;
}

type TextOf = Parameters<Snapshot["find"]>[0];

/** Ids by the text of their row; nearly every text has one, which needs no set. */
type Index = Map<string, string | Set<string>>;

interface State {
  current: Contents;
  listed: ListedAt | undefined;
  /** Rows that the last list lacks, and that are kept, each with the mark of the newest read that showed it. */
  missing: ReadonlyMap<string, number>;
  /** What single reads and writes said since the last list began; `known` undefined: gone. */
  later: Map<string, { mark: number; known: Known | undefined }>;
}

export function createRows(): Rows {
  const state: State = { current: none(), listed: undefined, missing: new Map(), later: new Map() };
  let marks = 0;
  return {
    mark: () => (marks += 1),
    get: (id) => knownOf(state.current, id),
    isLater: (id) => state.later.get(id)?.known !== undefined,
    snapshot: () => state.listed && snapshotOf(state.current, state.listed),
    begin: () => begin(state),
    row: (id, known, mark) => mergeRow(state, id, known, mark),
  };
}

function none(): Contents {
  const rows = new Map<string, JsonObject>();
  const indexes = new Map<TextOf, Index>();
  return {
    rows,
    unreadable: new Map(),
    indexes,
    find(textOf, text) {
      const ids = (indexes.get(textOf) ?? indexed(rows, indexes, textOf)).get(text) ?? [];
      return typeof ids === "string" ? [ids] : [...ids];
    },
  };
}

function snapshotOf({ rows, unreadable, find }: Contents, { startedAt, whole }: ListedAt): Snapshot {
  return { rows, unreadable, whole, find, startedAt };
}

function indexed(rows: Contents["rows"], indexes: Contents["indexes"], textOf: TextOf): Index {
  const index: Index = new Map();
  for (const [id, row] of rows) enter(index, textOf(row), id);
  indexes.set(textOf, index);
  return index;
}

/** What stood there before stays: who finds it compares the row. */
function enter(index: Index, text: string, id: string): void {
  const ids = index.get(text);
  if (ids === undefined) index.set(text, id);
  else if (typeof ids !== "string") ids.add(id);
  else if (ids !== id) index.set(text, new Set([ids, id]));
}

function knownOf({ rows, unreadable }: Contents, id: string): Known | undefined {
  const row = rows.get(id);
  if (row !== undefined) return { row };
  const reason = unreadable.get(id);
  return reason && { unreadable: reason };
}

/** A row is in one of the two, or in none. */
function put({ rows, unreadable, indexes }: Contents, id: string, known: Known | undefined): void {
  if (known && "row" in known) {
    rows.set(id, known.row);
    for (const [textOf, index] of indexes) enter(index, textOf(known.row), id);
  } else rows.delete(id);
  if (known && "unreadable" in known) unreadable.set(id, known.unreadable);
  else unreadable.delete(id);
}

function begin(state: State): Intake {
  // In the order of the list, which may mean something.
  const next = none();
  const changed = new Set<string>();
  return {
    take(id, known) {
      const before = knownOf(state.current, id);
      const isSame = isDeepStrictEqual(before, known);
      put(next, id, isSame ? before : known);
      if (!isSame) changed.add(id);
    },
    end: (from, kept) => end(state, { next, changed }, from, kept),
  };
}

function end(
  state: State,
  { next, changed }: { next: Contents; changed: Set<string> },
  from: ListedAt,
  kept: (id: string) => boolean,
): Merge {
  const { current, later } = state;
  const outdated = [...later].filter(([, { mark }]) => mark < from.mark);
  const shown = new Map(outdated.flatMap(([id, { mark, known }]) => (known ? [[id, mark] as const] : [])));
  for (const [id] of outdated) {
    later.delete(id);
    // What it said may have come after the list's row was taken in.
    const now = knownOf(next, id);
    if (now === undefined || isDeepStrictEqual(knownOf(current, id), now)) changed.delete(id);
    else changed.add(id);
  }
  for (const [id, { known }] of later) {
    changed.delete(id);
    put(next, id, known);
  }
  const missing: string[] = [];
  for (const id of [...current.rows.keys(), ...current.unreadable.keys()]) {
    if (next.rows.has(id) || next.unreadable.has(id) || later.has(id) || !kept(id)) continue;
    put(next, id, knownOf(current, id));
    missing.push(id);
  }
  const before = state.listed?.mark ?? 0;
  state.missing = new Map(missing.map((id) => [id, shown.get(id) ?? state.missing.get(id) ?? before]));
  state.current = next;
  state.listed = from;
  return { changed: [...changed], missing, snapshot: snapshotOf(next, from) };
}

function mergeRow(state: State, id: string, known: Known | undefined, mark: number): boolean {
  const { current, later, listed, missing } = state;
  // A list that lacks the row says the same as an answer that it is gone, whichever began first.
  const listMark = (known === undefined ? missing.get(id) : undefined) ?? listed?.mark ?? 0;
  const newest = Math.max(listMark, later.get(id)?.mark ?? 0);
  if (mark < newest) return false;
  later.set(id, { mark, known });
  if (isDeepStrictEqual(knownOf(current, id), known)) return false;
  put(current, id, known);
  return true;
}

import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../api/types.ts";
import type { Snapshot, Unreadable } from "./types.ts";

/**
 * Combines whole lists, reads of single rows and own writes into the rows of one collection. Each source has a mark,
 * taken when the read began, or when the response to the write arrived. If two sources contain the same row, the higher
 * mark wins, in any order of arrival.
 */
export interface Rows {
  mark(): number;
  get(id: string): Known | undefined;
  /** Returns true if a single read or a write has shown the row since the last list began. */
  isLater(id: string): boolean;
  /** Returns undefined before the first list. */
  snapshot(): Snapshot | undefined;
  /** Starts to merge a list. Only one list merges at a time. */
  begin(): Intake;
  /** Merges one row; `undefined` means gone. Returns true after a change. */
  row(id: string, known: Known | undefined, mark: number): boolean;
}

/** Merges a list of thousands of rows in steps. Until `end`, the previous rows stay visible. */
export interface Intake {
  /** Adds the next row. Keeps the previous object of an equal row, to create no long-lived garbage. */
  take(id: string, known: Known): void;
  /** Ends the merge. Drops missing rows, unless `kept` returns true: a GET must first confirm the deletion. */
  end(from: ListedAt, kept: (id: string) => boolean): Merge;
}

/** When a list began, by mark and clock milliseconds. `whole` is true if each row has an ID. */
export interface ListedAt {
  mark: number;
  startedAt: number;
  whole: boolean;
}

/** Contents of a row that exists. */
export type Known = { row: JsonObject } | { unreadable: Unreadable };

export interface Merge {
  /** New rows and rows with different contents. */
  changed: string[];
  /** Known rows that the list does not have and the merge keeps. */
  missing: string[];
  snapshot: Snapshot;
}

interface Contents extends Pick<Snapshot, "find"> {
  rows: Map<string, JsonObject>;
  unreadable: Map<string, Unreadable>;
  indexes: Map<TextOf, Index>;
}

type TextOf = Parameters<Snapshot["find"]>[0];

/** IDs by the text of their row. Most texts have one ID; a string saves a set. */
type Index = Map<string, string | Set<string>>;

interface State {
  current: Contents;
  listed: ListedAt | undefined;
  /** Kept rows that the last list does not have, with the mark of the newest read that showed the row. */
  missing: ReadonlyMap<string, number>;
  /** Results of single reads and writes since the last list began. `known` undefined means gone. */
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

/** Adds an ID. Never removes an old ID, because `find` compares the row. */
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

/** Stores a row in exactly one map, or removes the row. */
function put({ rows, unreadable, indexes }: Contents, id: string, known: Known | undefined): void {
  if (known && "row" in known) {
    rows.set(id, known.row);
    for (const [textOf, index] of indexes) enter(index, textOf(known.row), id);
  } else rows.delete(id);
  if (known && "unreadable" in known) unreadable.set(id, known.unreadable);
  else unreadable.delete(id);
}

function begin(state: State): Intake {
  // The order of the list may have a meaning.
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
    // The single read may have arrived after the merge of the row in the list.
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
  // A list without the row confirms a 404, even if the list began later.
  const listMark = (known === undefined ? missing.get(id) : undefined) ?? listed?.mark ?? 0;
  const newest = Math.max(listMark, later.get(id)?.mark ?? 0);
  if (mark < newest) return false;
  later.set(id, { mark, known });
  if (isDeepStrictEqual(knownOf(current, id), known)) return false;
  put(current, id, known);
  return true;
}

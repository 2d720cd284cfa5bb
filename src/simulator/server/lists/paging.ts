/*
 * Serves lists: pages, filters and order.
 * Guarantees: only the rows of the page are presented, unless a filter compares presented rows.
 * Imports the form of errors.
 */
import { invalid } from "../errors.ts";
import { parseFilter } from "./filter.ts";
import type { Filter } from "./filter.ts";
import { SLICE, atOnce, keptInSlices, sortedInSlices } from "./slices.ts";

/**
 * Rows of a list in the order of creation, and the function that presents a row. Only rows of the requested page are presented.
 */
export interface RowList {
  readonly rows: () => readonly unknown[];
  readonly present: (row: never) => unknown;
  readonly found: Found;
  /** Returns the value for filters. Defaults to the presented row. */
  readonly compared?: (row: never) => unknown;
}

/**
 * Functions by field that return candidate rows for a value, in the order of the list. A filter reads the candidates of
 * the first matching field instead of all rows.
 */
export type Found = Readonly<Record<string, (value: unknown) => readonly unknown[]>>;

/** The collection envelope of part 1 section 2.1. */
export interface Page {
  data: unknown[];
  page: number;
  pages: number;
  results: number;
}

export interface PageRequest {
  page: number;
  pageSize: number;
}

/** Returns the result of a paged handler. `present` returns the form of the API for a stored row. */
export function rowList<Row>(
  rows: readonly Row[] | (() => readonly Row[]),
  present: (row: Row) => unknown,
  found: Found = {},
  compared?: (row: Row) => unknown,
): RowList {
  const all = typeof rows === "function" ? rows : () => rows;
  return { rows: all, present, found, ...(compared && { compared }) };
}

/** Parses `page` and `page_size`. Page starts at 1 (default 1). Size is 25..500 (default 100). */
export function pageRequest(query: Readonly<Record<string, string>>): PageRequest {
  const page = whole(query["page"] ?? "1");
  const pageSize = whole(query["page_size"] ?? "100");
  if (!(page >= 1)) throw invalid("page", "Must be an integer of 1 or more");
  if (!(pageSize >= 25 && pageSize <= 500)) throw invalid("page_size", "Must be 25-500");
  return { page, pageSize };
}

interface PageOptions {
  filter?: unknown;
  filterable: readonly string[];
  shift?: number;
  kept?: (row: object) => boolean;
}

/**
 * Returns one page of a list.
 * `shift` moves the window, as if rows of earlier pages had been added or removed. Rows that fail `kept` are omitted. A
 * page after the last is empty, because the documents define only the lower limit of `page`.
 *
 * Returns slices of work instead of the page if a filter or an order must read many rows.
 */
export function pageOf(list: RowList, request: PageRequest, options: PageOptions): Page | Generator<undefined, Page> {
  const filter = options.filter === undefined ? undefined : parseFilter(options.filter, options.filterable);
  const found = filter ? candidates(list, filter) : list.rows();
  const rows = options.kept ? found.filter((row) => options.kept?.(row as object)) : found;
  const present = list.present as (row: unknown) => unknown;
  if (!filter) return cut(rows, request, options.shift, present);
  const slices = filteredPage(list, rows, filter, { request, shift: options.shift });
  return rows.length > SLICE ? slices : atOnce(slices);
}

function* filteredPage(
  list: RowList,
  rows: readonly unknown[],
  filter: Filter,
  { request, shift }: { request: PageRequest; shift: number | undefined },
): Generator<undefined, Page> {
  const present = list.present as (row: unknown) => unknown;
  const compared = list.compared as ((row: unknown) => unknown) | undefined;
  const { order } = filter;
  // Keeps only the sort key of a row, because a hundred thousand presented rows would fill the memory.
  const kept = yield* keptInSlices(rows, (row) => {
    const shown = present(row);
    if (!filter.matches(compared ? compared(row) : shown)) return undefined;
    return { row, key: order ? order.keyOf(shown) : null };
  });
  const sorted = order ? yield* sortedInSlices(kept, (left, right) => order.compareKeys(left.key, right.key)) : kept;
  return cut(sorted, request, shift, ({ row }) => present(row));
}

/** Returns the presented rows of one page. */
function cut<Row>(
  rows: readonly Row[],
  { page, pageSize }: PageRequest,
  shift: number | undefined,
  show: (row: Row) => unknown,
): Page {
  const pages = Math.max(1, Math.ceil(rows.length / pageSize));
  const start = Math.max(0, (page - 1) * pageSize + (page > 1 ? (shift ?? 0) : 0));
  return { data: rows.slice(start, start + pageSize).map(show), page, pages, results: rows.length };
}

function candidates({ rows, found }: RowList, { equalities }: Filter): readonly unknown[] {
  const field = Object.keys(found).find((name) => equalities.has(name));
  return (field === undefined ? undefined : found[field]?.(equalities.get(field))) ?? rows();
}

/** Returns the number in plain digits. Other text returns NaN, such as `1e3`, `0x10`, or more digits than a number can hold. */
function whole(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

/*
 * Lists: pages, filters and their order.
 * Guarantees: rows of a page are shown only when they are on it, but for a filter, which compares what is shown.
 * Imports the form of errors.
 */
import { invalid } from "../errors.ts";
import { parseFilter } from "./filter.ts";
import type { Filter } from "./filter.ts";

/** Rows of a list in the order of creation, and how one is shown. Only rows of the page asked for are shown. */
export interface RowList {
  readonly rows: () => readonly unknown[];
  readonly present: (row: never) => unknown;
  readonly found: Found;
}

/** By field, the rows that may have this value, in the order of the list: what a filter reads in place of all rows. The first that a filter names is taken. */
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

/** Wraps the rows of a paged list; `present` turns a stored row into what the API shows. */
export function rowList<Row>(
  rows: readonly Row[] | (() => readonly Row[]),
  present: (row: Row) => unknown,
  found: Found = {},
): RowList {
  return { rows: typeof rows === "function" ? rows : () => rows, present, found };
}

/** Reads `page` and `page_size`: page from 1, size 25..500, defaults 1 and 100. */
export function pageRequest(query: Readonly<Record<string, string>>): PageRequest {
  const page = whole(query["page"] ?? "1");
  const pageSize = whole(query["page_size"] ?? "100");
  if (!(page >= 1)) throw invalid("page", "Must be an integer of 1 or more");
  if (!(pageSize >= 25 && pageSize <= 500)) throw invalid("page_size", "Must be 25-500");
  return { page, pageSize };
}

/**
 * One page of the list. `shift` makes the window slide, as if rows of earlier pages had come or gone meanwhile; rows that are not
 * `kept` are left out. A page beyond the last is empty: the documents bound `page` only from below.
 */
export function pageOf(
  list: RowList,
  request: PageRequest,
  options: { filter?: unknown; filterable: readonly string[]; shift?: number; kept?: (row: object) => boolean },
): Page {
  const present = list.present as (row: unknown) => unknown;
  const filter = options.filter === undefined ? undefined : parseFilter(options.filter, options.filterable);
  let rows = filter ? candidates(list, filter) : list.rows();
  if (options.kept) rows = rows.filter((row) => options.kept?.(row as object));
  if (filter) rows = rows.map(present).filter((row) => filter.matches(row));
  if (filter?.compare) rows = rows.toSorted(filter.compare);
  const pages = Math.max(1, Math.ceil(rows.length / request.pageSize));
  const start = (request.page - 1) * request.pageSize + (request.page > 1 ? (options.shift ?? 0) : 0);
  const data = rows.slice(Math.max(0, start), Math.max(0, start) + request.pageSize);
  return { data: filter ? data : data.map(present), page: request.page, pages, results: rows.length };
}

function candidates({ rows, found }: RowList, { equalities }: Filter): readonly unknown[] {
  const field = Object.keys(found).find((name) => equalities.has(name));
  return (field === undefined ? undefined : found[field]?.(equalities.get(field))) ?? rows();
}

/** The number that plain digits tell; NaN for all else (`1e3`, `0x10`, more digits than a number holds). */
function whole(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

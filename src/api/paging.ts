import { isObject, pathOnly } from "./answer.ts";
import { HttpError } from "./errors.ts";
import { digestOf } from "./list-text.ts";
import type { Json, JsonObject, Listing } from "./types.ts";

interface Page {
  rows: JsonObject[];
  /** 1 for a list without pages. */
  pages: number;
  results: number | undefined;
}

const ATTEMPTS = 4;
const MAX_PAGES = 1_000;

/**
 * Reads the pages of a list (part 1, section 2.1). If rows appear or disappear during the read, pages shift and the
 * client can miss a row. The count or a duplicate row shows the shift. The client then reads the list again, at most
 * four times. Throws `HttpError` if the list never stays stable or does not say where the rows end. Never returns part
 * of a list.
 */
export async function readPages(
  path: string,
  fetchPage: (page: number) => Promise<Json | undefined>,
): Promise<Listing> {
  let requests = 0;
  const counted = async (page: number) => {
    requests += 1;
    return readPage(path, await fetchPage(page));
  };
  let read: Read | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    read = await readOnce(counted);
    if (read?.isEachOnce) return { ...withDigests(read.rows), pages: requests };
  }
  // Rows without an ID may be equal although no page shifted.
  if (read) return { ...withDigests(read.rows), pages: requests, alike: true };
  throw invalid(path, "kept changing while its pages were read, or shows fewer rows than it counts");
}

function withDigests(rows: JsonObject[]): Pick<Listing, "rows" | "digestOf"> {
  return rows.some(digestOf) ? { rows, digestOf } : { rows };
}

interface Read {
  rows: JsonObject[];
  /** False if rows without an ID are equal: the client may have read a row twice. */
  isEachOnce: boolean;
}

/** Returns undefined if the pages shifted. */
async function readOnce(fetchPage: (page: number) => Promise<Page>): Promise<Read | undefined> {
  const first = await fetchPage(1);
  const rows = [...first.rows];
  const seen = createSeen();
  seen.add(first.rows);
  for (let page = 2; page <= first.pages; page += 1) {
    const next = await fetchPage(page).catch(pastTheEnd);
    if (next === undefined || next.results !== first.results || next.pages !== first.pages) return undefined;
    rows.push(...next.rows);
    seen.add(next.rows);
  }
  // A list without pages may have more rows than its count.
  if (first.pages === 1) return rows.length >= (first.results ?? 0) ? { rows, isEachOnce: true } : undefined;
  const complete = first.results === undefined || rows.length === first.results;
  return complete && !seen.isTwice() ? { rows, isEachOnce: !seen.isAlike() } : undefined;
}

/** Records the rows of each page. Comparing thousands of rows at the end would block the event loop. */
function createSeen() {
  const ids = new Set<number | string>();
  const texts = new Set<string>();
  let [named, others] = [0, 0];
  return {
    add(rows: JsonObject[]): void {
      for (const row of rows) {
        const { id } = row;
        if (isID(id)) {
          named += 1;
          ids.add(id);
        } else if (!isBlank(row)) {
          others += 1;
          texts.add(digestOf(row) ?? JSON.stringify(row));
        }
      }
    },
    isTwice: () => ids.size < named,
    /** Returns true if two rows without an ID are equal. */
    isAlike: () => texts.size < others,
  };
}

/** Returns undefined for an error that means the page does not exist: the list has become shorter. */
function pastTheEnd(error: unknown): undefined {
  if (error instanceof HttpError && (error.status === 404 || error.status === 400)) return undefined;
  throw error;
}

/** Returns true for a row without any value to compare. */
function isBlank(row: JsonObject): boolean {
  return Object.values(row).every((value) => value === null);
}

function isID(id: Json | undefined): id is number | string {
  return typeof id === "number" ? id > 0 : typeof id === "string" && id !== "";
}

function readPage(path: string, answer: Json | undefined): Page {
  const data = Array.isArray(answer) ? answer : isObject(answer) ? answer["data"] : undefined;
  // An element that is not an object may be the result of an unanswered request. Such a list does not prove that the cloud object is absent.
  if (!Array.isArray(data) || !data.every(isObject)) throw invalid(path, "is not a list of objects");
  const { pages, results } = isObject(answer) ? answer : {};
  const count = countOf(pages);
  const known = countOf(results);
  if (pages !== undefined && count === undefined && known === undefined)
    throw invalid(path, "does not say how many pages it has");
  if (count !== undefined && count > MAX_PAGES) throw invalid(path, `has more than ${MAX_PAGES} pages`);
  return { rows: data, pages: Math.max(1, count ?? 1), results: known };
}

/** Reads a number. The API may write the number as a text. */
function countOf(value: Json | undefined): number | undefined {
  if (typeof value === "string" && /^\d+$/.test(value)) return Number(value);
  return typeof value === "number" ? value : undefined;
}

function invalid(path: string, what: string): HttpError {
  return new HttpError(`got a list of an unexpected form: the list ${what}`, {
    method: "GET",
    path: pathOnly(path),
    outcome: "ambiguous",
  });
}

/** Reads of a command from the account, a few at a time and each path once. A failed read affects only the callers of the path. */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Detail } from "../../core/kind/call.ts";
import type { Reader } from "./open.ts";

export interface Lists {
  /** Returns the rows of every page. Rejects with `HttpError`; never returns a part of the list. */
  rows: (path: string, options?: { beta?: boolean }) => Promise<JsonObject[]>;
  /** Returns the response of one GET; undefined for an empty response. */
  one: (path: string, options?: { beta?: boolean }) => Promise<Json | undefined>;
  /** Forgets the answers, to free the memory of large lists. */
  forget: () => void;
  /** Returns the answer to a read of a kind: the rows of every page, or the response of a GET. */
  detail: (read: Detail) => Promise<Json | undefined>;
}

/** Most reads at the same time. The rate limit of the client decides when requests leave. */
const together = 8;

/** `onRead`: called with the number of finished and begun reads. */
export function createLists(reader: Reader, onRead?: (done: number, begun: number) => void): Lists {
  const known = new Map<string, Promise<unknown>>();
  const waiting: (() => void)[] = [];
  let [running, begun, done] = [0, 0, 0];

  async function limited<T>(read: () => Promise<T>): Promise<T> {
    if (running >= together) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      return await read();
    } finally {
      running -= 1;
      done += 1;
      onRead?.(done, begun);
      waiting.shift()?.();
    }
  }

  function once<T>(key: string, read: () => Promise<T>): Promise<T> {
    const found = known.get(key) as Promise<T> | undefined;
    if (found === undefined) begun += 1;
    const answer = found ?? limited(read);
    known.set(key, answer);
    return answer;
  }

  const lists: Lists = {
    rows: (path, options) => once(`list ${path}`, async () => (await reader.list(path, options)).rows),
    one: (path, options) => once(`get ${path}`, () => reader.get(path, options)),
    forget: () => known.clear(),
    detail: ({ path, paged }) => (paged ? lists.rows(path) : lists.one(path)),
  };
  return lists;
}

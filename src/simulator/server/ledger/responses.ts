/** Limit of responses to reads, and separately of responses to writes. */
const KEPT = 50;

/** Limit of a text in characters. */
const LONGEST = 65_536;

/**
 * Keeps the texts of the newest responses in memory for the page.
 * Reads and writes have separate limits, so that a client that polls does not displace the responses to writes. Texts
 * contain secrets, because only the control side reads the texts.
 */
export class Responses {
  readonly #reads = new Map<number, string | null>();
  readonly #writes = new Map<number, string | null>();

  /** Keeps the text of a response under the ledger ID of the request. */
  keep(id: number, method: string, text: string): void {
    const kept = method === "GET" || method === "HEAD" ? this.#reads : this.#writes;
    kept.set(id, text.length > LONGEST ? null : text);
    const [oldest] = kept.keys();
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  }

  /** Returns the text. Null if the text was too long to keep, undefined if absent. */
  of(id: number): string | null | undefined {
    return this.#writes.has(id) ? this.#writes.get(id) : this.#reads.get(id);
  }

  clear(): void {
    this.#reads.clear();
    this.#writes.clear();
  }
}

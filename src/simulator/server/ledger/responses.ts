/** Responses that are kept of requests that read, and as many of requests that write. */
const KEPT = 50;

/** The longest text that is kept, characters. */
const LONGEST = 65_536;

/**
 * Keeps the texts of the newest responses in memory, for the page. Reads and writes are counted apart, so that a client that
 * polls does not push out the responses to its writes. Texts keep their secrets: this is the control side.
 */
export class Responses {
  readonly #reads = new Map<number, string | null>();
  readonly #writes = new Map<number, string | null>();

  /** Keeps the text of a response under the ledger's ID of its request. */
  keep(id: number, method: string, text: string): void {
    const kept = method === "GET" || method === "HEAD" ? this.#reads : this.#writes;
    kept.set(id, text.length > LONGEST ? null : text);
    const [oldest] = kept.keys();
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  }

  /** Returns the text; null if it was too long to keep, undefined if there is none. */
  of(id: number): string | null | undefined {
    return this.#writes.has(id) ? this.#writes.get(id) : this.#reads.get(id);
  }

  clear(): void {
    this.#reads.clear();
    this.#writes.clear();
  }
}

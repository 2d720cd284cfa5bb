import type { Ledger, LedgerEntry, LedgerQuery } from "./ledger.ts";

/** Number of entries in one read. */
const BATCH = 500;

/** Limit of entries that wait for a reply. Older entries get no second line. */
const UNANSWERED = 10_000;

/**
 * Yields present and future entries as lines of JSON, until the signal aborts or `limit` is reached.
 * An entry without a reply gets a second line with the same ID and `repliedAt` after the reply. Memory holds only IDs,
 * because a slow reader reads from the ledger.
 */
export async function* ledgerLines(ledger: Ledger, query: LedgerQuery, signal: AbortSignal): AsyncGenerator<string> {
  const follower = new Follower(ledger, query);
  const stop = ledger.listen((id) => follower.hear(id));
  signal.addEventListener("abort", () => follower.wake());
  let left = query.limit ?? Number.POSITIVE_INFINITY;
  try {
    while (!signal.aborted && left > 0) {
      const happened = follower.happened();
      const entries = follower.next(Math.min(BATCH, left));
      left -= entries.length;
      for (const entry of [...entries, ...follower.answered()]) yield line(entry);
      if (entries.length === 0) await happened;
    }
  } finally {
    stop();
  }
}

class Follower {
  readonly #ledger: Ledger;
  readonly #query: LedgerQuery;
  readonly #unanswered = new Set<number>();
  readonly #told = new Set<number>();
  #last: number;
  wake: () => void = () => {};

  constructor(ledger: Ledger, query: LedgerQuery) {
    this.#ledger = ledger;
    this.#query = query;
    this.#last = query.sinceId ?? 0;
  }

  hear(id: number): void {
    if (this.#unanswered.has(id)) this.#told.add(id);
    this.wake();
  }

  /** Resolves at the next notification. */
  happened(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }

  /** Returns entries after the last returned entry. */
  next(limit: number): LedgerEntry[] {
    const entries = this.#ledger.read({ ...this.#query, sinceId: this.#last, limit });
    for (const { id, repliedAt } of entries) {
      this.#last = id;
      if (repliedAt === null) this.#unanswered.add(id);
      if (this.#unanswered.size > UNANSWERED) this.#unanswered.delete(this.#unanswered.values().next().value ?? 0);
    }
    return entries;
  }

  /** Returns replied entries that `next` returned without a reply. */
  answered(): LedgerEntry[] {
    const ids = [...this.#told];
    this.#told.clear();
    const entries = ids.flatMap((id) => this.#ledger.read({ sinceId: id - 1, limit: 1 }));
    return entries.filter(({ id, repliedAt }) => repliedAt !== null && this.#unanswered.delete(id));
  }
}

function line(entry: LedgerEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

import type { Ledger, LedgerEntry, LedgerQuery } from "./ledger.ts";

/** Entries that are read at once. */
const BATCH = 500;

/** Of so many entries that were shown without their reply the reply is looked out for; older ones are given up. */
const UNANSWERED = 10_000;

/**
 * The entries that match, and then those to come, as lines of JSON, until the signal aborts or `limit` is reached. An
 * entry whose answer has not left yet has a second line, with the same id and `repliedAt`, when it has. What a slow reader has not read yet stays in the ledger: nothing is buffered but ids.
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

/** What one reader has been shown, and what it has not. */
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

  /** Resolves when something was heard after this call. */
  happened(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }

  /** Entries that were not shown yet. */
  next(limit: number): LedgerEntry[] {
    const entries = this.#ledger.read({ ...this.#query, sinceId: this.#last, limit });
    for (const { id, repliedAt } of entries) {
      this.#last = id;
      if (repliedAt === null) this.#unanswered.add(id);
      if (this.#unanswered.size > UNANSWERED) this.#unanswered.delete(this.#unanswered.values().next().value ?? 0);
    }
    return entries;
  }

  /** Entries that were shown without their reply and have one now. */
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

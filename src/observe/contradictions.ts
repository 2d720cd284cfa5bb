import type { Clock } from "../queue/clock.ts";

/**
 * Rows of one collection of which the cloud says one thing in its list and another at their own path: a gateway that is
 * broken, or a list that lags behind. Each such answer looks like a change, and what it causes are more requests. So the
 * first is acted on at once, and each further one after twice as long, until the row has been quiet for ten minutes.
 * No change is lost: what is not told at once is told later.
 */
export interface Contradictions {
  /** Its own path answers that the row is gone; perhaps a list will show it all the same. */
  gone(id: string): void;
  /** Tells of rows that changed, at once where nothing is known against them. */
  tell(ids: string[]): void;
  /** Of the rows that a list lacks: those whose own path is to be asked now. */
  toConfirm(missing: string[]): string[];
  /** Its own path shows what the list lacks. */
  shown(id: string): void;
  close(): void;
}

interface Options {
  clock: Clock;
  tell: (ids: string[]) => void;
}

interface Seen {
  times: number;
  at: number;
}

interface State extends Options {
  gone: Map<string, Seen>;
  unlisted: Map<string, Seen>;
  /** By row: ends what is to be told later. */
  pending: Map<string, () => void>;
  closed: boolean;
}

/** The second time is told so much later, milliseconds. */
const tellMs = 2_000;
const longestTellMs = 300_000;

/** A row that its list lacks is asked for again after so long at first: not with each list that somebody needs. */
const confirmMs = 30_000;
const longestConfirmMs = 600_000;

/** Longer than any delay between two tries, or each would be the first. */
const quietMs = 600_000;

export function createContradictions(options: Options): Contradictions {
  const state: State = { ...options, gone: new Map(), unlisted: new Map(), pending: new Map(), closed: false };
  const { clock, gone, unlisted, pending } = state;
  return {
    gone: (id) => note(gone, id, clock.now()),
    tell: (ids) => tell(state, ids),
    toConfirm(missing) {
      const still = new Set(missing);
      for (const id of unlisted.keys()) if (!still.has(id)) unlisted.delete(id);
      return missing.filter((id) => isDue(unlisted.get(id), clock.now()));
    },
    shown: (id) => note(unlisted, id, clock.now()),
    close() {
      state.closed = true;
      for (const end of pending.values()) end();
      pending.clear();
    },
  };
}

function note(seen: Map<string, Seen>, id: string, at: number): void {
  seen.set(id, { times: (seen.get(id)?.times ?? 0) + 1, at });
}

function isDue(seen: Seen | undefined, now: number): boolean {
  return seen === undefined || now - seen.at >= Math.min(confirmMs * 2 ** (seen.times - 1), longestConfirmMs);
}

function tell(state: State, ids: string[]): void {
  const { clock, gone, pending, closed } = state;
  if (closed) return;
  for (const [id, { at }] of gone) if (clock.now() - at > quietMs) gone.delete(id);
  const now: string[] = [];
  for (const id of ids) {
    const times = gone.get(id)?.times ?? 0;
    if (times <= 1) now.push(id);
    else if (!pending.has(id))
      pending.set(
        id,
        clock.schedule(delayMs(times), () => tellLater(state, id)),
      );
  }
  if (now.length > 0) state.tell(now);
}

function delayMs(times: number): number {
  return Math.min(tellMs * 2 ** (times - 2), longestTellMs);
}

function tellLater(state: State, id: string): void {
  state.pending.delete(id);
  state.tell([id]);
}

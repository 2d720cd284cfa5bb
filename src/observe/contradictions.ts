import { backoff } from "../queue/backoff.ts";
import type { Clock } from "../queue/clock.ts";

/**
 * Slows the reaction to a cloud that contradicts itself: the list and the path of a row disagree, because a gateway is
 * broken or the list lags behind. Each such response looks like a change and causes more requests. The operator reports
 * the first change immediately, and each further change after twice the delay, until the row has been stable for ten
 * minutes. Changes are delayed, never lost.
 */
export interface Contradictions {
  /** Notes a 404 from the path of a row. A list may still show the row. */
  gone(id: string): void;
  /** Reports changed rows, immediately for rows without a contradiction. */
  tell(ids: string[]): void;
  /** Returns the rows, missing in a list, whose own path to read now. */
  toConfirm(missing: string[]): string[];
  /** Notes that the path of a row shows the row although the list does not. */
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
  /** Cancels delayed reports, by row. */
  pending: Map<string, () => void>;
  closed: boolean;
}

/** Delay of the second report, milliseconds. */
const tellMs = 2_000;
const longestTellMs = 300_000;

/** First interval between reads of a row that the list does not show. */
const confirmMs = 30_000;
const longestConfirmMs = 600_000;

/** Longer than any delay between two attempts, so that a repeated contradiction never counts as the first. */
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
  return seen === undefined || now - seen.at >= backoff(seen.times, confirmMs, longestConfirmMs);
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
  return backoff(times - 1, tellMs, longestTellMs);
}

function tellLater(state: State, id: string): void {
  state.pending.delete(id);
  state.tell([id]);
}

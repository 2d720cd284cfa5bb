/**
 * Collections of one item each, such as the records of every zone, are as many as there are items. Their sweeps together
 * take a share of the rate limits: the more of them there are, the further apart those of each are.
 */
import type { CloudClient } from "../api/types.ts";

/** So much of a limit sweeps may use; who waits for an answer goes first in any case. 5,000 zones are read in 14 minutes. */
const share = 0.92;

export interface Spread {
  /** The sweeps of this collection count from here on. */
  join(path: string): Place;
}

export interface Place {
  /** Milliseconds between two sweeps of it, where there would be `leastMs` if there were few. */
  everyMs(leastMs: number): number;
  leave(): void;
}

export function createSpread(client: Pick<CloudClient, "paces">): Spread {
  const counts = new Map<string, number>();
  return {
    join(path) {
      if (!isNested(path)) return { everyMs: (leastMs) => leastMs, leave: () => undefined };
      const name = nameOf(path);
      const add = (change: number): void => void counts.set(name, (counts.get(name) ?? 0) + change);
      add(1);
      return {
        everyMs(leastMs) {
          const paces = client.paces(path, { paged: true, share }).map(({ everyMs }) => everyMs);
          return Math.max(leastMs, (counts.get(name) ?? 0) * Math.max(0, ...paces));
        },
        leave: () => add(-1),
      };
    },
  };
}

/** A collection of one item: `/domains/12/records`. */
export function isNested(path: string): boolean {
  return /\/\d+\//.test(path);
}

/** One name for each sort of collection, without identifiers. */
export function nameOf(path: string): string {
  return path.replaceAll(/\/\d+(?=\/|$)|(?<=^\/object-storage\/buckets)\/[^/]+\/[^/]+(?=\/)|\?.*$/g, (id) =>
    id.startsWith("?") ? "" : "/*",
  );
}

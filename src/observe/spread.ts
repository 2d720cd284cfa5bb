/**
 * Collections of one item each, such as the records of every zone, are as many as there are items. Their sweeps together
 * take a share of the rate limits: the more of them there are, the further apart those of each are.
 */
import type { CloudClient } from "../api/types.ts";

/**
 * So much of a limit sweeps may use: somewhat less than the limiter gives to what is not urgent, or what it holds back would
 * grow. 5,000 zones are read in 14.5 minutes. Where events tell of changes, what they name has the rest.
 */
const shares = { alone: 0.88, besideEvents: 0.6 };

export interface Spread {
  /** The sweeps of this collection count from here on. */
  join(path: string): Place;
}

export interface Place {
  /**
   * Milliseconds between two sweeps of it, where there would be `leastMs` if there were few. `chance`: 0 to 1. `announced`:
   * events tell of changes.
   */
  everyMs(leastMs: number, chance: number, announced: boolean): number;
  leave(): void;
}

export function createSpread(client: Pick<CloudClient, "paces">): Spread {
  const counts = new Map<string, number>();
  return {
    join(path) {
      const apart = (ms: number, chance: number): number => ms * (0.9 + chance / 5);
      if (!isNested(path)) return { everyMs: apart, leave: () => undefined };
      const name = nameOf(path);
      const add = (change: number): void => void counts.set(name, (counts.get(name) ?? 0) + change);
      add(1);
      return {
        everyMs(leastMs, chance, announced) {
          const share = announced ? shares.besideEvents : shares.alone;
          const paces = client.paces(path, { paged: true, share }).map(({ everyMs }) => everyMs);
          // They are apart already, and chance would only make some of them late.
          const spreadMs = (counts.get(name) ?? 0) * Math.max(0, ...paces) * (0.99 + chance / 50);
          return Math.max(apart(leastMs, chance), spreadMs);
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
  const named = path.replaceAll(/\/\d+(?=\/|$)|(?<=^\/object-storage\/buckets)\/[^/]+\/[^/]+(?=\/)/g, "/*");
  return named.split("?", 1)[0] ?? "";
}

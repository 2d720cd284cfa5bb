/**
 * Spreads the polls of nested collections, such as the records of a zone. An account has as many nested collections as
 * items. Their polls share a part of the rate limits: more collections make the interval longer.
 */
import type { CloudClient } from "../api/types.ts";

/**
 * Share of a limit for polls. The share stays below the part for non-urgent calls, or the limiter's queue would grow.
 * A poll of 5,000 zones takes 14.5 minutes. With reliable events, the rest of the limit is for the objects of the
 * events.
 */
const shares = { alone: 0.88, besideEvents: 0.6 };

export interface Spread {
  join(path: string): Place;
}

export interface Place {
  /** Returns milliseconds between two polls, at least `leastMs`. `announced`: events report changes. */
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
          // The polls are already spread, and more jitter would only delay some polls.
          const spreadMs = (counts.get(name) ?? 0) * Math.max(0, ...paces) * (0.99 + chance / 50);
          return Math.max(apart(leastMs, chance), spreadMs);
        },
        leave: () => add(-1),
      };
    },
  };
}

/** Returns true for a collection of one item: `/domains/12/records`. */
export function isNested(path: string): boolean {
  return /\/\d+\//.test(path);
}

/** Returns a name for each type of collection, without identifiers. */
export function nameOf(path: string): string {
  const named = path.replaceAll(/\/\d+(?=\/|$)|(?<=^\/object-storage\/buckets)\/[^/]+\/[^/]+(?=\/)/g, "/*");
  return named.split("?", 1)[0] ?? "";
}

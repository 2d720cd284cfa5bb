/** How the interval between two polls grows with the duration of a state. */
export interface Growth {
  /** The interval as a share of the time since the state began. */
  share: number;
  /** Longest interval, milliseconds. */
  mostMs: number;
}

const transition: Growth = { share: 1 / 30, mostMs: 15_000 };

/**
 * Returns the milliseconds until the next poll of a state that changes by itself. A state that has lasted long will
 * probably last longer. The operator therefore notices the change late by a share of the duration (default: a
 * thirtieth). `lastsMs` is the time since the state began. `firstMs` is the shortest interval.
 */
export function patience(lastsMs: number, firstMs: number, { share, mostMs }: Growth = transition): number {
  return Math.max(firstMs, Math.min(mostMs, lastsMs * share));
}

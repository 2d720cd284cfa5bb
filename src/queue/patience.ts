/** The share of the time that something has lasted after which it is looked at again. */
const share = 1 / 30;

/** Nothing in transition is looked at less often, milliseconds. */
const mostMs = 15_000;

/**
 * Milliseconds until what changes by itself is looked at again: what has lasted for long lasts longer, most likely, and
 * is seen a thirtieth of its time late. `lastsMs`: how long it has lasted. `firstMs`: in the beginning.
 */
export function patience(lastsMs: number, firstMs: number): number {
  return Math.max(firstMs, Math.min(mostMs, lastsMs * share));
}

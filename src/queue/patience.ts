/** How the time until the next look grows with what lasts. */
export interface Growth {
  /** The share of the time that something has lasted after which it is looked at again. */
  share: number;
  /** Nothing is looked at less often, milliseconds. */
  mostMs: number;
}

const transition: Growth = { share: 1 / 30, mostMs: 15_000 };

/**
 * Milliseconds until what changes by itself is looked at again: what has lasted for long lasts longer, most likely, and
 * is seen a share of its time late; a thirtieth, if not given. `lastsMs`: how long it has lasted. `firstMs`: in the beginning.
 */
export function patience(lastsMs: number, firstMs: number, { share, mostMs }: Growth = transition): number {
  return Math.max(firstMs, Math.min(mostMs, lastsMs * share));
}

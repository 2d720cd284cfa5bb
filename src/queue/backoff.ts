export const FIRST_MS = 1_000;
const LONGEST_MS = 300_000;

/**
 * Milliseconds to wait after the nth failure in a row: 1 s (or `firstMs`), doubling up to 5 minutes.
 * `chance` (0 to 1) takes up to a quarter off, so that keys that failed together do not come back together.
 */
export function backoffMs(failures: number, chance: number, firstMs = FIRST_MS): number {
  const full = Math.min(LONGEST_MS, firstMs * 2 ** Math.min(failures - 1, 20));
  return full * (1 - chance / 4);
}

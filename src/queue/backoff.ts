export const FIRST_MS = 1_000;
const LONGEST_MS = 300_000;

/**
 * Returns the milliseconds to wait after the nth failure in a row: 1 s (or `firstMs`), doubling up to 5 minutes.
 * `chance` (0 to 1) subtracts up to a quarter. Keys that failed together then spread out.
 */
export function backoffMs(failures: number, chance: number, firstMs = FIRST_MS): number {
  const full = Math.min(LONGEST_MS, firstMs * 2 ** Math.min(failures - 1, 20));
  return full * (1 - chance / 4);
}

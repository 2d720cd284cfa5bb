const FIRST_MS = 1_000;
const LONGEST_MS = 300_000;

/**
 * Milliseconds to wait after the nth failure in a row: 1 s, doubling up to 5 minutes.
 * `chance` (0 to 1) takes up to a quarter off, so that keys that failed together do not come back together.
 */
export function backoffMs(failures: number, chance: number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20));
  return full * (1 - chance / 4);
}

/** Returns the pause after the nth failure in a row, milliseconds: `firstMs`, doubled each time up to `longestMs`. */
export function backoff(failures: number, firstMs: number, longestMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(Math.max(failures - 1, 0), 20));
}

/**
 * Orders two resourceVersions: negative when `a` is older. They are decimal numbers without leading zeros and may exceed
 * 2^53 (Kubernetes API concepts, "Resource versions"), so length decides before text does.
 */
export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The newer of two, either of which may be unknown. */
export function newerVersion(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareVersions(a, b) >= 0 ? a : b;
}

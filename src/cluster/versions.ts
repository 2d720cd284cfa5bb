/**
 * Orders two resourceVersions: negative if `a` is older. A resourceVersion is a decimal number without leading zeros
 * and may exceed 2^53 (Kubernetes API concepts, "Resource versions"): compares the length, then the text.
 */
export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the newer version. Either version may be undefined. */
export function newerVersion(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareVersions(a, b) >= 0 ? a : b;
}

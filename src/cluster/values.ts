/** Returns the values without a prototype: a key such as `constructor` has no value by default. */
export function valuesOf(entries: Iterable<readonly [key: string, value: string]>): Record<string, string> {
  return Object.assign(Object.create(null) as Record<string, string>, Object.fromEntries(entries));
}

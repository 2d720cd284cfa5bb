/** The values of a Secret or ConfigMap. A key that has none has none, also where it is named like a member of each object. */
export function valuesOf(entries: Iterable<readonly [key: string, value: string]>): Record<string, string> {
  return Object.assign(Object.create(null) as Record<string, string>, Object.fromEntries(entries));
}

/** Values in a spec, by the path of a leaf such as `devices.sda.volumeID`, `rescueDiskIDs[]` or `filter{}`. */
export type Spec = Record<string, unknown>;

/** Returns the segments of a path. A list is a separate segment: `a[].b` is `a`, `[]`, `b`. */
export function segmentsOf(path: string): string[] {
  return path.split(/\.|(?=\[\])|(?=\{\})/);
}

/** Returns every value at a path. */
export function valuesAt(spec: unknown, path: string): unknown[] {
  return segmentsOf(path).reduce<unknown[]>(
    (found, segment) =>
      found.flatMap((one) => {
        if (one === null || typeof one !== "object") return [];
        if (segment === "[]" || segment === "{}") return Object.values(one as Spec);
        const { [segment]: member } = one as Spec;
        return member === undefined ? [] : [member];
      }),
    [spec],
  );
}

/** Returns copies of the spec with the value at the path. In a list, the value is in the first entry. The rest of the list is kept in one copy, and removed in the second copy. */
export function withValue(spec: Spec, path: string, value: unknown): Spec[] {
  const segments = segmentsOf(path);
  const alone = replaced(spec, segments, { value, keepsRest: false }) as Spec;
  return segments.includes("[]") ? [alone, replaced(spec, segments, { value, keepsRest: true }) as Spec] : [alone];
}

interface Change {
  value: unknown;
  keepsRest: boolean;
}

function replaced(at: unknown, [segment, ...rest]: string[], change: Change): unknown {
  if (segment === undefined) return change.value;
  if (segment === "[]") {
    const [first, ...more] = Array.isArray(at) ? (at as unknown[]) : [];
    return [replaced(first, rest, change), ...(change.keepsRest ? more : [])];
  }
  const known = at !== null && typeof at === "object" && !Array.isArray(at) ? (at as Spec) : {};
  return { ...known, [segment]: replaced(known[segment], rest, change) };
}

/** Returns a copy of the spec without the member at a path of names. */
export function without(spec: Spec, names: readonly string[]): Spec {
  const [name = "", ...rest] = names;
  const { [name]: member, ...others } = spec;
  if (rest.length === 0 || member === null || typeof member !== "object") return others;
  if (!Array.isArray(member)) return { ...spec, [name]: without(member as Spec, rest) };
  return { ...spec, [name]: member.map((one) => without(one as Spec, rest)) };
}

/** Returns the names in a path, from the outermost to the leaf. */
export function namesIn(path: string): string[] {
  return segmentsOf(path).filter((segment) => segment !== "[]" && segment !== "{}");
}

/** Returns the merge patch from one spec to the other. */
export function mergePatch(before: Spec, after: Spec): Spec {
  const gone = Object.keys(before).filter((name) => !(name in after));
  const changed = Object.entries(after).map(([name, value]): [string, unknown] => {
    const { [name]: from } = before;
    return [name, isObject(from) && isObject(value) ? mergePatch(from, value) : value];
  });
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...Object.fromEntries(changed) };
}

/** Returns true for an object that is no list. */
export function isObject(value: unknown): value is Spec {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

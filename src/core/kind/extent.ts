/** Most levels of objects and lists in a spec. Recursive functions read specs, and the call stack is limited. */
export const mostLevels = 64;

export interface Extent {
  /** Characters of all names and texts, and eight for each other value. */
  size: number;
  /** The top-level field with more levels than `mostLevels`. */
  tooDeep?: string;
}

/** Returns the size and the depth of a spec. Uses no recursion, and reads no deeper than `mostLevels`. */
export function extentOf(spec: Record<string, unknown>): Extent {
  const waiting = Object.entries(spec).map(([field, value]) => ({ field, value, level: 1 }));
  let size = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { field, value, level } = next;
    if (typeof value !== "object" || value === null) {
      size += typeof value === "string" ? value.length : 8;
      continue;
    }
    if (level === mostLevels) return { size, tooDeep: field };
    for (const [name, inner] of Object.entries(value)) {
      size += name.length;
      waiting.push({ field, value: inner, level: level + 1 });
    }
  }
  return { size };
}

/** Limit of nesting. Documented bodies are flatter, and recursive code stays within the stack. */
const DEEPEST = 64;

/**
 * Returns a reason if a JSON value is unusable, else undefined.
 * A value is unusable if the nesting is too deep, or if text contains half of a surrogate pair, which UTF-8 and URLs
 * cannot represent.
 */
export function jsonFault(value: unknown): string | undefined {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return `JSON may be nested ${DEEPEST} levels deep at most`;
    if (level.some((each) => typeof each === "string" && !each.isWellFormed())) return "Text must be valid Unicode";
    level = level.flatMap(parts);
  }
  return undefined;
}

/** Returns the items of a value, including the names of fields. */
function parts(value: unknown): unknown[] {
  if (value === null || typeof value !== "object") return [];
  return Array.isArray(value) ? value : Object.entries(value).flat();
}

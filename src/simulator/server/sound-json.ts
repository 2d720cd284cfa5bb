/** Deeper than this no documented body goes; code that walks a body by calling itself stays far from the end of its stack. */
const DEEPEST = 64;

/**
 * Why a parsed JSON value cannot be worked with, or undefined: it is nested too deeply, or a text in it is half of a
 * surrogate pair, which is no Unicode and has no form in UTF-8 or in a URL.
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

/** What a value is made of, names of fields included. */
function parts(value: unknown): unknown[] {
  if (value === null || typeof value !== "object") return [];
  return Array.isArray(value) ? value : Object.entries(value).flat();
}

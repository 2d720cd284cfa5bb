import type { Json } from "../api/types.ts";

/** Returns the path of a whole number that JavaScript would change, because the number is too large. Returns undefined if none exists. */
export function inexactIn(value: Json, path: string): string | undefined {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value) ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const within = Array.isArray(value)
    ? value.map((member, index) => inexactIn(member, `${path}[${index}]`))
    : Object.entries(value).map(([name, member]) => inexactIn(member, `${path}.${name}`));
  return within.find((one) => one !== undefined);
}

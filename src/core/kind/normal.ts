/**
 * Normal forms of texts. A service can store a text in a different form, such as in lower case. The search for the result of a
 * create request compares normal forms. The operator compares drift exactly.
 */
import type { Json } from "../../api/types.ts";

export type Normal = (text: string) => string;

/** Returns the text in lower case and trimmed, with a single space for each sequence of white space. The default of a field. */
export function folded(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ").toLowerCase();
}

/** Returns a value with each text in normal form. */
export function normalOf(value: Json, normal: Normal = folded): Json {
  if (typeof value === "string") return normal(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => normalOf(item, normal));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, normalOf(item ?? null, normal)]));
}

/** Comparison of desired and observed values. */
import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../api/types.ts";

export interface Difference {
  field: string;
  desired: Json;
  observed: Json | undefined;
  /** Action that resolves the difference, for a difference without values. */
  remedy?: string;
}

/** Returns true if `row` has the value of every field in `pattern`. */
export function matches(row: JsonObject, pattern: JsonObject): boolean {
  return Object.entries(pattern).every(([field, value]) => value === undefined || isSame(row[field], value));
}

/**
 * Compares two JSON values. Most values are texts and numbers, and a creation compares all rows of its collection. For speed,
 * only lists and objects use the deep comparison.
 */
export function isSame(a: Json | undefined, b: Json): boolean {
  return isComposite(a) && isComposite(b) ? isDeepStrictEqual(plain(a), plain(b)) : a === b;
}

function isComposite(value: Json | undefined): boolean {
  return typeof value === "object" && value !== null;
}

/** Returns the JSON merge patch (RFC 7386) from `before` to `after`. Returns undefined for equal objects. */
export function mergePatch(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const patch: JsonObject = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const from = before[key];
    const to = after[key];
    if (isDeepStrictEqual(from, to)) continue;
    if (to === undefined) patch[key] = null;
    else if (isObject(from) && isObject(to)) patch[key] = mergePatch(from, to) ?? {};
    else patch[key] = to;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** Returns a copy like a JSON round trip: without undefined members. The value must be JSON. */
export function plain<T>(value: T): T {
  return copied(value) as T;
}

function copied(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => (item === undefined ? null : copied(item)));
  const copy: Record<string, unknown> = {};
  for (const field of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[field];
    if (member === undefined) continue;
    // A response can have a member with this name. An assignment would change the prototype of the copy.
    if (field === "__proto__") Object.defineProperty(copy, field, { ...ownMember, value: copied(member) });
    else copy[field] = copied(member);
  }
  return copy;
}

const ownMember = { enumerable: true, configurable: true, writable: true };

/** Returns true for a JSON object. Returns false for a list and for null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Limit of names in one message. */
const mostNamed = 5;

/** Returns a member that the object itself has. A user can name a member `constructor`. */
export function memberOf(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Returns a list for a message: all items, or the first five and the number of further items. `total`: the number of all items,
 * if `items` is incomplete.
 */
export function listOf(items: readonly string[], { between = ", ", total = items.length } = {}): string {
  const shown = items.slice(0, mostNamed).join(between);
  return total > mostNamed ? `${shown}, and ${total - mostNamed} more` : shown;
}

/** Returns a value for a message, with at most 80 characters. */
export function short(value: Json | undefined): string {
  if (value === undefined || value === null) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

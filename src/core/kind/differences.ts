/** Comparing what is wanted with what is there. */
import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../api/types.ts";

export interface Difference {
  field: string;
  wanted: Json;
  found: Json | undefined;
  /** What would be done about it, where that is no value of a field. */
  remedy?: string;
}

/** True when every field of `pattern` stands in `row` with the same value. */
export function matches(row: JsonObject, pattern: JsonObject): boolean {
  return Object.entries(pattern).every(([field, value]) => value === undefined || isSame(row[field], value));
}

/** Each creation compares all rows of its collection, most by texts and numbers: only the rest is compared as JSON. */
export function isSame(a: Json | undefined, b: Json): boolean {
  return isComposite(a) && isComposite(b) ? isDeepStrictEqual(plain(a), plain(b)) : a === b;
}

function isComposite(value: Json | undefined): boolean {
  return typeof value === "object" && value !== null;
}

/** The JSON merge patch (RFC 7386) that turns `before` into `after`; undefined when they are the same. */
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

/** A copy as JSON would carry it: without undefined members. For values of JSON alone; nothing else has meaning here. */
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
    // An answer may have a member of this name, which by assignment would become the copy's prototype.
    if (field === "__proto__") Object.defineProperty(copy, field, { ...ownMember, value: copied(member) });
    else copy[field] = copied(member);
  }
  return copy;
}

const ownMember = { enumerable: true, configurable: true, writable: true };

/** True for a JSON object: no list, and not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** So many are named in a message. */
const mostNamed = 5;

/** For people: all of them, or the first five and how many more there are. `total`: of how many these are the first, where that is more. */
export function named(items: readonly string[], { between = ", ", total = items.length } = {}): string {
  const shown = items.slice(0, mostNamed).join(between);
  return total > mostNamed ? `${shown}, and ${total - mostNamed} more` : shown;
}

/** A value for people, cut where it is long. */
export function short(value: Json | undefined): string {
  if (value === undefined || value === null) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

/**
 * Origin: what shows that an id still means the same cloud object.
 *
 * Ids are used again, and a bucket is created again by somebody else under its name. The time of creation distinguishes them;
 * where the API has none, a field that no other ever shows, or else the natural key does. If an update can change that key, as
 * the instance of an address, the key names the carrier: see carrier.ts.
 */
import { isKeyFixed, shownKey } from "../kind/fields.ts";
import { createHash } from "node:crypto";
import type { JsonObject } from "../../api/types.ts";
import type { Kind } from "../kind/owned.ts";
import { lately } from "../kind/memoize.ts";

/** The origin of a row, as it is recorded in status; undefined where the row does not show it. */
export function originOf(kind: Kind, row: JsonObject): string | undefined {
  const { createdField, originField = kind.carrierField } = kind;
  if (createdField !== undefined) return originFromTime(row[createdField]);
  const key = originField === undefined ? shownKey(kind, row) : { [originField]: row[originField] };
  if (Object.values(key).every((value) => value === undefined)) return undefined;
  return `key:${createHash("sha256").update(JSON.stringify(key)).digest("base64url").slice(0, 16)}`;
}

/** The origin from a time of creation; undefined for what is no time. */
export const originFromTime = lately((created: unknown): string | undefined => {
  const time = typeof created === "string" ? apiTime(created) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
});

/** Returns true if both origins are known and differ. */
export function isAnother(recorded: string | undefined, found: string | undefined): boolean {
  return recorded !== undefined && found !== undefined && recorded !== found;
}

/** Returns false if the origin of a cloud object changes with its content. */
export function isLasting(kind: Kind): boolean {
  return kind.versioned !== true;
}

/** Returns true if only a natural key that an update can change shows the origin: then the key names what carries the cloud object. */
export function isCarried(kind: Kind): boolean {
  const { createdField, originField, versioned } = kind;
  return createdField === undefined && originField === undefined && !versioned && !isKeyFixed(kind);
}

/** Milliseconds since the epoch of a timestamp of the API, which is UTC and carries no zone (not-shown, section 8). */
export function apiTime(text: string): number {
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}

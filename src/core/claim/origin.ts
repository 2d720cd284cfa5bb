/**
 * Origin: what shows that an id still means the same cloud object.
 *
 * Ids are used again, and a bucket is created again by somebody else under its name. The time of creation distinguishes them;
 * where the API has none, a field that no other ever shows, or else the natural key does.
 */
import { isKeyFixed, shownKey } from "../kind/fields.ts";
import { createHash } from "node:crypto";
import type { JsonObject } from "../../api/types.ts";
import type { Kind } from "../kind/owned.ts";
import { lately } from "../kind/lately.ts";

/** The origin of a row, as it is recorded in status; undefined where the row does not show it. */
export function originOf(kind: Kind, row: JsonObject): string | undefined {
  const { createdField, originField } = kind;
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

/** True when both are known and differ. Where the API returns no time, a changed natural key alone proves nothing. */
export function isAnother(recorded: string | undefined, found: string | undefined): boolean {
  return recorded !== undefined && found !== undefined && recorded !== found;
}

/** True where the origin cannot change while the cloud object is the same: no field of the natural key can be updated. */
export function isLasting(kind: Kind): boolean {
  if (kind.versioned) return false;
  return kind.createdField !== undefined || kind.originField !== undefined || isKeyFixed(kind);
}

/** Milliseconds since the epoch of a timestamp of the API, which is UTC and carries no zone (not-shown, section 8). */
export function apiTime(text: string): number {
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}

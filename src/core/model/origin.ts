/**
 * The origin shows if an ID still means the same cloud object.
 *
 * The cloud assigns IDs again, and another user can create a bucket with the name of a deleted bucket. The origin is
 * the time of creation. If the cloud API shows no time, the origin is a field with a unique value, or else the natural
 * key. If an update can change the natural key, such as the instance of an address, the key names the carrier: see
 * read/carrier.ts.
 */
import { isKeyFixed, shownKey } from "../kind/fields.ts";
import { createHash } from "node:crypto";
import type { JsonObject } from "../../api/types.ts";
import type { Kind } from "../kind/owned.ts";
import { memoize } from "../kind/memoize.ts";

/** Returns the origin of a row; undefined if the row does not show an origin. */
export function originOf(kind: Kind, row: JsonObject): string | undefined {
  const { createdField, originField = kind.carrierField } = kind;
  if (createdField !== undefined) return originFromTime(row[createdField]);
  const key = originField === undefined ? shownKey(kind, row) : { [originField]: row[originField] };
  if (Object.values(key).every((value) => value === undefined)) return undefined;
  return `key:${createHash("sha256").update(JSON.stringify(key)).digest("base64url").slice(0, 16)}`;
}

/** Returns the origin from a time of creation; undefined if `created` is not a time. */
export const originFromTime = memoize((created: unknown): string | undefined => {
  const time = typeof created === "string" ? apiTime(created) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
});

export function isAnother(recorded: string | undefined, found: string | undefined): boolean {
  return recorded !== undefined && found !== undefined && recorded !== found;
}

/** Returns false if the origin of a cloud object changes with its content. */
export function isLasting(kind: Kind): boolean {
  return kind.versioned !== true;
}

/** Returns true if the origin is a natural key that an update can change. */
export function isCarried(kind: Kind): boolean {
  const { createdField, originField, versioned } = kind;
  return createdField === undefined && originField === undefined && !versioned && !isKeyFixed(kind);
}

/** Returns a timestamp of the cloud API in milliseconds since the epoch. A timestamp without a zone is UTC. */
export function apiTime(text: string): number {
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}

/**
 * Origin: what tells that an id still means the same cloud object.
 *
 * Ids are used again, and a bucket is made anew by somebody else under its name. The time of creation tells them apart;
 * where the API has none, the natural key does.
 */
import { createHash } from "node:crypto";
import type { JsonObject } from "../../api/types.ts";
import type { Kind } from "../define-kind.ts";
import type { AnyWanted } from "../reconciliation.ts";
import { patternIn } from "./intent.ts";

/** The origin of a row, as it is recorded in status; undefined where the row does not tell. */
export function originOf(kind: Kind, row: JsonObject, wanted: AnyWanted): string | undefined {
  const { createdField, naturalKey } = kind.lostCreate;
  if (createdField !== undefined) return originFromTime(row[createdField]);
  const key = patternIn(row, naturalKey(wanted));
  return `key:${createHash("sha256").update(JSON.stringify(key)).digest("base64url").slice(0, 16)}`;
}

/** The origin that a time of creation says; undefined for what is no time. */
export function originFromTime(created: unknown): string | undefined {
  const time = typeof created === "string" ? apiTime(created) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** True when both are known and differ. Where the API tells no time, a natural key that changed proves nothing by itself. */
export function isAnother(recorded: string | undefined, found: string | undefined): boolean {
  return recorded !== undefined && found !== undefined && recorded !== found;
}

/** True where the origin cannot change while the cloud object is the same: no field of the natural key can be updated. */
export function isLasting(kind: Kind, row: JsonObject, wanted: AnyWanted): boolean {
  const { createdField, naturalKey } = kind.lostCreate;
  if (createdField !== undefined) return true;
  const changeable = kind.observed(row);
  return Object.keys(naturalKey(wanted)).every((field) => !(field in changeable));
}

/** Milliseconds since the epoch of a timestamp of the API, which is UTC and carries no zone (not-shown, section 8). */
export function apiTime(text: string): number {
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}

/** Which rows an attempt may have created whose response was lost: by what was sent, when that was, and what was there before. */
import type { Json, JsonObject } from "../../api/types.ts";
import { shows } from "../kind/fields.ts";
import type { Kind } from "../kind/owned.ts";
import type { Intent } from "./intent.ts";
import { apiTime } from "./origin.ts";
import { roundingMs, unknownSkewMs } from "./skew.ts";

export interface LostCreation {
  intent: Pick<Intent, "known" | "pattern" | "since" | "time" | "tag">;
  kind: Pick<Kind, "fields" | "createdField">;
  /** False for a row that shows something else than was sent; not given where rows do not tell. */
  isSent?: ((row: JsonObject) => boolean) | undefined;
  /** How far the API's `Date` ran ahead of its `created`, milliseconds; undefined: not known, so `created` excludes nothing. */
  skewMs: number | undefined;
  /** How much earlier than the skew allows it may have been created, milliseconds; none if not given. */
  leewayMs?: number;
  /** How long after the intent it may have been created, milliseconds; any time if not given. */
  withinMs?: number;
  /** When the rows are looked at, milliseconds since the epoch by the cloud's clock. */
  nowMs?: number;
  /** True for an id that another object claims. */
  claimed: (id: string) => boolean;
}

/** Ids of the rows that this intent may have created. */
export function candidates(
  rows: ReadonlyMap<string, JsonObject>,
  { intent, kind, skewMs, leewayMs = 0, withinMs = Infinity, nowMs = Infinity, claimed, isSent }: LostCreation,
): string[] {
  const time = Date.parse(intent.time);
  const notBefore = skewMs === undefined ? -Infinity : begunAt(intent) - skewMs - roundingMs - leewayMs;
  const notAfter = time - (skewMs ?? -unknownSkewMs) + withinMs + roundingMs;
  return [...rows]
    .filter(([id, row]) => {
      if (intent.known.includes(id) || !showsIntent(kind, row, intent) || claimed(id)) return false;
      if (isSent?.(row) === false) return false;
      const created = createdOf(kind, row);
      // Where neither time nor tag is proof, only what is seen in that time was created in it.
      if (typeof created !== "string" && intent.tag === undefined && nowMs - time > withinMs) return false;
      return typeof created !== "string" || !(apiTime(created) < notBefore || apiTime(created) > notAfter);
    })
    .map(([id]) => id);
}

/** The time of its creation, where rows have it. */
export function createdOf({ createdField }: Pick<Kind, "createdField">, row: JsonObject): Json | undefined {
  return createdField === undefined ? undefined : row[createdField];
}

/** When the first attempt was begun whose outcome is not known, milliseconds since the epoch. */
export function begunAt({ since, time }: Pick<Intent, "since" | "time">): number {
  return Date.parse(since ?? time);
}

/** True for a row that shows what was sent, and the proof of origin where one was sent. */
export function showsIntent(
  kind: Pick<Kind, "fields">,
  row: JsonObject,
  { pattern, tag }: Pick<Intent, "pattern" | "tag">,
): boolean {
  const { tags } = row;
  return shows(kind, row, pattern) && (tag === undefined || (Array.isArray(tags) && tags.includes(tag)));
}

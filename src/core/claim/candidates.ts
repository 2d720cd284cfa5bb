/**
 * Returns the rows that an attempt without a response may have created. Evidence is the request in the normal form of the kind, the
 * time of the request, and the IDs known before.
 */
import type { Json, JsonObject } from "../../api/types.ts";
import { unlikeIn } from "../kind/fields.ts";
import type { AnyWanted } from "../flow/reconciliation.ts";
import { normalOf } from "../kind/normal.ts";
import type { Kind } from "../kind/owned.ts";
import type { Intent } from "./intent.ts";
import { apiTime } from "./origin.ts";
import { roundingMs, unknownSkewMs } from "./skew.ts";

export interface LostCreation {
  intent: Pick<Intent, "known" | "pattern" | "since" | "time" | "tag">;
  kind: Pick<Kind, "fields" | "createdField">;
  wanted: AnyWanted;
  /** True for a row that the request asked for; by default `showsIntent`. */
  isMeant?: (row: JsonObject) => boolean;
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

/** Returns the IDs of the rows that this intent may have created. */
export function candidates(rows: ReadonlyMap<string, JsonObject>, lost: LostCreation): string[] {
  const { intent, kind, skewMs, leewayMs = 0, withinMs = Infinity, nowMs = Infinity, claimed, isSent } = lost;
  const isMeant = lost.isMeant ?? ((row: JsonObject) => showsIntent(lost, row, intent));
  const time = Date.parse(intent.time);
  const notBefore = skewMs === undefined ? -Infinity : begunAt(intent) - skewMs - roundingMs - leewayMs;
  const notAfter = time - (skewMs ?? -unknownSkewMs) + withinMs + roundingMs;
  return [...rows]
    .filter(([id, row]) => {
      if (intent.known.includes(id) || !isMeant(row) || claimed(id)) return false;
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

type Of = Pick<LostCreation, "wanted" | "kind">;

/** Returns true for a row that shows the request, in the normal form of the kind, and the installation tag if the request had one. */
export function showsIntent({ kind, wanted }: Of, row: JsonObject, intent: Pick<Intent, "pattern" | "tag">): boolean {
  return unlikeIn(kind, row, intent.pattern, wanted).length === 0 && showsTag(row, intent);
}

/**
 * Returns true for a near match: a row with a time of creation and the installation tag of the request, that shows one field of the
 * request otherwise. A service can store a value in a form that no kind declares.
 */
export function nearlyShowsIntent({ kind, wanted }: Of, row: JsonObject, intent: Pick<Intent, "pattern" | "tag">) {
  if (typeof createdOf(kind, row) !== "string" || !showsTag(row, intent)) return false;
  return unlikeIn(kind, row, intent.pattern, wanted).length === 1;
}

function showsTag({ tags }: JsonObject, { tag }: Pick<Intent, "tag">): boolean {
  if (tag === undefined) return true;
  const shown = normalOf(tags ?? []);
  return Array.isArray(shown) && shown.includes(normalOf(tag));
}

/**
 * The intent: what is written on an object before anything is created for it (design, section 5).
 *
 * It outlives crashes, lost answers and backups, so that a creation can be found again instead of being made twice.
 */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { JsonObject } from "../api/types.ts";
import type { KubeObject } from "../cluster/types.ts";
import { matches } from "./differences.ts";

export const intentAnnotation = "cloudplatform.dev/intent";
export const retryCreateAnnotation = "cloudplatform.dev/retry-create";
export const letGoAnnotation = "cloudplatform.dev/let-go";

const schema = z.object({
  uid: z.string(),
  namespace: z.string(),
  name: z.string(),
  /** Names this attempt, in conditions and in the annotation that allows another. */
  attempt: z.string(),
  /** By the service's clock, RFC 3339. */
  time: z.iso.datetime(),
  collection: z.string(),
  /** Natural key and create-only fields as they were sent: what a row must show to have come of it. */
  pattern: z.record(z.string(), z.json()),
  /** Ids that had the natural key before: never taken for ours. */
  known: z.array(z.string()),
  /** The leadership that wrote it. */
  epoch: z.string(),
  /** The id that this creation replaces, whose object vanished. */
  previous: z.string().optional(),
  /** Nothing is created: this id is taken over. */
  adopted: z.string().optional(),
});

export type Intent = z.infer<typeof schema>;

/** The intent on an object; undefined when there is none, or it is of another object (a copied manifest). */
export function intentOf(object: KubeObject): Intent | undefined {
  const text = object.metadata.annotations?.[intentAnnotation];
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  const sameName =
    parsed.data.name === object.metadata.name && parsed.data.namespace === (object.metadata.namespace ?? "");
  return sameName ? parsed.data : undefined;
}

/** A fresh intent for this object. */
export function newIntent(
  object: KubeObject,
  details: Pick<Intent, "collection" | "pattern" | "known" | "epoch" | "previous" | "adopted">,
  now: Date,
): Intent {
  return {
    uid: object.metadata.uid,
    namespace: object.metadata.namespace ?? "",
    name: object.metadata.name,
    attempt: randomUUID().slice(0, 8),
    time: now.toISOString(),
    ...details,
  };
}

interface LostCreation {
  intent: Intent;
  createdField: string | undefined;
  /** True for an id that another object has recorded. */
  claimed: (id: string) => boolean;
}

/** Ids of the rows that this intent may have created. */
export function candidates(
  rows: ReadonlyMap<string, JsonObject>,
  { intent, createdField, claimed }: LostCreation,
): string[] {
  // The service's Date header has whole seconds, and so have its timestamps: what was created in the same second may be ours.
  const notBefore = Math.floor(Date.parse(intent.time) / 1000) * 1000;
  return [...rows]
    .filter(([id, row]) => {
      if (intent.known.includes(id) || !matches(row, intent.pattern) || claimed(id)) return false;
      const created = createdField === undefined ? undefined : row[createdField];
      return typeof created !== "string" || apiTime(created) >= notBefore;
    })
    .map(([id]) => id);
}

/** Milliseconds since the epoch of a timestamp of the API, which is UTC and carries no zone (not-shown, section 8). */
export function apiTime(text: string): number {
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An update of fields: the request, what its answer shows, and what must be over before. */
import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../api/types.ts";
import { creatorOf, nameOf } from "../claim/ownership.ts";
import { shown } from "../claim/taken.ts";
import type { Call } from "../kind/call.ts";
import type { Difference } from "../kind/differences.ts";
import { naturalKey } from "../kind/fields.ts";
import { Waiting } from "../kind/outcome.ts";
import { describeChange } from "../kind/words.ts";
import { live } from "./reconciliation.ts";
import type { Observed } from "./reconciliation.ts";
import { tagged } from "./tags.ts";

export function updateCall(at: Observed, found: Difference[]): Call {
  const { kind, collection } = at;
  const wanted: JsonObject = Object.fromEntries(found.map((one) => [one.field, one.wanted]));
  const body = "tags" in wanted ? tagged(at, wanted) : wanted;
  const whole = { method: "PUT" as const, path: collection.itemPath(at.id), body };
  const request = kind.verbs?.update?.(live(at), body) ?? whole;
  return { action: "Update", note: describeChange(at.kind, found), ...request };
}

/** Undefined for an answer that is no row; `{}` is none, also where each of its fields may be missing. */
export function rowOf({ collection, id }: Observed, answer: Json): JsonObject | undefined {
  if (isDeepStrictEqual(answer, {})) return undefined;
  try {
    const row = collection.project(answer as JsonObject);
    return collection.idOf(row) === id ? row : undefined;
  } catch {
    return undefined;
  }
}

/** A name that another object is creating something with is not given to this one. Throws `Waiting` until that is made. */
export function waitForNamesake(
  { environment, object, kind, collection, wanted }: Observed,
  found: Difference[],
): void {
  const key = naturalKey(kind, wanted);
  if (kind.unique === "several" || !found.some(({ field }) => field in key)) return;
  const creator = creatorOf(environment, object, { collection: collection.path, naturalKey: key });
  if (!creator) return;
  const what = `${nameOf(creator)} is creating a cloud object with ${shown(key)}`;
  throw new Waiting("Updating", `${what}. The update of this one waits until that is made`);
}

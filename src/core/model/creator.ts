/** Objects with a creation in flight, or with an unknown outcome. */
import { oneOf } from "../kind/naming.ts";
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Located } from "./context.ts";
import { isKeyAlike, shows, unlikeIn } from "../kind/fields.ts";
import { Waiting } from "../kind/outcome.ts";
import { describeKey } from "../kind/words.ts";
import { nameFor, othersAmong } from "./owners.ts";
import { appearsForMs } from "./settle.ts";
import { times } from "../kind/times.ts";

/** Returns an object with an open creation of the natural key, compared in the normal form of the kind. */
export function creatorOf(ctx: Located, naturalKey: JsonObject): KubeObject | undefined {
  return creatorAmong(ctx, (key) => isKeyAlike(ctx.kind, key, naturalKey, ctx.desired));
}

/**
 * Returns another object with an open creation that requested the row. `own`: the natural key in the request of this
 * object. If the row shows `own` exactly, the other request must have had exactly this key. Otherwise the operator
 * compares in the normal form of the kind.
 */
export function requesterOf(ctx: Located, row: JsonObject, own: JsonObject): KubeObject | undefined {
  const { kind, desired } = ctx;
  const isOwn = shows(kind, row, own);
  return creatorAmong(ctx, (key) => (isOwn ? shows(kind, row, key) : unlikeIn(kind, row, key, desired).length === 0));
}

function creatorAmong(
  { environment, object, collection }: Located,
  isMeant: (naturalKey: JsonObject) => boolean,
): KubeObject | undefined {
  const pending = environment.claims.pendingIn(collection.path).filter(([, claimed]) => isMeant(claimed.naturalKey));
  return othersAmong(
    environment,
    object,
    pending.map(([key]) => key),
  )[0];
}

/**
 * Throws `Waiting` if another object creates the same natural key, in the normal form: the operator could not
 * distinguish the results. If the outcome of the other creation stays unknown, the wait ends when the request can no
 * longer take effect, except for a kind without names.
 */
export function waitForCreator(ctx: Located, key: JsonObject): void {
  const creator = creatorOf(ctx, key);
  if (!creator) return;
  if (ctx.kind.unique !== "several" && appearsForMs(ctx.environment, creator) === 0) return;
  const what = `${nameFor(ctx, creator)} is creating ${oneOf(ctx.kind)} with ${describeKey(ctx.kind, ctx.spec, key)}`;
  throw new Waiting("Creating", `${what}. The operator creates such objects one at a time`, times.soon);
}

/** Objects with a creation in flight, or with an unknown outcome. */
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Located } from "./context.ts";
import { isKeyAlike, unlikeIn } from "../kind/fields.ts";
import { Waiting } from "../kind/outcome.ts";
import { describeKey } from "../kind/words.ts";
import { nameFor, othersAmong } from "./ownership.ts";

/** Returns an object with an open creation of the natural key, compared in the normal form of the kind. */
export function creatorOf(at: Located, naturalKey: JsonObject): KubeObject | undefined {
  return creatorAmong(at, (key) => isKeyAlike(at.kind, key, naturalKey, at.wanted));
}

/** Returns an object with an open creation of the row, compared in the normal form of the kind. */
export function requesterOf(at: Located, row: JsonObject): KubeObject | undefined {
  return creatorAmong(at, (key) => unlikeIn(at.kind, row, key, at.wanted).length === 0);
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

/** Throws `Waiting` during a creation with the same natural key: the results would be indistinguishable. */
export function waitForCreator(at: Located, key: JsonObject): void {
  const creator = creatorOf(at, key);
  if (!creator) return;
  const what = `${nameFor(at, creator)} is creating a cloud object with ${describeKey(at.kind, at.spec, key)}`;
  throw new Waiting("Creating", `${what}. This object waits, because one is created at a time`, 1_000);
}

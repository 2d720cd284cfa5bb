/** Creations of one kind below one parent, which no name tells apart: the operator sends one at a time. */
import type { JsonObject } from "../../api/types.ts";
import type { Located } from "../flow/reconciliation.ts";
import { Waiting } from "../kind/outcome.ts";
import { describeKey } from "../kind/words.ts";
import { creatorOf, nameFor } from "./ownership.ts";

/** Throws `Waiting` while another object creates a cloud object with this key. Two at once could not be told apart. */
export function waitForCreator(at: Located, key: JsonObject): void {
  const { environment, object, collection, kind, spec } = at;
  const creator = creatorOf(environment, object, { collection: collection.path, naturalKey: key });
  if (!creator) return;
  const what = `${nameFor(at, creator)} is creating a cloud object with ${describeKey(kind, spec, key)}`;
  throw new Waiting("Creating", `${what}. This object waits, because one is created at a time`, 1_000);
}

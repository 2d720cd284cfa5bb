/**
 * Of what runs once on one cloud object, one is sent at a time. An event that tells of one would tell of the other as well, and
 * what got no response would count as done.
 */
import { statedIntent } from "../claim/known.ts";
import { nameOf, realAccountOf } from "../claim/ownership.ts";
import { leftOf } from "../claim/search.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Call } from "../kind/call.ts";
import { Waiting } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import type { Observed } from "./reconciliation.ts";
import { specOf, statusOf } from "./reconciliation.ts";

/** How soon to try again, milliseconds. */
const againMs = 5_000;

/** Throws `Waiting` while another object's request to the same cloud object is under way, or may still take effect. */
export async function inTurn<T>(at: Observed, { applies }: Call, send: () => Promise<T>): Promise<T> {
  const { kind, collection, id, environment, object } = at;
  const topic = topicOf(kind, { path: collection.path, id, spec: at.spec, applies });
  for (const other of environment.kinds.values()) {
    if (other.shape !== "once" || !other.request) continue;
    for (const one of environment.caches.get(other.kind)?.list() ?? []) {
      if (one.metadata.uid === object.metadata.uid || !isOn(at, other, one, topic)) continue;
      throw new Waiting(
        "Busy",
        `${nameOf(one)} acts on ${id}, and has not ended. This object waits until it has, because one is sent at a time`,
        againMs,
      );
    }
  }
  at.remembered.acting = topic;
  try {
    return await send();
  } finally {
    // What left is in the intent.
    delete at.remembered.acting;
  }
}

function isOn(at: Observed, kind: Kind, object: KubeObject, topic: string): boolean {
  const { environment, session } = at;
  if (statusOf(object).run?.result !== undefined) return false;
  const { acting, run, refusedOperation } = environment.memory.of(object.metadata.uid);
  if (realAccountOf(environment, object) !== realAccountOf(environment, at.object)) return false;
  if (acting !== undefined) return acting === topic;
  const intent = statedIntent(environment, object);
  const operation = intent?.operations?.at(-1);
  if (!intent?.is || !operation || run?.result !== undefined || operation.id === refusedOperation) return false;
  const { collection: path, is } = intent;
  const { applies } = operation;
  if (topicOf(kind, { path, id: is.id, spec: specOf(object) as Record<string, unknown>, applies }) !== topic)
    return false;
  return leftOf({ environment, kind, session }, operation) > 0;
}

/** What the events of it are about. */
function topicOf(
  { events }: Kind,
  { path, id, spec, applies }: { path: string; id: string; spec: Record<string, unknown>; applies: Call["applies"] },
): string {
  const { about = id } = events?.({ spec, refs: {}, applied: applies }) ?? {};
  return `${path}/${about}`;
}

import type { KubeObject } from "../../cluster/types.ts";
import { refOf, resourceOf } from "../kind/resource.ts";
import { Waiting } from "../kind/outcome.ts";
import type { Reconciliation } from "../flow/reconciliation.ts";
import {
  approveAnnotation,
  createAnotherAnnotation,
  letGoAnnotation,
  retryCreateAnnotation,
  retryOperationAnnotation,
} from "./intent.ts";

/**
 * Before what cannot be undone the API server is asked, for the cache may lag behind: is it still this object, does it
 * still ask for the same, and is it still not being deleted? Throws `Waiting` when not, `KubeError` when it does not answer.
 * `since`: clock milliseconds; one answer serves all that is asked while it is young.
 */
export async function confirmStillMeant(at: Reconciliation, since = at.environment.clock.now()): Promise<void> {
  if (at.stray) return;
  const { clock } = at.environment;
  if (at.confirmed === undefined || at.confirmed.at < since) at.confirmed = { at: clock.now(), answer: confirm(at) };
  const asked = at.confirmed;
  await asked.answer;
  asked.at = clock.now();
}

async function confirm(at: Reconciliation): Promise<void> {
  const stored = await at.environment.kube.get(resourceOf(at.kind), refOf(at.object));
  if (stored?.metadata.uid !== at.object.metadata.uid || stored.metadata.generation !== at.generation) throw changed();
  if (!isAskedAlike(stored, at.object)) throw changed();
}

/** …before any change that is about to leave, the cache is asked, which costs no call. */
export function refuseChanged({ environment, object, generation = 0, stray }: Reconciliation): void {
  const known = stray ? undefined : environment.caches.get(object.kind)?.get(refOf(object));
  if (!known) return;
  if (known.metadata.uid !== object.metadata.uid || (known.metadata.generation ?? 0) > generation) throw changed();
  if (!isAskedAlike(known, object)) throw changed();
}

/** Annotations by which a user allows or withdraws a request. A change of an annotation does not change the generation. */
const asking = [
  letGoAnnotation,
  approveAnnotation,
  createAnotherAnnotation,
  retryCreateAnnotation,
  retryOperationAnnotation,
];

function isAskedAlike(one: KubeObject, other: KubeObject): boolean {
  return asking.every((name) => one.metadata.annotations?.[name] === other.metadata.annotations?.[name]);
}

function changed(): Waiting {
  return new Waiting("Updating", "this object changed during the reconcile", 500);
}

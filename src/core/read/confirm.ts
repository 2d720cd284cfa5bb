import {
  approveAnnotation,
  createAnotherAnnotation,
  letGoAnnotation,
  retryCreateAnnotation,
  retryOperationAnnotation,
} from "../kind/annotations.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { refOf, resourceOf } from "../kind/resource.ts";
import { isKubeError, Waiting } from "../kind/outcome.ts";
import type { Environment } from "../model/environment.ts";
import type { Reconciliation } from "../model/context.ts";
import type { Since } from "./fresh.ts";
import { times } from "../kind/times.ts";

/**
 * Confirms at the API server that an object exists and was not changed since the reconcile began. Returns the time of the answer in
 * clock milliseconds. Throws `Waiting` if the object changed, and `KubeError` if the API server does not answer. `since`: limits
 * for earlier reads, by default now.
 */
export async function confirmStillMeant(at: Reconciliation, since = now(at)): Promise<number> {
  if (at.stray) return Infinity;
  const { fresh, caches } = at.environment;
  const { value: stored, at: answeredAt } = await fresh.get(resourceOf(at.kind), refOf(at.object), since);
  if (stored && stored.metadata.uid === at.object.metadata.uid && stored.metadata.generation === at.generation) {
    if (isAskedAlike(stored, at.object)) return answeredAt;
  }
  // The next reconcile must not wait for the watch: a watch can be silent for a minute.
  if (stored) caches.get(at.object.kind)?.noteRead(stored);
  throw changed();
}

/**
 * Reads an object anew if the API server refused a write because the object changed. Otherwise each reconcile would begin with the
 * same old version until the watch continues. Does not throw.
 */
export async function readAfterConflict(environment: Environment, object: KubeObject, error: unknown): Promise<void> {
  if (!isKubeError(error) || !error.conflict) return;
  const { fresh, caches, clock, kinds } = environment;
  const kind = kinds.get(object.kind);
  if (!kind) return;
  const since = { answered: clock.now(), begun: clock.now() };
  const stored = await fresh.get(resourceOf(kind), refOf(object), since).catch(() => undefined);
  if (stored?.value) caches.get(object.kind)?.noteRead(stored.value);
}

function now({ environment: { clock } }: Reconciliation): Since {
  return { answered: clock.now(), begun: clock.now() };
}

/** Throws `Waiting` if the cache shows a change of the object since the reconcile began. */
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
  return new Waiting("Updating", "this object changed during the reconcile", times.soon);
}

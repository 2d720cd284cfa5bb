import {
  approveAnnotation,
  createAnotherAnnotation,
  orphanAnnotation,
  retryCreateAnnotation,
  retryOperationAnnotation,
} from "../kind/annotations.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { refOf, resourceOf } from "../kind/resource.ts";
import { isKubeError, Waiting } from "../kind/outcome.ts";
import type { Environment } from "../model/environment.ts";
import type { Context } from "../model/context.ts";
import type { Since } from "./fresh.ts";
import { times } from "../kind/times.ts";

/**
 * Confirms at the API server that an object exists and was not changed since the reconcile began. Returns the time of the answer in
 * clock milliseconds. Throws `Waiting` if the object changed, and `KubeError` if the API server does not answer. `since`: limits
 * for earlier reads, by default now.
 */
export async function confirmStillMeant(ctx: Context, since = readsFromNow(ctx)): Promise<number> {
  if (ctx.orphaned) return Infinity;
  const { fresh, caches } = ctx.environment;
  const { value: stored, at: answeredAt } = await fresh.get(resourceOf(ctx.kind), refOf(ctx.object), since);
  if (stored && stored.metadata.uid === ctx.object.metadata.uid && stored.metadata.generation === ctx.generation) {
    if (isAskedAlike(stored, ctx.object)) return answeredAt;
  }
  // The next reconcile must not wait for the watch: a watch can be silent for a minute.
  if (stored) caches.get(ctx.object.kind)?.noteRead(stored);
  throw changedObject();
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

function readsFromNow({ environment: { clock } }: Context): Since {
  return { answered: clock.now(), begun: clock.now() };
}

/** Throws `Waiting` if the cache shows a change of the object since the reconcile began. */
export function refuseChanged({ environment, object, generation = 0, orphaned }: Context): void {
  const known = orphaned ? undefined : environment.caches.get(object.kind)?.get(refOf(object));
  if (!known) return;
  if (known.metadata.uid !== object.metadata.uid || (known.metadata.generation ?? 0) > generation)
    throw changedObject();
  if (!isAskedAlike(known, object)) throw changedObject();
}

/** Annotations by which a user allows or withdraws a request. A change of an annotation does not change the generation. */
const asking = [
  orphanAnnotation,
  approveAnnotation,
  createAnotherAnnotation,
  retryCreateAnnotation,
  retryOperationAnnotation,
];

function isAskedAlike(one: KubeObject, other: KubeObject): boolean {
  return asking.every((name) => one.metadata.annotations?.[name] === other.metadata.annotations?.[name]);
}

function changedObject(): Waiting {
  return new Waiting("Updating", "this object changed during the reconcile", times.soon);
}

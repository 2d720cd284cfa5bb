/** Cleans up after objects that were deleted during a creation (kubernetes/kubernetes#77988). */
import { nameOf, oneOf } from "../kind/naming.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Outcome } from "../../queue/types.ts";
import { timestamp } from "../kind/timestamp.ts";
import type { Environment } from "../model/environment.ts";
import { takeCharge } from "../store/charge.ts";
import { finalizer, keyOfObject, refOf, resourceOf } from "../kind/resource.ts";
import type { Kind } from "../kind/owned.ts";
import type { Reason } from "../kind/reasons.ts";
import { reconcile } from "./reconcile.ts";
import { createContext } from "../model/context.ts";
import { reportStatus } from "../store/status.ts";
import { times } from "../kind/times.ts";

/**
 * Completes the creation for a deleted object, and deletes the cloud object. Then wakes the present object of that
 * name.
 */
export async function clearOrphanedCreate(
  environment: Environment,
  kind: Kind,
  stray: KubeObject,
  present: KubeObject | undefined,
): Promise<Outcome> {
  const stored = await environment.kube.get(resourceOf(kind), refOf(stray));
  if (stored?.metadata.uid === stray.metadata.uid) return { type: "later", afterMs: times.soon };
  const { metadata } = stray;
  const deletionTimestamp = metadata.deletionTimestamp ?? timestamp(environment.clock.date());
  const ghost = { ...stray, metadata: { ...metadata, deletionTimestamp, finalizers: [finalizer] } };
  const remembered = environment.memory.of(metadata.uid);
  if (!remembered.stray)
    environment.log.warn(
      { key: keyOfObject(stray), uid: metadata.uid },
      "the object was deleted during its creation; deleting the cloud object",
    );
  remembered.stray ??= "Deleting";
  const outcome = await reconcile(environment, kind, ghost, true);
  if (!present) return outcome;
  if (outcome.type === "done") return { type: "later", afterMs: 0 };
  await tellWaiting(environment, kind, { stray, present });
  return outcome;
}

/** Reports the wait for the cleanup on the present object. */
async function tellWaiting(
  environment: Environment,
  kind: Kind,
  { stray, present }: { stray: KubeObject; present: KubeObject },
): Promise<void> {
  const { memory, clock } = environment;
  if (memory.deletingMs(stray.metadata.uid, clock.now()) < times.quiet) return;
  const ours = await takeCharge(environment, kind, present);
  const ctx = ours && createContext(environment, kind, ours, false);
  // The operator creates nothing for these objects.
  if (!ctx || ctx.observing || ctx.management.policy === "Paused") return;
  const { recorded, stray: reason = "Deleting" } = memory.of(stray.metadata.uid);
  const what = recorded === undefined ? `${oneOf(kind)} that perhaps exists` : nameOf(kind, recorded.id);
  const way = hidden.has(reason) ? "Give the user of the token the grants for it" : "Delete it in the cloud";
  const message = `the operator first deletes the cloud object of an earlier object with this name: ${what}. The deletion waits (${reason}). ${way}, or use another name`;
  await reportStatus(ctx, { state: "waiting", reason: "Deleting", message, afterMs: undefined });
}

/** Reasons of a token that does not see the cloud object, or must not delete it. */
const hidden = new Set<Reason>(["NotVisible", "Forbidden"]);

/**
 * Remembers a deleted object with the finalizer (kubernetes/kubernetes#77988). Its new cloud object would stay in the
 * cloud. A list without the object is no proof.
 */
export function noteLost(environment: Environment, object: KubeObject, initial: boolean): void {
  if (initial || !isOvertaken(environment, object, wasNeverDeleting(object) ? times.history : 0)) return;
  environment.memory.creating(object);
}

/**
 * Tests if the last state shows no deletion. If a user removed the finalizer before the deletion, the last state would
 * have no finalizer or a deletion timestamp.
 */
function wasNeverDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

function isOvertaken({ memory, clock }: Environment, object: KubeObject, lateMs = 0): boolean {
  const { metadata } = object;
  const { madeAt = -Infinity, held } = memory.of(metadata.uid);
  // If the operator removed the finalizer itself, the last state can also show the finalizer.
  const goes = wasNeverDeleting(object) || held === true;
  return goes && metadata.finalizers?.includes(finalizer) === true && clock.now() - madeAt < times.quiet + lateMs;
}

/** Handles a 404 for a write. The watch can report the deletion too long after the creation. */
export async function noteVanished(environment: Environment, { kind: name, metadata }: KubeObject): Promise<void> {
  const kind = environment.kinds.get(name);
  const known = environment.caches.get(name)?.get(metadata);
  if (!kind || known?.metadata.uid !== metadata.uid || !isOvertaken(environment, known)) return;
  const stored = await environment.kube.get(resourceOf(kind), refOf(known));
  if (stored?.metadata.uid !== metadata.uid) environment.memory.creating(known);
}

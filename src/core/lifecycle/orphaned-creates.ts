/** Objects that are gone while what was created for them is not: kubernetes/kubernetes#77988. */
import type { KubeObject } from "../../cluster/types.ts";
import type { Outcome } from "../../queue/types.ts";
import { timestamp } from "../kind/timestamp.ts";
import type { Environment } from "../model/environment.ts";
import { takeCharge } from "../store/charge.ts";
import { finalizer, keyOfObject, refOf, resourceOf } from "../kind/resource.ts";
import type { Kind } from "../kind/owned.ts";
import type { Reason } from "../kind/reasons.ts";
import { reconcile } from "./reconcile.ts";
import { begin } from "../model/context.ts";
import { reportStatus } from "../store/status.ts";
import { times } from "../kind/times.ts";

/** Completes the creation for an object that is gone, and deletes the cloud object. Then the present object is reconciled. */
export async function clearStray(
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
      "deleted during its creation; deleting the cloud object",
    );
  remembered.stray ??= "Deleting";
  const outcome = await reconcile(environment, kind, ghost, true);
  if (!present) return outcome;
  if (outcome.type === "done") return { type: "later", afterMs: 0 };
  await tellWaiting(environment, kind, { stray, present });
  return outcome;
}

/** The object that has the name by now says what it waits for. */
async function tellWaiting(
  environment: Environment,
  kind: Kind,
  { stray, present }: { stray: KubeObject; present: KubeObject },
): Promise<void> {
  const { memory, clock } = environment;
  if (memory.deletingMs(stray.metadata.uid, clock.now()) < times.quiet) return;
  const ours = await takeCharge(environment, kind, present);
  const at = ours && begin(environment, kind, ours, false);
  // Nothing is created for those in any case.
  if (!at || at.observing || at.management.policy === "Paused") return;
  const { recorded, stray: reason = "Deleting" } = memory.of(stray.metadata.uid);
  const what = recorded === undefined ? "what may have been created" : `${recorded.id}, which was created`;
  const way = hidden.has(reason) ? "Give the user of the token the grants for it" : "Delete it in the cloud";
  const message = `${what} for an earlier object of this name, is deleted first, which is held up (${reason}). ${way}, or use another name`;
  await reportStatus(at, { state: "waiting", reason: "Deleting", message, afterMs: undefined });
}

/** Where the token does not see it, or may not delete it. */
const hidden = new Set<Reason>(["NotVisible", "Forbidden"]);

/**
 * The API server reports that an object was removed with our finalizer on it: kubernetes/kubernetes#77988. What was just created for
 * it would stay in the cloud. A list without the object does not prove this.
 */
export function noteLost(environment: Environment, object: KubeObject, initial: boolean): void {
  if (initial || !isOvertaken(environment, object, wasNeverDeleting(object) ? times.history : 0)) return;
  environment.memory.creating(object);
}

/** Nobody could take the finalizer off and delete it then: its last state would show the one or the other. */
function wasNeverDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

function isOvertaken({ memory, clock }: Environment, object: KubeObject, lateMs = 0): boolean {
  const { metadata } = object;
  const { madeAt = -Infinity, held } = memory.of(metadata.uid);
  // The last state of what ended by our own removal of the finalizer has it, too.
  const goes = wasNeverDeleting(object) || held === true;
  return goes && metadata.finalizers?.includes(finalizer) === true && clock.now() - madeAt < times.quiet + lateMs;
}

/** A write found nothing. The watch, which may be late, would say so too long after the creation. */
export async function noteVanished(environment: Environment, { kind: name, metadata }: KubeObject): Promise<void> {
  const kind = environment.kinds.get(name);
  const known = environment.caches.get(name)?.get(metadata);
  if (!kind || known?.metadata.uid !== metadata.uid || !isOvertaken(environment, known)) return;
  const stored = await environment.kube.get(resourceOf(kind), refOf(known));
  if (stored?.metadata.uid !== metadata.uid) environment.memory.creating(known);
}

/**
 * One operator for each object: where two watch the same namespace, the one that took an object in goes on with it.
 *
 * An annotation, written together with the finalizer, names the lease under which that was. Whoever meets an object of
 * another lease leaves it alone while that lease is held by an operator that watches the namespace; after that it takes
 * the object over, guarded by the object's version, so that one of several succeeds.
 */
import type { KubeObject, OtherLeases } from "../cluster/types.ts";
import type { Kind } from "./define-kind.ts";
import { finalizer, keyOfObject } from "./environment.ts";
import type { Environment } from "./environment.ts";
import { operatorAnnotation, putFinalizer } from "./finalizer.ts";

export interface Custody {
  /** `namespace/name` of our own lease. */
  own: string;
  others: OtherLeases;
}

/**
 * The object, ours from now on; undefined while another operator looks after it.
 *
 * @throws KubeError, a conflict among them when another write came first
 */
export async function takeCharge(
  environment: Environment,
  kind: Pick<Kind, "kind" | "plural">,
  object: KubeObject,
): Promise<KubeObject | undefined> {
  const { custody } = environment;
  const { finalizers, annotations, namespace = "" } = object.metadata;
  if (!custody || !finalizers?.includes(finalizer)) return object;
  const holder = annotations?.[operatorAnnotation];
  if (holder === custody.own) return object;
  if (holder !== undefined && isLease(holder) && (await custody.others.covers(leaseOf(holder), namespace))) {
    noteElsewhere(environment, object, holder);
    return undefined;
  }
  const written = await putFinalizer(environment, kind, object);
  environment.log.info({ key: keyOfObject(object), from: holder }, "taken over from another operator");
  return written;
}

/** What names no lease is nobody's. */
function isLease(holder: string): boolean {
  return /^[^/]+\/[^/]+$/.test(holder);
}

function leaseOf(holder: string): { namespace: string; name: string } {
  const [namespace = "", name = ""] = holder.split("/");
  return { namespace, name };
}

/** Said once for each object: on the object, where its owner looks, and in the log. */
function noteElsewhere({ memory, events, log }: Environment, object: KubeObject, holder: string): void {
  const remembered = memory.of(object.metadata.uid);
  if (remembered.elsewhere === holder) return;
  // What the other one does from now on is not known here.
  memory.forget(object.metadata.uid);
  memory.of(object.metadata.uid).elsewhere = holder;
  const note = `Left alone: the operator with lease ${holder} looks after it. If that is gone for good, remove the annotation ${operatorAnnotation}`;
  log.warn({ key: keyOfObject(object), lease: holder }, "left alone: another operator looks after it");
  events.emit(object, { type: "Warning", reason: "LookedAfterElsewhere", action: "Look", note });
}

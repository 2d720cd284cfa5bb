/**
 * One operator for each object: where two watch the same namespace, the one that took an object in goes on with it.
 *
 * An annotation, written together with the finalizer, names the lease under which that was. Whoever meets an object of
 * another lease leaves it alone while that lease is held by an operator that watches the namespace; after that, and where
 * no lease of an operator is named, it takes the object over, guarded by the object's version, so that one of several
 * succeeds. Whoever may not read a lease is not sure, and leaves alone what others may look after.
 */
import type { Holding, KubeObject, OtherLeases } from "../cluster/types.ts";
import type { Kind } from "./define-kind.ts";
import { annotate } from "./claim/search.ts";
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
  const holds = holder === undefined ? "no" : await holding(custody, holder, namespace);
  if (holder !== undefined && holds !== "no") {
    noteElsewhere(environment, object, { holder, holds });
    return undefined;
  }
  const written = await putFinalizer(environment, kind, object);
  delete environment.memory.of(object.metadata.uid).elsewhere;
  environment.log.info({ key: keyOfObject(object), from: holder }, "taken over from another operator");
  return written;
}

/** What names no lease is nobody's. */
async function holding({ others }: Custody, holder: string, objectNamespace: string): Promise<Holding> {
  const [namespace = "", name = "", ...rest] = holder.split("/");
  if (namespace === "" || name === "" || rest.length > 0) return "no";
  return others.holds({ namespace, name }, objectNamespace);
}

/** An event is gone after an hour, so it is said again while the object is left alone, milliseconds. */
const sayAgainMs = 600_000;

/** On the object, where its owner looks, and in the log. Its status is the other operator's: two would overwrite each other. */
function noteElsewhere(
  { memory, events, log, clock }: Environment,
  object: KubeObject,
  { holder, holds }: { holder: string; holds: Holding },
): void {
  const { uid } = object.metadata;
  const said = memory.of(uid).elsewhere;
  if (said?.holder === holder && clock.now() - said.at < sayAgainMs) return;
  // What the other one does from now on is not known here.
  if (said?.holder !== holder) memory.forget(uid);
  memory.of(uid).elsewhere = { holder, at: clock.now() };
  const who =
    holds === "yes"
      ? `the operator with lease ${holder} looks after it`
      : `the lease ${holder} that it names may not be read, so that its operator may be at work`;
  const note = `Left alone: ${who}. If that operator is gone for good, ${annotate(object, `${operatorAnnotation}-`)}`;
  log.warn({ key: keyOfObject(object), lease: holder, holds }, "left alone: another operator looks after it");
  events.emit(object, { type: "Warning", reason: "LookedAfterElsewhere", action: "Look", note });
}

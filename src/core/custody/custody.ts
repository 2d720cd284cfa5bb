/**
 * Room `core/custody`: what is held in the cluster for an object: its finalizer, its Secrets, permissions, and who takes
 * care of it. It guarantees that each is released with the last who needs it. It imports `core/kind` and `core/claim`.
 *
 * One operator for each object: where two watch the same namespace, the one that took an object in keeps it.
 *
 * An annotation, written together with the finalizer, names the lease under which that was. Whoever meets an object of
 * another lease does not reconcile it while that lease is held by an operator that watches the namespace; after that, and where
 * no lease of an operator is named, it takes the object over, guarded by the object's version, so that one of several
 * succeeds. Whoever cannot read a lease is not sure, and does not reconcile what others may manage. An object goes with its
 * CloudAccount: just the operator that manages that one is connected, so that no other could do anything for the object.
 */
import { announce } from "../flow/announce.ts";
import type { Holding, KubeObject } from "../../cluster/types.ts";
import type { Kind } from "../kind/owned.ts";
import { cloudAccountOf } from "../claim/ownership.ts";
import { annotate } from "../claim/uncertain.ts";
import { finalizer, keyOfObject } from "../kind/resource.ts";
import type { Custody, Environment } from "../flow/environment.ts";
import { statusOf } from "../flow/reconciliation.ts";
import { operatorAnnotation, putFinalizer } from "./finalizer.ts";

/**
 * The object, ours from now on; undefined while another operator manages it.
 *
 * @throws KubeError, a conflict among them when another write came first
 */
export async function takeCharge(
  environment: Environment,
  kind: Pick<Kind, "kind" | "plural">,
  object: KubeObject,
): Promise<KubeObject | undefined> {
  const { custody } = environment;
  if (!custody || !object.metadata.finalizers?.includes(finalizer)) return object;
  const holder = holderOf(object);
  const account = environment.kinds.has(object.kind) ? cloudAccountOf(environment, object) : undefined;
  const ofAccount = account && holderOf(account);
  if (holder === custody.own && (ofAccount ?? holder) === holder) return object;
  const named = account ? [account, object] : [object];
  const other = ofAccount === custody.own ? undefined : await firstHeld(custody, object, named);
  if (other) {
    noteElsewhere(environment, object, other);
    return undefined;
  }
  if (holder === custody.own) return object;
  const written = await putFinalizer(environment, kind, object);
  delete environment.memory.of(object.metadata.uid).elsewhere;
  environment.log.info({ key: keyOfObject(object), from: holder }, "taken over from another operator");
  return written;
}

function holderOf({ metadata: { annotations, finalizers } }: KubeObject): string | undefined {
  return finalizers?.includes(finalizer) ? annotations?.[operatorAnnotation] : undefined;
}

interface Held {
  holder: string;
  holds: Holding;
  /** What names that lease. */
  by: KubeObject;
}

/** The first of these that names a lease under which another operator manages the object, or may do so. */
async function firstHeld(
  custody: Custody,
  { metadata: { namespace = "" } }: KubeObject,
  named: KubeObject[],
): Promise<Held | undefined> {
  for (const by of named) {
    const holder = holderOf(by);
    if (holder === undefined || holder === custody.own) continue;
    const holds = await holding(custody, holder, namespace);
    if (holds !== "no") return { holder, holds, by };
  }
  return undefined;
}

/** What names no lease belongs to no operator. */
async function holding({ others }: Custody, holder: string, objectNamespace: string): Promise<Holding> {
  const [namespace = "", name = "", ...rest] = holder.split("/");
  if (namespace === "" || name === "" || rest.length > 0) return "no";
  return others.holds({ namespace, name }, objectNamespace);
}

/** An event is gone after an hour, so it is repeated while another operator manages the object, milliseconds. */
const sayAgainMs = 600_000;

/** An event, where the owner of the object sees it, and a log line. Its status is the other operator's: two would overwrite each other. */
function noteElsewhere(environment: Environment, object: KubeObject, { holder, holds, by }: Held): void {
  const { memory, clock } = environment;
  const { uid } = object.metadata;
  const said = memory.of(uid).elsewhere;
  if (said?.holder === holder && clock.now() - said.at < sayAgainMs) return;
  // What the other one does from now on is not known here.
  if (said?.holder !== holder) memory.forget(uid);
  memory.of(uid).elsewhere = { holder, at: clock.now() };
  const who =
    holds === "yes"
      ? `the operator with lease ${holder} manages it`
      : `the lease ${holder} that it names cannot be read, and its operator may be running`;
  const note = `Not reconciled: ${who}. If that operator is gone for good, ${annotate(by, `${operatorAnnotation}-`)}`;
  const warning = { type: "Warning", reason: "ManagedElsewhere", action: "Reconcile", note } as const;
  announce(environment, object, { ...warning, id: statusOf(object).id });
}

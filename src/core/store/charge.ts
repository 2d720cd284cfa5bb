/**
 * Decides which operator manages an object. If two operators watch a namespace, the operator that put the finalizer on an object keeps
 * the object.
 *
 * An annotation beside the finalizer names the Lease of that operator. Another operator does not reconcile the object while the Lease is
 * held by an operator that watches the namespace. Otherwise it takes the object over with a write guarded by the `resourceVersion`. An
 * operator that cannot read a Lease does not reconcile the object. The objects of a CloudAccount belong to the operator of the
 * CloudAccount, because only that operator is connected.
 */
import { statusOf } from "../kind/object.ts";
import { operatorAnnotation } from "../kind/annotations.ts";
import { announce } from "./announce.ts";
import type { Holding, KubeObject } from "../../cluster/types.ts";
import type { Kind } from "../kind/owned.ts";
import { cloudAccountOf } from "../model/ownership.ts";
import { annotate } from "../model/uncertain.ts";
import { finalizer, keyOfObject } from "../kind/resource.ts";
import type { Custody, Environment } from "../model/environment.ts";
import { isShared } from "../account/sharing.ts";
import { putFinalizer } from "./finalizer.ts";
import { times } from "../kind/times.ts";

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
  const { custody, memory, clock } = environment;
  if (!custody) return object;
  const account = environment.kinds.has(object.kind) ? sharedAccountOf(environment, object) : undefined;
  // Who manages the account decides, where anybody does.
  const by = account && holderOf(account) !== undefined ? account : object;
  const holder = holderOf(by);
  const held = holder === undefined || holder === custody.own ? undefined : await heldBy(custody, object, holder, by);
  const isNew = object.metadata.finalizers?.includes(finalizer) !== true;
  if (held) {
    // A new one is taken in by the other operator where that watches it, which needs no word.
    if (!isNew || held.elsewhere || held.holds !== "yes") noteElsewhere(environment, object, held);
    return undefined;
  }
  // Which of two that watch it takes a new one in is decided by who manages the account.
  if (isNew) return object;
  if (by !== object && holder !== custody.own) return undefined;
  if (holderOf(object) === custody.own) return object;
  const remembered = memory.of(object.metadata.uid);
  const now = clock.now();
  if (now - (remembered.takenAt ?? -Infinity) < times.again) return undefined;
  const written = await putFinalizer(environment, kind, object);
  remembered.elsewhere = undefined;
  remembered.takenAt = now;
  environment.log.info({ key: keyOfObject(object), from: holderOf(object) }, "taken over from another operator");
  return written;
}

/** The CloudAccount of an object. An event must not tell a namespace of an account that is not shared with it. */
function sharedAccountOf(environment: Environment, object: KubeObject): KubeObject | undefined {
  const account = cloudAccountOf(environment, object);
  return account && isShared(account, object.metadata.namespace ?? "") ? account : undefined;
}

function holderOf({ metadata: { annotations, finalizers } }: KubeObject): string | undefined {
  return finalizers?.includes(finalizer) ? annotations?.[operatorAnnotation] : undefined;
}

interface Held {
  holder: string;
  holds: Holding;
  /** What names that lease: the object, or its account. */
  by: KubeObject;
  /** It manages the account, and does not watch the object's namespace. */
  elsewhere: boolean;
}

/** Undefined where no operator with that lease is at work. */
async function heldBy(
  custody: Custody,
  { metadata: { namespace = "" } }: KubeObject,
  holder: string,
  by: KubeObject,
): Promise<Held | undefined> {
  const home = by.metadata.namespace ?? "";
  const holds = await holding(custody, holder, home);
  if (holds === "no") return undefined;
  const elsewhere = home !== namespace && (await holding(custody, holder, namespace)) === "no";
  return { holder, holds, by, elsewhere };
}

/** What names no lease belongs to no operator. */
async function holding({ others }: Custody, holder: string, objectNamespace: string): Promise<Holding> {
  const [namespace = "", name = "", ...rest] = holder.split("/");
  if (namespace === "" || name === "" || rest.length > 0) return "no";
  return others.holds({ namespace, name }, objectNamespace);
}

/** An event, where the owner of the object sees it, and a log line. Its status is the other operator's: two would overwrite each other. */
function noteElsewhere(environment: Environment, object: KubeObject, { holder, holds, by, elsewhere }: Held): void {
  const { memory, clock } = environment;
  const { uid } = object.metadata;
  const said = memory.of(uid).elsewhere;
  if (said?.holder === holder && clock.now() - said.at < times.history) return;
  // What the other one does from now on is not known here.
  const { takenAt = -Infinity } = memory.of(uid);
  if (said?.holder !== holder) memory.forget(uid);
  Object.assign(memory.of(uid), { elsewhere: { holder, at: clock.now() }, takenAt });
  const who =
    holds === "yes"
      ? `the operator with lease ${holder} manages it`
      : `the lease ${holder} that it names cannot be read, and its operator may be running`;
  const { namespace } = object.metadata;
  const way = elsewhere
    ? `It manages CloudAccount ${by.metadata.namespace}/${by.metadata.name}, and does not watch namespace ${namespace}. Have it watch that namespace, or use another CloudAccount there`
    : `If that operator is gone for good, ${annotate(by, `${operatorAnnotation}-`)}`;
  const note = `Not reconciled: ${who}. ${way}`;
  const warning = { type: "Warning", reason: "ManagedElsewhere", action: "Reconcile", note } as const;
  announce(environment, object, { ...warning, id: statusOf(object).id });
}

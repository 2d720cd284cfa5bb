/**
 * Decides which operator manages an object. If two operators watch a namespace, the operator that added the finalizer
 * to an object keeps the object.
 *
 * An annotation names the Lease of that operator. While the holder of the Lease is active and watches the namespace, a
 * second operator does not reconcile the object. Otherwise the second operator takes the object over with a patch
 * guarded by `resourceVersion`. An operator that cannot read the Lease does not reconcile the object. The objects of a
 * CloudAccount belong to the operator of the CloudAccount, because only that operator is connected.
 */
import { statusOf } from "../kind/object.ts";
import { operatorAnnotation } from "../kind/annotations.ts";
import { announce } from "./announce.ts";
import type { Holding, KubeObject } from "../../cluster/types.ts";
import type { Kind } from "../kind/owned.ts";
import { cloudAccountOf } from "../model/owners.ts";
import { annotate } from "../model/uncertain.ts";
import { finalizer, keyOfObject } from "../kind/resource.ts";
import type { Operators, Environment } from "../model/environment.ts";
import { isShared } from "../account/sharing.ts";
import { putFinalizer } from "./finalizer.ts";
import { times } from "../kind/times.ts";

/**
 * Returns the object if this operator manages it, otherwise undefined.
 *
 * @throws KubeError, also for a conflict with a concurrent write
 */
export async function takeCharge(
  environment: Environment,
  kind: Pick<Kind, "kind" | "plural">,
  object: KubeObject,
): Promise<KubeObject | undefined> {
  const { operators, memory, clock } = environment;
  if (!operators) return object;
  const account = environment.kinds.has(object.kind) ? sharedAccountOf(environment, object) : undefined;
  // The operator of the account decides, if the account has an operator.
  const by = account && leaseOf(account) !== undefined ? account : object;
  const holder = leaseOf(by);
  const held =
    holder === undefined || holder === operators.own ? undefined : await operatorHolding(operators, object, holder, by);
  const isNew = object.metadata.finalizers?.includes(finalizer) !== true;
  if (held) {
    // A new object needs no event if the other operator watches the namespace and will add the finalizer.
    if (!isNew || held.elsewhere || held.holds !== "yes") noteElsewhere(environment, object, held);
    return undefined;
  }
  // The operator of the account takes a new object.
  if (isNew) return object;
  if (by !== object && holder !== operators.own) return undefined;
  if (leaseOf(object) === operators.own) return object;
  const remembered = memory.of(object.metadata.uid);
  const now = clock.now();
  if (now - (remembered.takenAt ?? -Infinity) < times.again) return undefined;
  const written = await putFinalizer(environment, kind, object);
  remembered.elsewhere = undefined;
  remembered.takenAt = now;
  environment.log.info({ key: keyOfObject(object), from: leaseOf(object) }, "taken over from another operator");
  return written;
}

/** Returns the CloudAccount of an object. An event must not name an account that is not shared with the namespace. */
function sharedAccountOf(environment: Environment, object: KubeObject): KubeObject | undefined {
  const account = cloudAccountOf(environment, object);
  return account && isShared(account, object.metadata.namespace ?? "") ? account : undefined;
}

function leaseOf({ metadata: { annotations, finalizers } }: KubeObject): string | undefined {
  return finalizers?.includes(finalizer) ? annotations?.[operatorAnnotation] : undefined;
}

interface HeldElsewhere {
  holder: string;
  holds: Holding;
  /** The object or the account whose annotation names the Lease. */
  by: KubeObject;
  /** The operator manages the account, and does not watch the namespace of the object. */
  elsewhere: boolean;
}

/** Returns undefined if the operator of the Lease is not active. */
async function operatorHolding(
  operators: Operators,
  { metadata: { namespace = "" } }: KubeObject,
  holder: string,
  by: KubeObject,
): Promise<HeldElsewhere | undefined> {
  const home = by.metadata.namespace ?? "";
  const holds = await holding(operators, holder, home);
  if (holds === "no") return undefined;
  const elsewhere = home !== namespace && (await holding(operators, holder, namespace)) === "no";
  return { holder, holds, by, elsewhere };
}

/** Returns the state of a Lease. A malformed name belongs to no operator. */
async function holding({ others }: Operators, holder: string, objectNamespace: string): Promise<Holding> {
  const [namespace = "", name = "", ...rest] = holder.split("/");
  if (namespace === "" || name === "" || rest.length > 0) return "no";
  return others.holds({ namespace, name }, objectNamespace);
}

/**
 * Emits an event for the user, and writes a log line. Does not write the status, because two operators would overwrite
 * each other.
 */
function noteElsewhere(
  environment: Environment,
  object: KubeObject,
  { holder, holds, by, elsewhere }: HeldElsewhere,
): void {
  const { memory, clock } = environment;
  const { uid } = object.metadata;
  const said = memory.of(uid).elsewhere;
  if (said?.holder === holder && clock.now() - said.at < times.history) return;
  // The other operator can change the object now, so the memory of this process is outdated.
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

/** Makes a plan: copies account and cluster, applies the manifests, and runs the operator until it rests. */
import type { KubeObject } from "../cluster/types.ts";
import { unprovenRecord } from "../core/kind/record.ts";
import type { Condition } from "../core/kind/status-schema.ts";
import { cloudAccount } from "../kinds/account/cloud-account.ts";
import { kinds } from "../kinds/registry.ts";
import { apply } from "./apply.ts";
import type { Applied, Manifest } from "./apply.ts";
import { addAssumed } from "./assumed.ts";
import { accountMonthly, listsOf, objectMonthly } from "./costs.ts";
import type { Lists } from "./costs.ts";
import { resources } from "./definitions.ts";
import { createMask } from "./mask.ts";
import type { Mask } from "./mask.ts";
import { nameOf, plannedObjects } from "./operations.ts";
import type { Disruption, Plan, PlannedObject } from "./plan.ts";
import { openRun } from "./run.ts";
import type { Run, RunOptions } from "./run.ts";
import { addNamespaces } from "./surroundings.ts";
import { unknownOf } from "./unknown.ts";

export interface PlanOptions extends RunOptions {
  manifests: readonly Manifest[];
  /** Objects of the cluster; empty without a cluster. */
  existing: readonly KubeObject[];
  /** Namespace of manifests without a namespace. */
  namespace: string;
  limits?: Parameters<Run["rest"]>[0];
}

/** Makes a plan. Sends no request to the account and to the cluster. */
export async function makePlan(options: PlanOptions): Promise<Plan> {
  const run = await openRun(options);
  try {
    return await planOf(run, options);
  } finally {
    await run.close();
  }
}

async function planOf(run: Run, options: PlanOptions): Promise<Plan> {
  const { manifests, existing, namespace, account } = options;
  addNamespaces(run.objects);
  for (const object of existing) run.loadObject(object);
  const applied = manifests.map((manifest) => apply(run.objects, manifest, namespace));
  const assumed = addAssumed(run);
  const idsBefore = new Map(existing.map((object) => [keyOfName(object), statedId(object)]));
  run.start();
  const { rested } = await run.rest(options.limits);
  const mask = createMask({ objects: run.objects, account, newIdsFrom: run.copy.newIdsFrom });
  const before = listsOf(account);
  const after = listsOf(await run.readCopy());
  const objects = withStates(run, { mask, before, after, idsBefore });
  const refusals = applied.flatMap((one) => (one.result === "refused" ? one.refusals : []));
  return {
    version: 1,
    objects,
    counts: countsOf(objects, applied),
    disruption: disruptionIn(objects),
    monthly: { before: accountMonthly(before), after: accountMonthly(after) },
    refusals,
    assumed: [...new Set(assumed)],
    unknown: unknownOf(account, objects),
    complete: rested,
  };
}

interface Facts {
  mask: Mask;
  before: Lists;
  after: Lists;
  idsBefore: ReadonlyMap<string, string | undefined>;
}

/** Adds prices and states to the objects with operations, and adds the objects that wait without operations. */
function withStates(run: Run, facts: Facts): PlannedObject[] {
  const planned = plannedObjects(run.sent(), facts.mask);
  const known = new Set(planned.map(keyOf));
  const all = [...resources.values()].flatMap((resource) => run.objects.list(resource));
  const stored = new Map(all.map((object) => [keyOfName(object), object]));
  const others = all
    .filter((object) => !known.has(keyOfName(object)))
    .filter((object) => waitsOf(object, facts.mask) ?? driftOf(object, facts.mask))
    .map((object) => idle(keyOfName(object)));
  return [...planned, ...others].map((one) => withState(one, stored.get(keyOf(one)), facts));
}

function idle(key: string): PlannedObject {
  return { ...nameOf(key), action: "none", disruption: [], operations: [] };
}

function withState(one: PlannedObject, object: KubeObject | undefined, facts: Facts): PlannedObject {
  const waits = object && waitsOf(object, facts.mask);
  const drift = object && driftOf(object, facts.mask);
  const monthly = monthlyOf(one, object, facts);
  return { ...one, ...(monthly && { monthly }), ...(drift !== undefined && { drift }), ...(waits && { waits }) };
}

function driftOf({ status }: KubeObject, mask: Mask): string | undefined {
  const conditions = (status?.["conditions"] ?? []) as Condition[];
  const drifted = conditions.find((one) => one.type === "Drifted" && one.status === "True");
  return drifted && mask.text(drifted.message);
}

function waitsOf({ kind, status }: KubeObject, mask: Mask): PlannedObject["waits"] {
  const conditions = (status?.["conditions"] ?? []) as Condition[];
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready?.status === "True") return undefined;
  if (!ready)
    return kind === cloudAccount.kind
      ? undefined
      : { reason: "Unknown", message: "the operator did not reconcile the object" };
  return { reason: ready.reason, message: mask.text(ready.message) };
}

function monthlyOf(one: PlannedObject, object: KubeObject | undefined, facts: Facts): PlannedObject["monthly"] {
  const kind = kinds.find((each) => each.kind === one.kind);
  if (!kind?.monthly || one.operations.length === 0) return undefined;
  const path = kind.kind === "ManagedMySQL" ? "/databases/mysql/instances" : "/compute/instances";
  const own = object && statedId(object);
  const earlier = facts.idsBefore.get(keyOf(one)) ?? own;
  const before = objectMonthly(kind, earlier, path, facts.before);
  const after = objectMonthly(kind, own, path, facts.after);
  return before === undefined || after === undefined ? undefined : { before, after };
}

function countsOf(objects: readonly PlannedObject[], applied: readonly Applied[]): Plan["counts"] {
  const of = (action: PlannedObject["action"]): number => objects.filter((one) => one.action === action).length;
  const refused = applied.filter(({ result }) => result === "refused").length;
  const waiting = objects.filter(({ waits }) => waits !== undefined).length;
  return {
    create: of("create"),
    change: of("change"),
    replace: of("replace"),
    delete: of("delete"),
    none: of("none"),
    waiting,
    refused,
  };
}

function disruptionIn(objects: readonly PlannedObject[]): Disruption[] {
  return [...new Set(objects.flatMap(({ disruption }) => disruption))].toSorted();
}

function keyOf({ kind, namespace, name }: Pick<PlannedObject, "kind" | "namespace" | "name">): string {
  return `${kind}/${namespace}/${name}`;
}

function keyOfName({ kind, metadata: { namespace = "", name } }: KubeObject): string {
  return keyOf({ kind, namespace, name });
}

function statedId({ status }: KubeObject): string | undefined {
  const text = status?.["record"];
  return typeof text === "string" ? unprovenRecord(text)?.id : undefined;
}

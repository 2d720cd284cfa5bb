/** Values that metrics read at each scrape. */
import { isReady, specOf, statusOf } from "../core/kind/object.ts";
import { operationOf } from "../api/operation.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import { amountOf } from "../core/kind/monthly.ts";
import type { Cache, KubeObject } from "../cluster/types.ts";
import type { Accounts } from "../core/account/accounts.ts";
import type { Memory } from "../core/model/memory.ts";
import type { Condition } from "../core/kind/status-schema.ts";
import type { Reason } from "../core/kind/reasons.ts";
import type { Observer } from "../observe/types.ts";

export interface Figures {
  /** Counts the objects in steps of a few thousand. The process continues to work between the steps. */
  objects: () => Promise<ObjectCounts>;
  snapshots: () => { account: string; collection: string; ageSeconds: number }[];
  guards: () => { account: string; collection: string; ageSeconds: number }[];
  rateLimits: () => { account: string; limit: string; remaining: number }[];
  feeds: () => { account: string; ageSeconds: number }[];
}

export interface ObjectCounts {
  /** Objects by kind, condition, status and reason. */
  conditions: ConditionCount[];
  /** Objects that are not ready, by namespace. Omits namespaces without unready objects. */
  notReady: { namespace: string; count: number }[];
  /** Objects with a create of unknown outcome, by kind. */
  uncertainCreates: { kind: string; count: number }[];
  /** Objects managed by a different operator, by kind. */
  leftToOthers: { kind: string; count: number }[];
  /** Sum of `status.monthly` in US dollars, by namespace and kind. Omits objects that only observe a cloud object. */
  monthlyCosts: { namespace: string; kind: string; dollars: number }[];
}

export interface ConditionCount {
  kind: string;
  condition: string;
  status: string;
  /** From the closed vocabulary; empty before the first reconcile. */
  reason: string;
  count: number;
}

export function figuresOf(
  caches: ReadonlyMap<string, Cache>,
  { accounts, memory }: { accounts: Accounts; memory: Memory },
): Figures {
  return {
    objects: () => countObjects(caches, memory),
    snapshots: () => accounts.sessions().flatMap(({ account, observer }) => oldestOf(account, observer.ages())),
    guards: () =>
      accounts.sessions().flatMap(({ account, observer }) =>
        oldestOf(
          account,
          observer.guardAges().map(({ path, ageSeconds }) => ({ collection: path, ageSeconds })),
        ),
      ),
    rateLimits: () =>
      accounts
        .sessions()
        .flatMap(({ account, client }) => client.limits().map((limit) => Object.assign(limit, { account }))),
    feeds: () =>
      accounts.sessions().flatMap(({ account, observer }) => {
        const ageSeconds = observer.feedAge();
        return ageSeconds === undefined ? [] : [{ account, ageSeconds }];
      }),
  };
}

/**
 * Returns the oldest read of an operation. Identifiers, such as the name of a bucket, would create unlimited labels.
 */
function oldestOf(account: string, read: ReturnType<Observer["ages"]>): ReturnType<Figures["snapshots"]> {
  const byOperation = Map.groupBy(read, ({ collection }) => operationOf("GET", collection));
  return [...byOperation].map(([operation, ages]) => ({
    account,
    collection: operation.replace("GET ", ""),
    ageSeconds: Math.max(...ages.map(({ ageSeconds }) => ageSeconds)),
  }));
}

/** Objects counted in one turn of the event loop: some milliseconds. */
const perTurn = 2_000;

async function countObjects(caches: ReadonlyMap<string, Cache>, memory: Memory): Promise<ObjectCounts> {
  const conditions = new Map<string, ConditionCount>();
  const notReady = new Map<string, number>();
  const uncertain = new Map<string, number>();
  const elsewhere = new Map<string, number>();
  const costs = new Map<string, ObjectCounts["monthlyCosts"][number]>();
  let counted = 0;
  for (const [kind, cache] of caches) {
    elsewhere.set(kind, 0);
    for (const object of cache.objects()) {
      counted += 1;
      if (counted % perTurn === 0) await nextTurn();
      const status = statusOf(object);
      for (const condition of conditionsOf(status)) {
        countCondition(conditions, kind, condition);
        if (condition.type === "Stalled" && condition.reason === createUncertain) add(uncertain, kind);
      }
      const { namespace, uid } = object.metadata;
      if (namespace !== undefined && !isReady(status)) add(notReady, namespace);
      if (memory.of(uid).elsewhere !== undefined) add(elsewhere, kind);
      addCost(costs, object);
    }
  }
  return {
    conditions: [...conditions.values()],
    notReady: [...notReady].map(([namespace, count]) => ({ namespace, count })),
    uncertainCreates: [...uncertain].map(([kind, count]) => ({ kind, count })),
    leftToOthers: [...elsewhere].map(([kind, count]) => ({ kind, count })),
    monthlyCosts: [...costs.values()],
  };
}

/** Adds the price of an object. Another object can manage a cloud object that this object only observes. */
function addCost(costs: Map<string, ObjectCounts["monthlyCosts"][number]>, object: KubeObject): void {
  const { kind, metadata, status } = object;
  const dollars = amountOf(status?.["monthly"]);
  if (dollars === 0 || specOf(object).management?.policy === "Observe") return;
  const { namespace = "" } = metadata;
  const label = `${namespace}/${kind}`;
  costs.set(label, { namespace, kind, dollars: (costs.get(label)?.dollars ?? 0) + dollars });
}

const createUncertain: Reason = "CreateUncertain";

function add(counts: Map<string, number>, label: string): void {
  counts.set(label, (counts.get(label) ?? 0) + 1);
}

function countCondition(counts: Map<string, ConditionCount>, kind: string, { type, status, reason }: Counted): void {
  const label = `${kind}/${type}/${status}/${reason}`;
  const entry = counts.get(label) ?? { kind, condition: type, status, reason, count: 0 };
  entry.count += 1;
  counts.set(label, entry);
}

/** An object has no conditions before its first reconcile, and counts as neither ready nor unready. */
const unseen: Counted[] = [{ type: "Ready", status: "Unknown", reason: "" }];

function conditionsOf({ conditions = [] }: ReturnType<typeof statusOf>): Counted[] {
  return conditions.length > 0 ? conditions : unseen;
}

type Counted = Pick<Condition, "type" | "reason"> & { status: string };

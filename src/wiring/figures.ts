/** Figures that metrics ask for at each scrape. */
import { operationOf } from "../api/operation.ts";
import type { Cache, KubeObject } from "../cluster/types.ts";
import type { Accounts } from "../core/account/accounts.ts";
import type { Memory } from "../core/claim/memory.ts";
import type { Condition } from "../core/kind/status-schema.ts";
import type { Reason } from "../core/kind/reasons.ts";
import { isReady } from "../core/flow/conditions.ts";
import { statusOf } from "../core/flow/reconciliation.ts";
import type { Observer } from "../observe/types.ts";

export interface Figures {
  /** How many objects have which status of which condition. */
  conditions: () => ConditionCount[];
  /** How many objects are not ready, by namespace; without those that have none. */
  notReady: () => { namespace: string; count: number }[];
  uncertainCreates: () => { kind: string; count: number }[];
  /** How many objects are not reconciled because another operator manages them. */
  leftToOthers: () => { kind: string; count: number }[];
  snapshots: () => { account: string; collection: string; ageSeconds: number }[];
  guards: () => { account: string; collection: string; ageSeconds: number }[];
  rateLimits: () => { account: string; limit: string; remaining: number }[];
  feeds: () => { account: string; ageSeconds: number }[];
}

export interface ConditionCount {
  kind: string;
  condition: string;
  status: string;
  /** From the closed vocabulary; empty for objects that were not looked at yet. */
  reason: string;
  count: number;
}

export function figuresOf(
  caches: ReadonlyMap<string, Cache>,
  { accounts, memory }: { accounts: Accounts; memory: Memory },
): Figures {
  return {
    conditions: () => countConditions(caches),
    notReady: () => countNotReady(caches),
    uncertainCreates: () => countUncertain(caches),
    leftToOthers: () => countElsewhere(caches, memory),
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

/** The oldest of each operation: identifiers, such as the name of a bucket, would be labels without bound. */
function oldestOf(account: string, read: ReturnType<Observer["ages"]>): ReturnType<Figures["snapshots"]> {
  const byOperation = Map.groupBy(read, ({ collection }) => operationOf("GET", collection));
  return [...byOperation].map(([operation, ages]) => ({
    account,
    collection: operation.replace("GET ", ""),
    ageSeconds: Math.max(...ages.map(({ ageSeconds }) => ageSeconds)),
  }));
}

function countConditions(caches: ReadonlyMap<string, Cache>): ConditionCount[] {
  const counts = new Map<string, ConditionCount>();
  for (const { kind, condition } of conditionsIn(caches)) {
    const { type, status, reason } = condition;
    const label = `${kind}/${type}/${status}/${reason}`;
    const entry = counts.get(label) ?? { kind, condition: type, status, reason, count: 0 };
    entry.count += 1;
    counts.set(label, entry);
  }
  return [...counts.values()];
}

function countNotReady(caches: ReadonlyMap<string, Cache>): ReturnType<Figures["notReady"]> {
  const counts = new Map<string, number>();
  for (const object of [...caches.values()].flatMap((cache) => cache.list())) {
    const { namespace } = object.metadata;
    if (namespace !== undefined && !isReady(statusOf(object))) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  }
  return [...counts].map(([namespace, count]) => ({ namespace, count }));
}

function countUncertain(caches: ReadonlyMap<string, Cache>): ReturnType<Figures["uncertainCreates"]> {
  const reason: Reason = "CreateUncertain";
  const found = conditionsIn(caches).filter(
    ({ condition }) => condition.type === "Stalled" && condition.reason === reason,
  );
  return [...Map.groupBy(found, ({ kind }) => kind)].map(([kind, all]) => ({ kind, count: all.length }));
}

function countElsewhere(caches: ReadonlyMap<string, Cache>, memory: Memory): ReturnType<Figures["leftToOthers"]> {
  const isElsewhere = ({ metadata }: KubeObject): boolean => memory.of(metadata.uid).elsewhere !== undefined;
  return [...caches].map(([kind, cache]) => ({ kind, count: cache.list().filter(isElsewhere).length }));
}

/** An object that was never looked at has no conditions: it counts as neither ready nor not. */
const unseen = [{ type: "Ready", status: "Unknown", reason: "" }];

function conditionsIn(caches: ReadonlyMap<string, Cache>): { kind: string; condition: Counted }[] {
  const objects = [...caches.values()].flatMap((cache) => cache.list());
  return objects.flatMap((object) => {
    const { conditions = [] } = statusOf(object);
    const counted: Counted[] = conditions.length > 0 ? conditions : unseen;
    return counted.map((condition) => ({ kind: object.kind, condition }));
  });
}

type Counted = Pick<Condition, "type" | "reason"> & { status: string };

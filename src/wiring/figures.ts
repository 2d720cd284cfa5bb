/** Figures that metrics ask for at each scrape. */
import type { Cache } from "../cluster/types.ts";
import type { Accounts } from "../core/accounts.ts";
import type { Condition } from "../core/common-schema.ts";
import type { Reason } from "../core/reasons.ts";
import { statusOf } from "../core/reconciliation.ts";

export interface Figures {
  /** How many objects have which status of which condition. */
  conditions: () => { kind: string; condition: string; status: string; count: number }[];
  uncertainCreates: () => { kind: string; count: number }[];
  snapshots: () => { account: string; collection: string; ageSeconds: number }[];
  rateLimits: () => { account: string; limit: string; remaining: number }[];
}

export function figuresOf(caches: ReadonlyMap<string, Cache>, accounts: Accounts): Figures {
  return {
    conditions: () => countConditions(caches),
    uncertainCreates: () => countUncertain(caches),
    snapshots: () =>
      accounts
        .sessions()
        .flatMap(({ account, observer }) => observer.ages().map((age) => Object.assign(age, { account }))),
    rateLimits: () =>
      accounts
        .sessions()
        .flatMap(({ account, client }) => client.limits().map((limit) => Object.assign(limit, { account }))),
  };
}

function countConditions(caches: ReadonlyMap<string, Cache>): ReturnType<Figures["conditions"]> {
  const counts = new Map<string, { kind: string; condition: string; status: string; count: number }>();
  for (const { kind, condition } of conditionsIn(caches)) {
    const label = `${kind}/${condition.type}/${condition.status}`;
    const entry = counts.get(label) ?? { kind, condition: condition.type, status: condition.status, count: 0 };
    entry.count += 1;
    counts.set(label, entry);
  }
  return [...counts.values()];
}

function countUncertain(caches: ReadonlyMap<string, Cache>): ReturnType<Figures["uncertainCreates"]> {
  const reason: Reason = "CreateUncertain";
  const found = conditionsIn(caches).filter(
    ({ condition }) => condition.type === "Stalled" && condition.reason === reason,
  );
  return [...Map.groupBy(found, ({ kind }) => kind)].map(([kind, all]) => ({ kind, count: all.length }));
}

function conditionsIn(caches: ReadonlyMap<string, Cache>): { kind: string; condition: Condition }[] {
  const objects = [...caches.values()].flatMap((cache) => cache.list());
  return objects.flatMap((object) =>
    (statusOf(object).conditions ?? []).map((condition) => ({ kind: object.kind, condition })),
  );
}

/** Figures that metrics ask for at each scrape. */
import type { Cache } from "../cluster/types.ts";
import type { Accounts } from "../core/accounts.ts";
import { statusOf } from "../core/reconciliation.ts";

export interface Figures {
  /** How many objects have which status of which condition. */
  conditions: () => { kind: string; condition: string; status: string; count: number }[];
  snapshots: () => { account: string; collection: string; ageSeconds: number }[];
  rateLimits: () => { account: string; limit: string; remaining: number }[];
}

export function figuresOf(caches: ReadonlyMap<string, Cache>, accounts: Accounts): Figures {
  return {
    conditions: () => countConditions(caches),
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
  for (const object of [...caches.values()].flatMap((cache) => cache.list())) {
    for (const { type, status } of statusOf(object).conditions ?? []) {
      const label = `${object.kind}/${type}/${status}`;
      const entry = counts.get(label) ?? { kind: object.kind, condition: type, status, count: 0 };
      entry.count += 1;
      counts.set(label, entry);
    }
  }
  return [...counts.values()];
}

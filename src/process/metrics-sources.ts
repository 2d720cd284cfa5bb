import { setImmediate as nextTurn } from "node:timers/promises";
import { Gauge } from "@prometheus-io/client";
import type { KeyState, Queue } from "../queue/types.ts";
import type { Named } from "./metrics-named.ts";
import { kindOf, labelsOf } from "./metrics-reconcile.ts";

/** State that each scrape reads. A source must not throw, because an error fails the scrape. */
export interface MetricSources {
  queue: Pick<Queue, "keys">;
  /** Most keys handled at the same time, for the whole process. */
  workers: number;
  /** Called once per scrape. */
  objects: () => Promise<{
    /** Objects by kind, condition, status and reason. */
    conditions: { kind: string; condition: string; status: string; reason: string; count: number }[];
    /** Objects that are not ready, by namespace. Omits namespaces without unready objects. */
    notReady: { namespace: string; count: number }[];
    /** Objects with a create whose outcome stays unknown, by kind. */
    uncertainCreates: { kind: string; count: number }[];
    /** Objects that another operator manages, by kind. */
    leftToOthers: { kind: string; count: number }[];
    /** Monthly cost of cloud objects with a known price, by namespace and kind. */
    monthlyCosts: { namespace: string; kind: string; dollars: number }[];
  }>;
  /** Seconds since the last read of each list in use began. */
  snapshots: () => { account: string; collection: string; ageSeconds: number }[];
  /** Seconds since the last comparison of guarded details, the oldest of an operation. */
  guards: () => { account: string; collection: string; ageSeconds: number }[];
  /** Seconds since the last read of account events. */
  feeds: () => { account: string; ageSeconds: number }[];
  /** Remaining requests of each known rate limit. */
  rateLimits: () => { account: string; limit: string; remaining: number }[];
}

/** Most namespaces in a scrape, because users can create an unlimited number of namespaces. */
const mostNamespaces = 50;

/** Registers a gauge that reads a source. */
type Register<S> = <T extends string>(
  name: string,
  help: string,
  labelNames: T[],
  collect: (gauge: Gauge<T>, source: S) => void,
) => unknown;

/** Returns a function that shares one call between the gauges of a scrape, which run in one turn. */
function oncePerScrape<S>(find: () => S | Promise<S>): () => Promise<S> {
  let finding: Promise<S> | undefined;
  return async () => {
    finding ??= (async () => find())();
    try {
      return await finding;
    } finally {
      finding = undefined;
    }
  };
}

export function registerSources(named: Named, sources: MetricSources, kinds: string[]): void {
  const of = <S>(find: () => S | Promise<S>): Register<S> => {
    const found = oncePerScrape(find);
    return (name, help, labelNames, collect) =>
      new Gauge({
        ...named(name, help),
        labelNames,
        async collect() {
          const source = await found();
          this.reset();
          collect(this, source);
        },
      });
  };
  registerQueue(
    of(() => tallyOf(sources.queue)),
    sources,
    kinds,
  );
  registerObjects(of(sources.objects));
  registerCloud(of(() => sources));
}

interface Tally {
  /** Due keys, by kind and urgency. */
  ready: Map<string, Record<KeyState["urgency"], number>>;
  /** Keys with a later time, by kind. */
  delayed: Map<string, number>;
  active: KeyState[];
}

/** Keys counted in one turn of the event loop: some milliseconds. */
const perTurn = 5_000;

async function tallyOf(queue: MetricSources["queue"]): Promise<Tally> {
  const tally: Tally = { ready: new Map(), delayed: new Map(), active: [] };
  let counted = 0;
  for (const state of queue.keys()) {
    counted += 1;
    if (counted % perTurn === 0) await nextTurn();
    const kind = kindOf(state.key);
    if (state.state === "active") tally.active.push(state);
    else if (state.state === "delayed") tally.delayed.set(kind, (tally.delayed.get(kind) ?? 0) + 1);
    else {
      const counts = tally.ready.get(kind) ?? { user: 0, resync: 0 };
      counts[state.urgency] += 1;
      tally.ready.set(kind, counts);
    }
  }
  return tally;
}

function registerQueue(register: Register<Tally>, { workers }: MetricSources, kinds: string[]): void {
  const both: ("name" | "controller")[] = ["name", "controller"];
  register(
    "workqueue_depth",
    "Due keys that wait for a worker; priority 0 is for changes by users",
    [...both, "priority"],
    (gauge, { ready }) => {
      for (const kind of [...kinds, ...ready.keys()]) {
        const { user = 0, resync = 0 } = ready.get(kind) ?? {};
        gauge.set({ ...labelsOf(kind), priority: priorities.user }, user);
        gauge.set({ ...labelsOf(kind), priority: priorities.resync }, resync);
      }
    },
  );
  register("workqueue_unfinished_work_seconds", "Seconds spent on the keys in progress", both, (gauge, { active }) => {
    for (const kind of kinds) gauge.set(labelsOf(kind), 0);
    for (const { key, ranMs } of active) gauge.inc(labelsOf(key), ranMs / 1000);
  });
  register(
    "workqueue_longest_running_processor_seconds",
    "Seconds spent on the longest-running key",
    both,
    (gauge, { active }) => {
      const longest = new Map<string, number>(kinds.map((kind) => [kind.toLowerCase(), 0]));
      for (const { key, ranMs } of active) {
        const { name } = labelsOf(key);
        longest.set(name, Math.max(longest.get(name) ?? 0, ranMs / 1000));
      }
      for (const [name, seconds] of longest) gauge.set({ name, controller: name }, seconds);
    },
  );
  register("cloudplatform_queue_delayed", "Keys with a later due time", ["kind"], (gauge, { delayed }) => {
    for (const kind of [...kinds, ...delayed.keys()]) gauge.set({ kind }, delayed.get(kind) ?? 0);
  });
  register("controller_runtime_active_workers", "Keys in progress", ["controller"], (gauge, { active }) => {
    for (const kind of kinds) gauge.set({ controller: kind.toLowerCase() }, 0);
    for (const { key } of active) gauge.inc({ controller: labelsOf(key).controller });
  });
  const most = "Limit of keys in progress, shared by all kinds and accounts";
  register("controller_runtime_max_concurrent_reconciles", most, ["controller"], (gauge) => {
    for (const kind of kinds) gauge.set({ controller: kind.toLowerCase() }, workers);
  });
}

/** controller-runtime gives keys from lists and resyncs the priority -100. */
const priorities = { user: "0", resync: "-100" } as const;

function registerObjects(register: Register<Awaited<ReturnType<MetricSources["objects"]>>>): void {
  const objectLabels: ("kind" | "condition" | "status" | "reason")[] = ["kind", "condition", "status", "reason"];
  register(
    "cloudplatform_objects",
    "Objects by condition; Ready is Unknown before the first reconcile",
    objectLabels,
    (gauge, { conditions }) => {
      for (const { count, ...labels } of conditions) gauge.set(labels, count);
    },
  );
  register(
    "cloudplatform_objects_not_ready",
    "Objects that are not ready, in the 50 namespaces with the most; all further namespaces share an empty label",
    ["object_namespace"],
    (gauge, { notReady }) => {
      const sorted = notReady.toSorted((a, b) => b.count - a.count);
      for (const { namespace, count } of sorted.slice(0, mostNamespaces))
        gauge.set({ object_namespace: namespace }, count);
      for (const { count } of sorted.slice(mostNamespaces)) gauge.inc({ object_namespace: "" }, count);
    },
  );
  register(
    "cloudplatform_uncertain_creates",
    "Objects with a create request of unknown outcome",
    ["kind"],
    (gauge, { uncertainCreates }) => {
      for (const { kind, count } of uncertainCreates) gauge.set({ kind }, count);
    },
  );
  register(
    "cloudplatform_left_to_others",
    "Objects that are not reconciled because another operator manages them",
    ["kind"],
    (gauge, { leftToOthers }) => {
      for (const { kind, count } of leftToOthers) gauge.set({ kind }, count);
    },
  );
  register(
    "cloudplatform_monthly_cost_dollars",
    "Price per month of the cloud objects with a known price, in the 50 namespaces with the highest cost; all further namespaces share an empty label",
    ["object_namespace", "kind"],
    (gauge, { monthlyCosts }) => {
      const totals = new Map<string, number>();
      for (const { namespace, dollars } of monthlyCosts) totals.set(namespace, (totals.get(namespace) ?? 0) + dollars);
      const highest = [...totals].toSorted(([, a], [, b]) => b - a).slice(0, mostNamespaces);
      const named = new Set(highest.map(([namespace]) => namespace));
      for (const { namespace, kind, dollars } of monthlyCosts)
        gauge.inc({ object_namespace: named.has(namespace) ? namespace : "", kind }, dollars);
    },
  );
}

function registerCloud(register: Register<MetricSources>): void {
  register(
    "cloudplatform_snapshot_age_seconds",
    "Seconds since the last read of a list in use, the oldest",
    ["account", "collection"],
    (gauge, sources) => {
      for (const { ageSeconds, ...labels } of sources.snapshots()) gauge.set(labels, ageSeconds);
    },
  );
  register(
    "cloudplatform_guard_age_seconds",
    "Seconds since the last comparison of fields that guard access and that no list shows, the oldest",
    ["account", "collection"],
    (gauge, sources) => {
      for (const { ageSeconds, ...labels } of sources.guards()) gauge.set(labels, ageSeconds);
    },
  );
  register(
    "cloudplatform_event_feed_age_seconds",
    "Seconds since the events of an account were read",
    ["account"],
    (gauge, sources) => {
      for (const { account, ageSeconds } of sources.feeds()) gauge.set({ account }, ageSeconds);
    },
  );
  register(
    "cloudplatform_rate_limit_remaining",
    "Remaining requests of each known rate limit",
    ["account", "limit"],
    (gauge, sources) => {
      for (const { remaining, ...labels } of sources.rateLimits()) gauge.set(labels, remaining);
    },
  );
}

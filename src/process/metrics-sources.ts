import { Gauge } from "@prometheus-io/client";
import type { KeyState, Queue } from "../queue/types.ts";
import type { Named } from "./metrics-named.ts";
import { labelsOf } from "./metrics-reconcile.ts";

/** What is asked at each scrape. A source that throws fails the scrape, so none may. */
export interface MetricSources {
  queue: Pick<Queue, "keys">;
  /** Most keys handled at the same time, of all accounts. */
  workers: number;
  /** How many objects have this status of a condition, for this reason. */
  objects: () => { kind: string; condition: string; status: string; reason: string; count: number }[];
  /** How many objects of a namespace are not ready; of namespaces that have such. */
  notReady: () => { namespace: string; count: number }[];
  /** How many objects of a kind have a creation whose outcome stays unknown. */
  uncertainCreates: () => { kind: string; count: number }[];
  /** How many objects of a kind are not reconciled because another operator manages them. */
  leftToOthers: () => { kind: string; count: number }[];
  /** Seconds since the read of each list in use began. */
  snapshots: () => { account: string; collection: string; ageSeconds: number }[];
  /** Seconds since the comparison of what guards access and no list shows, the oldest of each operation. */
  guards: () => { account: string; collection: string; ageSeconds: number }[];
  /** Seconds since the events of each account were read, where they are. */
  feeds: () => { account: string; ageSeconds: number }[];
  /** What is left of each rate limit that the service told of. */
  rateLimits: () => { account: string; limit: string; remaining: number }[];
}

/** Namespaces come and go as users please: so many are named in one scrape. */
const mostNamespaces = 50;

type Register = <T extends string>(
  name: string,
  help: string,
  labelNames: T[],
  collect: (gauge: Gauge<T>) => void,
) => unknown;

/** Registers a gauge for each source. */
export function registerSources(named: Named, sources: MetricSources, kinds: string[]): void {
  const register: Register = (name, help, labelNames, collect) =>
    new Gauge({
      ...named(name, help),
      labelNames,
      collect() {
        this.reset();
        collect(this);
      },
    });
  registerQueue(register, sources, kinds);
  registerObjects(register, sources);
  registerCloud(register, sources);
}

function registerQueue(register: Register, { queue, workers }: MetricSources, kinds: string[]): void {
  const each = (state: KeyState["state"], count: (key: KeyState) => void): void => {
    for (const key of queue.keys()) if (key.state === state) count(key);
  };
  const both: ("name" | "controller")[] = ["name", "controller"];
  register(
    "workqueue_depth",
    "Keys that are due and wait; priority 0 is what a person waits for",
    [...both, "priority"],
    (gauge) => {
      for (const kind of kinds) for (const priority of ["0", "-100"]) gauge.set({ ...labelsOf(kind), priority }, 0);
      each("ready", ({ key, urgency }) => gauge.inc({ ...labelsOf(key), priority: priorities[urgency] }));
    },
  );
  register("workqueue_unfinished_work_seconds", "Seconds spent so far on the keys being handled", both, (gauge) => {
    for (const kind of kinds) gauge.set(labelsOf(kind), 0);
    each("active", ({ key, ranMs }) => gauge.inc(labelsOf(key), ranMs / 1000));
  });
  register(
    "workqueue_longest_running_processor_seconds",
    "Seconds spent so far on the key handled longest",
    both,
    (gauge) => {
      const longest = new Map<string, number>(kinds.map((kind) => [kind.toLowerCase(), 0]));
      each("active", ({ key, ranMs }) => {
        const { name } = labelsOf(key);
        longest.set(name, Math.max(longest.get(name) ?? 0, ranMs / 1000));
      });
      for (const [name, seconds] of longest) gauge.set({ name, controller: name }, seconds);
    },
  );
  register("cloudplatform_queue_delayed", "Keys that are due later", ["kind"], (gauge) => {
    for (const kind of kinds) gauge.set({ kind }, 0);
    each("delayed", ({ key }) => gauge.inc({ kind: key.split("/")[0] ?? "" }));
  });
  register("controller_runtime_active_workers", "Keys being handled", ["controller"], (gauge) => {
    for (const kind of kinds) gauge.set({ controller: kind.toLowerCase() }, 0);
    each("active", ({ key }) => gauge.inc({ controller: labelsOf(key).controller }));
  });
  const most = "Most keys handled at the same time; all kinds and accounts share them";
  register("controller_runtime_max_concurrent_reconciles", most, ["controller"], (gauge) => {
    for (const kind of kinds) gauge.set({ controller: kind.toLowerCase() }, workers);
  });
}

/** controller-runtime queues what lists and resyncs bring with priority -100. */
const priorities = { user: "0", resync: "-100" } as const;

function registerObjects(register: Register, sources: MetricSources): void {
  const objectLabels: ("kind" | "condition" | "status" | "reason")[] = ["kind", "condition", "status", "reason"];
  register(
    "cloudplatform_objects",
    "Objects by condition, with Ready Unknown for those not reconciled yet",
    objectLabels,
    (gauge) => {
      for (const { count, ...labels } of sources.objects()) gauge.set(labels, count);
    },
  );
  register(
    "cloudplatform_objects_not_ready",
    "Objects that are not ready, of the 50 namespaces with most of them; the others together without a name",
    ["object_namespace"],
    (gauge) => {
      const sorted = sources.notReady().toSorted((a, b) => b.count - a.count);
      for (const { namespace, count } of sorted.slice(0, mostNamespaces))
        gauge.set({ object_namespace: namespace }, count);
      for (const { count } of sorted.slice(mostNamespaces)) gauge.inc({ object_namespace: "" }, count);
    },
  );
  register("cloudplatform_uncertain_creates", "Objects whose creation has an unknown outcome", ["kind"], (gauge) => {
    for (const { kind, count } of sources.uncertainCreates()) gauge.set({ kind }, count);
  });
  register(
    "cloudplatform_left_to_others",
    "Objects that are not reconciled because another operator manages them",
    ["kind"],
    (gauge) => {
      for (const { kind, count } of sources.leftToOthers()) gauge.set({ kind }, count);
    },
  );
}

function registerCloud(register: Register, sources: MetricSources): void {
  register(
    "cloudplatform_snapshot_age_seconds",
    "Seconds since the oldest list of a collection in use was read",
    ["account", "collection"],
    (gauge) => {
      for (const { ageSeconds, ...labels } of sources.snapshots()) gauge.set(labels, ageSeconds);
    },
  );
  register(
    "cloudplatform_guard_age_seconds",
    "Seconds since what guards access and no list shows was compared, the oldest",
    ["account", "collection"],
    (gauge) => {
      for (const { ageSeconds, ...labels } of sources.guards()) gauge.set(labels, ageSeconds);
    },
  );
  register(
    "cloudplatform_event_feed_age_seconds",
    "Seconds since the events of an account were read",
    ["account"],
    (gauge) => {
      for (const { account, ageSeconds } of sources.feeds()) gauge.set({ account }, ageSeconds);
    },
  );
  register(
    "cloudplatform_rate_limit_remaining",
    "Requests left of each rate limit met so far",
    ["account", "limit"],
    (gauge) => {
      for (const { remaining, ...labels } of sources.rateLimits()) gauge.set(labels, remaining);
    },
  );
}

import { Gauge } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";
import type { Queue } from "../queue/types.ts";

/** What is asked at each scrape. A source that throws fails the scrape, so none may. */
export interface MetricSources {
  queue: Pick<Queue, "depth">;
  /** Most keys handled at the same time. */
  workers: number;
  /** How many objects have this status of a condition. */
  objects: () => { kind: string; condition: string; status: string; count: number }[];
  /** How many objects of a kind have a creation whose outcome stays unknown. */
  uncertainCreates: () => { kind: string; count: number }[];
  /** Seconds since the read of each list in use began. */
  snapshots: () => { account: string; collection: string; ageSeconds: number }[];
  /** What is left of each rate limit that the service told of. */
  rateLimits: () => { account: string; limit: string; remaining: number }[];
}

/** The queue is one for all kinds, so its depth has this name. */
const queueName = "all";

/** Registers a gauge for each source. */
export function registerSources(registry: Registry, sources: MetricSources): void {
  const gauge = <T extends string>(name: string, help: string, labelNames: T[], collect: (gauge: Gauge<T>) => void) =>
    new Gauge<T>({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        collect(this);
      },
    });
  gauge("workqueue_depth", "Keys that are due and wait", ["name", "controller"], (each) =>
    each.set({ name: queueName, controller: queueName }, sources.queue.depth().ready),
  );
  gauge("cloudplatform_queue_delayed", "Keys that are due later", [], (each) =>
    each.set(sources.queue.depth().delayed),
  );
  gauge("controller_runtime_active_workers", "Keys being handled", ["controller"], (each) =>
    each.set({ controller: queueName }, sources.queue.depth().active),
  );
  gauge("controller_runtime_max_concurrent_reconciles", "Most keys handled at the same time", ["controller"], (each) =>
    each.set({ controller: queueName }, sources.workers),
  );
  gauge("cloudplatform_objects", "Objects by condition", ["kind", "condition", "status"], (each) => {
    for (const { count, ...labels } of sources.objects()) each.set(labels, count);
  });
  gauge("cloudplatform_uncertain_creates", "Objects whose creation has an unknown outcome", ["kind"], (each) => {
    for (const { kind, count } of sources.uncertainCreates()) each.set({ kind }, count);
  });
  gauge("cloudplatform_snapshot_age_seconds", "Age of each list in use", ["account", "collection"], (each) => {
    for (const { ageSeconds, ...labels } of sources.snapshots()) each.set(labels, ageSeconds);
  });
  gauge("cloudplatform_rate_limit_remaining", "Requests left of a rate limit", ["account", "limit"], (each) => {
    for (const { remaining, ...labels } of sources.rateLimits()) each.set(labels, remaining);
  });
}

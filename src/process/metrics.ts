import { Gauge, Registry } from "@prometheus-io/client";
import { createCloudMetrics } from "./metrics-cloud.ts";
import type { CloudMetrics } from "./metrics-cloud.ts";
import { createClusterMetrics } from "./metrics-cluster.ts";
import type { ClusterMetrics } from "./metrics-cluster.ts";
import { createReconcileMetrics } from "./metrics-reconcile.ts";
import type { ReconcileMetrics } from "./metrics-reconcile.ts";
import { registerProcess } from "./metrics-node.ts";
import { registerSources } from "./metrics-sources.ts";
import type { MetricSources } from "./metrics-sources.ts";

/** Metrics of events as they happen. Each scrape reads the current state from `MetricSources`. */
export interface Metrics extends ReconcileMetrics, CloudMetrics, ClusterMetrics {
  /** Notes whether this process is the leader. */
  leading(leaseName: string, yes: boolean): void;
  /** Returns the page for Prometheus. */
  render(): Promise<{ contentType: string; body: string }>;
}

export interface MetricsOptions {
  /** Called at every scrape; must be cheap. */
  sources: MetricSources;
  /** Every kind, to start its counters at 0. */
  kinds: string[];
  /** Host label of requests to the API server. */
  apiServer: string;
  version: string;
}

/**
 * Creates the metrics of this process. Uses the names, labels and buckets of controller-runtime, to fit its dashboards,
 * and `cloudplatform_…` for further metrics. Labels never contain names of objects. The number of series is limited by
 * the kinds, the API operations and the accounts. docs/observability.md lists the metrics.
 *
 * @param registry an empty registry
 */
export function createMetrics(options: MetricsOptions, registry: Registry = new Registry()): Metrics {
  const { sources, kinds, apiServer, version } = options;
  const named = (name: string, help: string) => ({ name, help, registers: [registry] });
  registerProcess(registry, named);
  const info = named("cloudplatform_build_info", "Always 1, with the version of the program");
  new Gauge({ ...info, labelNames: ["version"] }).set({ version }, 1);
  registerSources(named, sources, kinds);
  const leader = new Gauge({
    ...named("leader_election_master_status", "1 for the leader, 0 for a process that waits for the lease"),
    labelNames: ["name"],
  });
  return {
    ...createReconcileMetrics(named, kinds),
    ...createCloudMetrics(named),
    ...createClusterMetrics(named, apiServer),
    leading: (name, yes) => leader.set({ name }, yes ? 1 : 0),
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}

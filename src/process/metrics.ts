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

/** What happens in the process, told as it happens; what merely is (`MetricSources`) is asked at each scrape. */
export interface Metrics extends ReconcileMetrics, CloudMetrics, ClusterMetrics {
  /** This process became leader, or ceased to be. */
  leading(leaseName: string, yes: boolean): void;
  /** The page for Prometheus. */
  render(): Promise<{ contentType: string; body: string }>;
}

export interface MetricsOptions {
  /** Asked at every scrape; must be cheap. */
  sources: MetricSources;
  /** Every kind, so that its counters exist before anything happened. */
  kinds: string[];
  /** Host label of requests to the API server. */
  apiServer: string;
  /** Of this program. */
  version: string;
}

/**
 * Creates the metrics of this process: controller-runtime's names, labels and buckets where it has some, so that its
 * dashboards work, and `cloudplatform_…` for what is ours. A label never holds the name of an object, and all of them
 * are bounded by the kinds, the operations of the API, and the accounts. docs/observability.md lists them all.
 *
 * @param registry an empty one
 */
export function createMetrics(options: MetricsOptions, registry: Registry = new Registry()): Metrics {
  const { sources, kinds, apiServer, version } = options;
  const named = (name: string, help: string) => ({ name, help, registers: [registry] });
  registerProcess(registry, named);
  const info = named("cloudplatform_build_info", "Always 1, with the version of the program");
  new Gauge({ ...info, labelNames: ["version"] }).set({ version }, 1);
  registerSources(named, sources, kinds);
  const leader = new Gauge({
    ...named("leader_election_master_status", "1 for the process that holds the lease, 0 for one that waits for it"),
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

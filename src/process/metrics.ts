import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { RequestMeasure } from "../api/types.ts";
import type { RequestReport } from "../cluster/transport.ts";
import type { Handled } from "../queue/queue.ts";
import { latencyBuckets, reconcileBuckets, waitBuckets, workBuckets } from "./metric-buckets.ts";
import { registerSources } from "./metric-sources.ts";
import type { MetricSources } from "./metric-sources.ts";

/** What happens in the process, told as it happens; what merely is (`MetricSources`) is asked at each scrape. */
export interface Metrics {
  /** A key was put into the queue. */
  added(key: string): void;
  /** A key was handled. */
  handled(measure: Handled): void;
  /** A request to the cloud came to an end. */
  cloudRequest(measure: RequestMeasure): void;
  /** A request to the API server came to an end. */
  kubeRequest(report: RequestReport): void;
  /** This process became leader, or ceased to be. */
  leading(leaseName: string, yes: boolean): void;
  /** The page for Prometheus. */
  render(): Promise<{ contentType: string; body: string }>;
}

/**
 * Creates the metrics of this process: controller-runtime's names, labels and buckets where it has some, so that its
 * dashboards work, and `cloudplatform_…` for what is ours. `controller` is the kind in lower case.
 *
 * @param sources asked at every scrape; must be cheap
 * @param apiServer host label of requests to the API server
 */
export function createMetrics(sources: MetricSources, apiServer: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerSources(registry, sources);
  const queue = queueMetrics(registry);
  const cloud = cloudMetrics(registry);
  const kube = new Counter({
    ...about("rest_client_requests_total", "Requests to the Kubernetes API server", registry),
    labelNames: ["code", "host", "method"],
  });
  const leader = new Gauge({
    ...about("leader_election_master_status", "1 for the process that leads", registry),
    labelNames: ["name"],
  });
  return {
    ...queue,
    ...cloud,
    kubeRequest: ({ verb, status }) =>
      kube.inc({ code: codeOf(status), host: apiServer, method: methods[verb] ?? "GET" }),
    leading: (name, yes) => leader.set({ name }, yes ? 1 : 0),
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}

/** HTTP methods of the verbs that change something; all others read. */
const methods: Partial<Record<string, string>> = { create: "POST", update: "PUT", patch: "PATCH", delete: "DELETE" };

const results = { done: "success", later: "requeue_after", backoff: "requeue", error: "error" } as const;

function queueMetrics(registry: Registry): Pick<Metrics, "added" | "handled"> {
  const controller = ["controller"] as const;
  const both = ["name", "controller"] as const;
  const named = (name: string, help: string) => about(name, help, registry);
  const total = new Counter({
    ...named("controller_runtime_reconcile_total", "Reconciliations by result"),
    labelNames: ["controller", "result"],
  });
  const errors = new Counter({
    ...named("controller_runtime_reconcile_errors_total", "Reconciliations that failed"),
    labelNames: controller,
  });
  const time = new Histogram({
    ...named("controller_runtime_reconcile_time_seconds", "Length of a reconciliation"),
    labelNames: controller,
    buckets: reconcileBuckets,
  });
  const adds = new Counter({ ...named("workqueue_adds_total", "Keys put into the queue"), labelNames: both });
  const retries = new Counter({ ...named("workqueue_retries_total", "Keys tried again"), labelNames: both });
  const waited = new Histogram({
    ...named("workqueue_queue_duration_seconds", "From the time a key was due until it was taken"),
    labelNames: both,
    buckets: workBuckets,
  });
  const worked = new Histogram({
    ...named("workqueue_work_duration_seconds", "Length of handling a key"),
    labelNames: both,
    buckets: workBuckets,
  });
  return {
    added(key) {
      adds.inc(queueLabels(key));
    },
    handled({ key, waitedMs, ranMs, outcome }) {
      const labels = queueLabels(key);
      const kind = { controller: labels.controller };
      total.inc({ ...kind, result: results[outcome] });
      time.observe(kind, ranMs / 1000);
      waited.observe(labels, waitedMs / 1000);
      worked.observe(labels, ranMs / 1000);
      if (outcome === "error") errors.inc(kind);
      if (outcome === "error" || outcome === "backoff") retries.inc(labels);
    },
  };
}

function cloudMetrics(registry: Registry): Pick<Metrics, "cloudRequest"> {
  const operation = ["operation"] as const;
  const requests = new Counter({
    ...about("cloudplatform_api_requests_total", "Requests to the cloud; code 0: no answer came", registry),
    labelNames: ["operation", "code"],
  });
  const durations = new Histogram({
    ...about("cloudplatform_api_request_duration_seconds", "From leaving to the end of the answer", registry),
    labelNames: operation,
    buckets: latencyBuckets,
  });
  const held = new Histogram({
    ...about("cloudplatform_rate_limit_wait_seconds", "Held back by the rate limit before leaving", registry),
    labelNames: operation,
    buckets: waitBuckets,
  });
  return {
    cloudRequest({ operation: name, status, ms, heldMs }) {
      requests.inc({ operation: name, code: codeOf(status) });
      durations.observe({ operation: name }, ms / 1000);
      held.observe({ operation: name }, heldMs / 1000);
    },
  };
}

function queueLabels(key: string): { name: string; controller: string } {
  const controller = (key.split("/")[0] ?? "").toLowerCase();
  return { name: controller, controller };
}

const codeOf = (status: number | undefined): string => String(status ?? 0);

function about(name: string, help: string, registry: Registry): { name: string; help: string; registers: Registry[] } {
  return { name, help, registers: [registry] };
}

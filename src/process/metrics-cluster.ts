import { Histogram } from "@prometheus-io/client";
import type { DropReason } from "../cluster/events.ts";
import type { RequestReport } from "../cluster/transport.ts";
import { counterOf } from "./metrics-named.ts";
import type { Named } from "./metrics-named.ts";
import { restBuckets } from "./metrics-buckets.ts";

export interface ClusterMetrics {
  kubeRequest(report: RequestReport): void;
  eventDropped(why: DropReason): void;
}

/** HTTP methods of verbs that change objects. Other verbs read. */
const methods: Partial<Record<string, string>> = { create: "POST", patch: "PATCH", delete: "DELETE" };

/** Creates the metrics of requests to the API server, like client-go, and of writes. */
export function createClusterMetrics(named: Named, apiServer: string): ClusterMetrics {
  const requests = counterOf(
    named,
    "rest_client_requests_total",
    "Requests to the Kubernetes API server; code <error> means no response",
    ["code", "host", "method"],
  );
  const durations = new Histogram({
    ...named(
      "rest_client_request_duration_seconds",
      "Length of requests to the Kubernetes API server in seconds, without watches",
    ),
    labelNames: ["verb", "host"],
    buckets: restBuckets,
  });
  const writes = counterOf(named, "cloudplatform_kubernetes_writes_total", "Writes that the API server accepted", [
    "resource",
    "verb",
  ]);
  const dropped = counterOf(
    named,
    "cloudplatform_events_dropped_total",
    "Dropped events about objects: above the rate, with a full queue, or after an error",
    ["reason"],
  );
  for (const reason of ["rate", "queue", "error"]) dropped.inc({ reason }, 0);
  return {
    kubeRequest({ verb, resource, status, durationMs }) {
      const { name, target, method } = describeRequest(verb, resource);
      requests.inc({ code: status === undefined ? "<error>" : String(status), host: apiServer, method });
      if (name !== "watch") durations.observe({ verb: method, host: apiServer }, durationMs / 1000);
      if (method !== "GET" && status !== undefined && status < 400) writes.inc({ resource: target, verb: name });
    },
    eventDropped: (reason) => dropped.inc({ reason }),
  };
}

/** Describes a request like the audit log: `patch-status` of `sshkeys` is a `patch` of `sshkeys/status`. */
export function describeRequest(verb: string, resource: string): { name: string; target: string; method: string } {
  const [name = "", subresource] = verb.split("-");
  const target = subresource === undefined ? resource : `${resource}/${subresource}`;
  return { name, target, method: methods[name] ?? "GET" };
}

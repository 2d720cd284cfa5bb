import { Histogram } from "@prometheus-io/client";
import type { RequestMeasure } from "../api/types.ts";
import { counterOf } from "./metrics-named.ts";
import type { Named } from "./metrics-named.ts";
import { latencyBuckets, waitBuckets } from "./metrics-buckets.ts";

export interface CloudMetrics {
  cloudRequest(measure: RequestMeasure): void;
  /** Counts a request that was not sent because the rate limit is used up. */
  heldBack(operation: string): void;
}

/** Creates the metrics of requests to the cloud by operation: method and path with identifiers replaced. */
export function createCloudMetrics(named: Named): CloudMetrics {
  const operation: "operation"[] = ["operation"];
  const requests = counterOf(
    named,
    "cloudplatform_api_requests_total",
    "Requests to the cloud; code 0 means no response",
    ["operation", "code"],
  );
  const durations = new Histogram({
    ...named("cloudplatform_api_request_duration_seconds", "Seconds from sending a request to the end of the response"),
    labelNames: operation,
    buckets: latencyBuckets,
  });
  const held = new Histogram({
    ...named("cloudplatform_rate_limit_wait_seconds", "Seconds that requests waited for the rate limit"),
    labelNames: operation,
    buckets: waitBuckets,
  });
  const refused = counterOf(
    named,
    "cloudplatform_rate_limit_refused_total",
    "Requests not sent because the rate limit was used up",
    operation,
  );
  return {
    cloudRequest({ operation: name, status, ms, heldMs }) {
      requests.inc({ operation: name, code: String(status ?? 0) });
      durations.observe({ operation: name }, ms / 1000);
      held.observe({ operation: name }, heldMs / 1000);
    },
    heldBack: (name) => refused.inc({ operation: name }),
  };
}

import { monitorEventLoopDelay } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";
import type { Named } from "./metrics-named.ts";

/** Metrics of every Node.js process to whose names Prometheus' linter objects; others say the same. */
const misnamed = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
  "nodejs_eventloop_utilization_histogram",
  "nodejs_eventloop_utilization_summary",
];

/** The longest interval of a timer: one that is never met. */
const never = 2 ** 31 - 1;

/**
 * What the library reports of every Node.js process.
 *
 * It wakes the process 110 times a second to sample the event loop, which was four fifths of the CPU of an idle operator. The loop's
 * delay is taken here once an iteration instead, which wakes nothing and misses no stall.
 */
export function registerProcess(registry: Registry, named: Named): void {
  collectDefaultMetrics({
    register: registry,
    eventLoopMonitoringPrecision: never,
    eventLoopUtilizationTimeout: never,
  });
  for (const name of [...misnamed, lag("_seconds"), ...delays.map(([which]) => lag(which))])
    registry.removeSingleMetric(name);
  registerLag(named);
}

const lag = (which: string): string => `nodejs_eventloop_lag${which}`;

const delays: [which: string, help: string, of: (delay: ReturnType<typeof monitorEventLoopDelay>) => number][] = [
  ["_max_seconds", "The maximum recorded event loop delay.", ({ max }) => max],
  ["_mean_seconds", "The mean of the recorded event loop delays.", ({ mean }) => mean],
  ["_min_seconds", "The minimum recorded event loop delay.", ({ min }) => min],
  ["_p50_seconds", "The 50th percentile of the recorded event loop delays.", (delay) => delay.percentile(50)],
  ["_p90_seconds", "The 90th percentile of the recorded event loop delays.", (delay) => delay.percentile(90)],
  ["_p99_seconds", "The 99th percentile of the recorded event loop delays.", (delay) => delay.percentile(99)],
  ["_stddev_seconds", "The standard deviation of the recorded event loop delays.", ({ stddev }) => stddev],
];

/** Each scrape shows the delays since the one before, and how long it was itself kept waiting. */
function registerLag(named: Named): void {
  const delay = monitorEventLoopDelay({ samplePerIteration: true });
  delay.enable();
  // It is collected first, so it is what sets the others, too.
  const own: Gauge = new Gauge({
    ...named(lag("_seconds"), "Lag of event loop in seconds."),
    async collect() {
      for (const { gauge, of } of gauges) gauge.set(delay.count === 0 ? 0 : of(delay) / 1e9);
      delay.reset();
      const began = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
      own.set((performance.now() - began) / 1000);
    },
  });
  const gauges = delays.map(([which, help, of]) => ({ gauge: new Gauge(named(lag(which), help)), of }));
}

import type { RecordableHistogram } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";
import type { Named } from "./metrics-named.ts";
import { measureTurns } from "./turns.ts";

/** Default metrics whose names fail the Prometheus linter. Other metrics have the same values. */
const misnamed = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
  "nodejs_eventloop_utilization_histogram",
  "nodejs_eventloop_utilization_summary",
];

/** The longest interval of a timer, to disable sampling. */
const never = 2 ** 31 - 1;

/**
 * Registers the default Node.js metrics, with a custom measure of the event loop.
 *
 * The library samples the event loop 110 times a second. The samples took four fifths of the CPU of an idle operator,
 * and missed stalls in callbacks of sockets.
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

const delays: [which: string, help: string, of: (lengths: RecordableHistogram) => number][] = [
  ["_max_seconds", "The longest turn of the event loop since the last scrape.", ({ max }) => max],
  ["_mean_seconds", "The mean length of a turn of the event loop since the last scrape.", ({ mean }) => mean],
  ["_min_seconds", "The shortest turn of the event loop since the last scrape.", ({ min }) => min],
  ["_p50_seconds", "The 50th percentile of the turns of the event loop.", (lengths) => lengths.percentile(50)],
  ["_p90_seconds", "The 90th percentile of the turns of the event loop.", (lengths) => lengths.percentile(90)],
  ["_p99_seconds", "The 99th percentile of the turns of the event loop.", (lengths) => lengths.percentile(99)],
  ["_stddev_seconds", "The standard deviation of the turns of the event loop.", ({ stddev }) => stddev],
];

/**
 * Registers the lag. Each scrape shows the turns since the last scrape, and how long the scrape waited for its turn.
 */
function registerLag(named: Named): void {
  const turns = measureTurns();
  // The library collects this gauge first, so this gauge also sets the rest.
  const own: Gauge = new Gauge({
    ...named(lag("_seconds"), "Lag of event loop in seconds."),
    async collect() {
      turns.record();
      for (const { gauge, of } of gauges) gauge.set(turns.lengths.count === 0 ? 0 : of(turns.lengths) / 1e9);
      turns.lengths.reset();
      const began = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
      own.set((performance.now() - began) / 1000);
    },
  });
  const gauges = delays.map(([which, help, of]) => ({ gauge: new Gauge(named(lag(which), help)), of }));
}

import { Histogram } from "@prometheus-io/client";
import type { Handled } from "../queue/queue.ts";
import { counterOf } from "./metrics-named.ts";
import type { Named } from "./metrics-named.ts";
import { reconcileBuckets, workBuckets } from "./metrics-buckets.ts";

export interface ReconcileMetrics {
  /** Counts a key that begins to wait in the queue. */
  added(key: string): void;
  handled(measure: Handled): void;
  drifted(kind: string, what: "detected" | "corrected"): void;
  /** Counts a cloud object left behind by an object without a finalizer. */
  leftBehind(kind: string): void;
}

const results = { done: "success", later: "requeue_after", backoff: "requeue" } as const;

/**
 * Creates metrics of reconciles and of the queue, named like controller-runtime's. All kinds share one queue; the
 * metrics show each kind as a controller with a separate queue.
 */
export function createReconcileMetrics(named: Named, kinds: string[]): ReconcileMetrics {
  const looks = lookMetrics(named);
  const queue = queueMetrics(named);
  const drift = driftMetrics(named);
  const left = counterOf(
    named,
    "cloudplatform_left_behind_total",
    "Cloud objects that stay because a user removed the finalizer of their object",
    ["kind"],
  );
  for (const kind of kinds) {
    looks.begin({ controller: kind.toLowerCase() });
    queue.begin(labelsOf(kind));
    drift.begin({ kind });
    left.inc({ kind }, 0);
  }
  return {
    added: (key) => queue.adds.inc(labelsOf(key)),
    handled(measure) {
      looks.handled(measure);
      queue.handled(measure);
    },
    drifted: (kind, what) => drift[what].inc({ kind }),
    leftBehind: (kind) => left.inc({ kind }),
  };
}

function lookMetrics(named: Named) {
  const counter = (name: string, help: string) => counterOf(named, name, help, ["controller"]);
  const total = counterOf(named, "controller_runtime_reconcile_total", "Reconciliations by result", [
    "controller",
    "result",
  ]);
  const errors = counter("controller_runtime_reconcile_errors_total", "Reconciliations that failed");
  const terminal = counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Failed reconciliations that only a change of a spec, a Secret or a grant can resolve",
  );
  const panics = counter(
    "controller_runtime_reconcile_panics_total",
    "Reconciliations that failed because of a bug in the operator",
  );
  const time = new Histogram({
    ...named("controller_runtime_reconcile_time_seconds", "Length of a reconciliation in seconds"),
    labelNames: ["controller"],
    buckets: reconcileBuckets,
  });
  return {
    /** Starts the counters at 0, like controller-runtime. Prometheus computes no rate for an absent counter. */
    begin(labels: { controller: string }) {
      for (const result of ["success", "error", "requeue", "requeue_after"]) total.inc({ ...labels, result }, 0);
      for (const each of [errors, terminal, panics]) each.inc(labels, 0);
    },
    handled({ key, ranMs, outcome, failed }: Handled) {
      const { controller } = labelsOf(key);
      total.inc({ controller, result: failed === undefined ? results[outcome] : "error" });
      time.observe({ controller }, ranMs / 1000);
      if (failed !== undefined) errors.inc({ controller });
      if (failed === "lasting") terminal.inc({ controller });
      if (failed === "unexpected") panics.inc({ controller });
    },
  };
}

function queueMetrics(named: Named) {
  const both: ("name" | "controller")[] = ["name", "controller"];
  const adds = counterOf(named, "workqueue_adds_total", "Keys put into the queue", both);
  const retries = counterOf(
    named,
    "workqueue_retries_total",
    "Keys put into the queue again after a reconcile, due later",
    both,
  );
  const histogram = (name: string, help: string) =>
    new Histogram({ ...named(name, help), labelNames: both, buckets: workBuckets });
  const waited = histogram(
    "workqueue_queue_duration_seconds",
    "Seconds from the due time of a key until a worker took the key",
  );
  const worked = histogram("workqueue_work_duration_seconds", "Length of the work on a key in seconds");
  return {
    adds,
    begin(labels: { name: string; controller: string }) {
      adds.inc(labels, 0);
      retries.inc(labels, 0);
    },
    handled({ key, waitedMs, ranMs, outcome }: Handled) {
      const labels = labelsOf(key);
      waited.observe(labels, waitedMs / 1000);
      worked.observe(labels, ranMs / 1000);
      if (outcome !== "done") retries.inc(labels);
    },
  };
}

function driftMetrics(named: Named) {
  const counter = (name: string, help: string) => counterOf(named, name, help, ["kind"]);
  const detected = counter(
    "cloudplatform_drift_detected_total",
    "Cloud objects that another client changed or deleted",
  );
  const corrected = counter(
    "cloudplatform_drift_corrected_total",
    "Cloud objects that the operator changed back to their spec",
  );
  const begin = (labels: { kind: string }): void => [detected, corrected].forEach((each) => each.inc(labels, 0));
  return { detected, corrected, begin };
}

/** Returns the labels of a key. controller-runtime names controller and queue by the kind in lower case. */
export function labelsOf(key: string): { name: string; controller: string } {
  const controller = kindOf(key).toLowerCase();
  return { name: controller, controller };
}

/** Returns the kind of a key, or of a text without a slash. */
export function kindOf(key: string): string {
  const end = key.indexOf("/");
  return end === -1 ? key : key.slice(0, end);
}

/** controller-runtime's buckets of `controller_runtime_reconcile_time_seconds` (pkg/internal/controller/metrics). */
export const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** controller-runtime's buckets of the work queue's durations: tenfold from 10 ns, twelve of them. */
export const workBuckets = Array.from({ length: 12 }, (_, index) => Number(`1e${index - 8}`));

/** controller-runtime's buckets of `rest_client_request_duration_seconds` (pkg/metrics). */
export const restBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** Latency of an HTTP API: from a few milliseconds to a slow create. */
export const latencyBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Waits for a rate limit: from zero to the longest wait of a request. */
export const waitBuckets = [0.001, 0.1, 0.5, 1, 2.5, 5, 10];

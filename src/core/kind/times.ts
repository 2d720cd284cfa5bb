/**
 * Times of the core, in milliseconds. This table has all named times, except the settings in `Environment`: the poll interval,
 * the resync interval, and the time in which a request without a response can still take effect.
 */
export const times = {
  /** Requests within this time share one read. Before a request, the operator repeats an older read. */
  fresh: 100,
  /** A write becomes visible, or a user applies two objects that belong together. */
  soon: 2_000,
  /** A job of the cloud that takes seconds has ended, or a busy cloud object accepts a change. */
  short: 5_000,
  /** `kubectl apply` or a GitOps tool has applied all objects of a directory. */
  apply: 10_000,
  /** A state that ends without a watch event can have ended. Later attempts follow with backoff. */
  again: 30_000,
  /** A list, a cache and the conditions of an object are current. A shorter state gets no message. */
  quiet: 60_000,
  /** The longest backoff. */
  longest: 300_000,
  /** The API server keeps the history of watches. Kubernetes repeats an event. */
  history: 600_000,
  /** A catalog of the cloud does not change. */
  hour: 3_600_000,
  /** The operator sends an ineffective update again. */
  day: 86_400_000,
} as const;

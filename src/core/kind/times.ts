/**
 * The times of the core, milliseconds. The core has no other named times, except the settings in `Environment` (poll, resync, and the
 * time in which a request without a response can still take effect).
 */
export const times = {
  /** One read serves all requests of this time. A fact that is older is read again before a request leaves. */
  fresh: 100,
  /** A write becomes visible, or a user applies two objects that belong together. */
  soon: 2_000,
  /** A job of the cloud that takes seconds has ended, or a busy cloud object accepts a change. */
  short: 5_000,
  /** `kubectl apply` or a GitOps tool has applied all objects of a directory. */
  apply: 10_000,
  /** A state that ends without a watch event can have ended. Later attempts follow with backoff. */
  again: 30_000,
  /** A list of the cloud, a cache of the operator and the condition of an object are up to date. A shorter state gets no message. */
  quiet: 60_000,
  /** The longest backoff. */
  longest: 300_000,
  /** The API server keeps the history of watches. An event of Kubernetes is repeated. */
  history: 600_000,
  /** A catalog of the cloud stays the same. */
  hour: 3_600_000,
  /** The operator sends an ineffective update again. */
  day: 86_400_000,
} as const;

/** Result of a handler: finished, reconcile again after a time, or retry with backoff. */
export type Outcome =
  | { type: "done" }
  | { type: "later"; afterMs: number; failed?: Failure }
  /** `firstMs`: the first delay, milliseconds. The delay grows while `firstMs` stays equal. Default: one second. */
  | { type: "backoff"; firstMs?: number; failed?: Failure };

/** `passing`: time may resolve it. `lasting`: only a change resolves it. `unexpected`: a bug. For metrics only. */
export type Failure = "passing" | "lasting" | "unexpected";

/** `user`: a user changed the object and waits. `resync`: initial lists, polls and periodic passes. */
export type Urgency = "user" | "resync";

/** The place of a key in the queue. Tenants take turns, and the lanes of one tenant take turns. */
export interface Place {
  tenant: string;
  lane: string;
}

/** A delay queue of deduplicated keys. The earliest time wins, and no key runs twice at the same time. */
export interface Queue {
  /** Adds a key, due after `afterMs` milliseconds (default 0). Keeps the earlier time and the higher urgency. */
  add(key: string, options?: { afterMs?: number; urgency?: Urgency }): void;
  /** Forgets the failures of a key: the next backoff starts small. */
  reset(key: string): void;
  /** Starts handlers. Until then, added keys wait. */
  start(): void;
  /** Accepts no further keys. Resolves when the running handlers have ended. */
  stop(): Promise<void>;
  /** Returns figures for metrics: due keys, keys with a later time, and keys in a handler. */
  depth(): { ready: number; delayed: number; active: number };
  /** Yields every key with its state, for metrics. */
  keys(): Iterable<KeyState>;
}

export interface KeyState {
  key: string;
  /** Waits for a worker, has a later time, or runs in a handler. */
  state: "ready" | "delayed" | "active";
  urgency: Urgency;
  /** Milliseconds since the handler started; 0 without a running handler. */
  ranMs: number;
}

/** What came of handling a key: nothing more to do, reconcile again after a time, or try again with growing delay. */
export type Outcome =
  | { type: "done" }
  | { type: "later"; afterMs: number; failed?: Failure }
  /** `firstMs`: the delay to begin with, milliseconds; it grows as long as the same one is named. Default: one second. */
  | { type: "backoff"; firstMs?: number; failed?: Failure };

/** A failure that time may mend, one that only a change mends, or a fault of the program; for metrics alone. */
export type Failure = "passing" | "lasting" | "unexpected";

/** `user`: somebody changed the object and waits for it. `resync`: initial lists, sweeps and periodic passes. */
export type Urgency = "user" | "resync";

/** The place of a key in the queue. Tenants take turns, and the lanes of one tenant take turns. */
export interface Place {
  tenant: string;
  lane: string;
}

/** A delay queue of keys: deduplicated, earliest time wins, the same key never handled twice at once. */
export interface Queue {
  /** Adds a key, due after `afterMs` milliseconds (default 0). A key already waiting keeps the earlier time and the higher urgency. */
  add(key: string, options?: { afterMs?: number; urgency?: Urgency }): void;
  /** Forgets the failures that a key had, so that its next backoff starts small. */
  reset(key: string): void;
  /** Begins handling; keys added before are held until then. */
  start(): void;
  /** Takes no more keys and resolves when the running ones have ended. */
  stop(): Promise<void>;
  /** Figures for metrics: waiting keys that are due, keys with a later time, keys being handled. */
  depth(): { ready: number; delayed: number; active: number };
  /** Every key with what becomes of it, for metrics. */
  keys(): Iterable<KeyState>;
}

export interface KeyState {
  key: string;
  /** Due and waiting for a worker, due later, or being handled. */
  state: "ready" | "delayed" | "active";
  urgency: Urgency;
  /** Milliseconds that it has been handled so far; 0 for others. */
  ranMs: number;
}

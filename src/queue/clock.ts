/** The time of the program. Callers receive the clock as a parameter: a test moves the time. */
export interface Clock {
  /** Returns monotonic milliseconds since an arbitrary start. */
  now(): number;
  /** Returns wall-clock time, for timestamps that users or the API server read. */
  date(): Date;
  /** Calls back once after `ms` milliseconds; the returned function cancels. */
  schedule(ms: number, callback: () => void): () => void;
  /** Resolves after waiting callbacks have run. A loop over thousands of items awaits a turn every few milliseconds. */
  turn(): Promise<void>;
}

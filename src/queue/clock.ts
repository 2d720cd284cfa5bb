/** Time as the program sees it: handed in everywhere, so that a test can move it. */
export interface Clock {
  /** Monotonic milliseconds since an arbitrary start; never runs backwards. */
  now(): number;
  /** Wall-clock time, for timestamps that people or the API server read. */
  date(): Date;
  /** Calls back once after `ms` milliseconds; the returned function cancels. */
  schedule(ms: number, callback: () => void): () => void;
  /** Resolves once what else waits had its turn: what goes through thousands awaits it every few milliseconds. */
  turn(): Promise<void>;
}

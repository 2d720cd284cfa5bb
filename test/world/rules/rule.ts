/** One thing that the real side does and the world must do, too: a script, and what it comes to on both. */
export interface Rule<Side> {
  /** Reads as a sentence. */
  rule: string;
  /** What would go wrong in the operator, or unseen in its tests, if the world did otherwise. */
  why: string;
  run: (side: Side) => Promise<unknown>;
  gives: unknown;
}

import type { CloudClient } from "../../api/types.ts";

export interface Refusal {
  /** See `Outgoing`. */
  digest: string;
  /** The client of the token: a rotated token has a new client. */
  by: WeakRef<CloudClient>;
  generation: number | undefined;
  /** Clock milliseconds of the last refusal. */
  at: number;
  /** Clock milliseconds of the first refusal of the same request. */
  firstAt: number;
  /** Refusals of the same request in a row. */
  times: number;
  pauseMs: number;
  error: unknown;
  /** See watch/changes.ts. */
  subjects: readonly string[];
}

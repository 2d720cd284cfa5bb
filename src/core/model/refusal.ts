import type { CloudClient } from "../../api/types.ts";

/** A request that the cloud API refused. */
export interface Refusal {
  /** See `Outgoing`. */
  digest: string;
  /** The client of the token: a rotated token has a new client. */
  by: WeakRef<CloudClient>;
  /** Generation of the spec behind the request. */
  generation: number | undefined;
  /** Clock milliseconds of the last refusal. */
  at: number;
  /** Clock milliseconds of the first refusal of the same request. */
  firstAt: number;
  /** Refusals of the same request in a row. */
  times: number;
  /** Time until the next attempt, milliseconds. */
  pauseMs: number;
  error: unknown;
  /** See watch/changes.ts. */
  subjects: readonly string[];
}

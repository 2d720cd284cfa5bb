/** The only decision about the outcome of a request that must not run twice: a creation, a destructive change or an action. */

/** The evidence about a request without a recorded outcome. */
export interface Evidence {
  /**
   * What the cloud shows.
   *
   * - `result`: the result of the request, and nothing else can be the result.
   * - `failure`: the end of the request without a result.
   * - `unclear`: possible results, of which only a user can choose one, or none.
   * - `near`: a possible result that differs from the request. The result itself can still appear.
   */
  shown: "result" | "failure" | "unclear" | "near" | "nothing";
  /** The request did not leave, or the cloud API refused it. */
  hadNoEffect: boolean;
  /** Time in which the request can still take effect, milliseconds. */
  leftMs: number;
  /** A user permits a second request. */
  isAllowedAgain: boolean;
  /** A second request does no harm. */
  isRepeatable: boolean;
}

/**
 * - `done`, `failed`: the request ended.
 * - `nothing`: the request had no effect that matters. The operator may send it again.
 * - `pending`: the request can still take effect. The operator waits.
 * - `uncertain`: a user must decide.
 */
export type Settlement = "done" | "failed" | "nothing" | "pending" | "uncertain";

export function settle({ shown, hadNoEffect, leftMs, isAllowedAgain, isRepeatable }: Evidence): Settlement {
  if (shown === "result") return "done";
  if (shown === "failure") return "failed";
  if (shown === "unclear") return isAllowedAgain && leftMs <= 0 ? "nothing" : "uncertain";
  if (hadNoEffect) return "nothing";
  if (leftMs > 0) return "pending";
  if (isAllowedAgain) return "nothing";
  return isRepeatable && shown !== "near" ? "nothing" : "uncertain";
}

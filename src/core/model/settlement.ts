/** Decides the outcome of a request that must not run twice: a creation, a destructive change or an action. */

/** The evidence about a request without a recorded outcome. */
export interface Evidence {
  /**
   * The state of the cloud:
   *
   * - `result`: the only possible result of the request.
   * - `failure`: the end of the request without a result.
   * - `unclear`: several possible results. A user must choose a result, or reject all.
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
 * - `nothing`: the request had no relevant effect. The operator may send the request again.
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

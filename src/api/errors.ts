/** One entry of an error body (part 1, section 7). `field` is a dotted path, or null without a field. */
export interface FieldError {
  field: string | null;
  reason: string;
}

interface Details {
  method: string;
  path: string;
  status?: number;
  errors?: FieldError[];
  retryAfterMs?: number;
  outcome: "refused" | "ambiguous";
  cause?: unknown;
}

/**
 * A call that did not succeed.
 *
 * `outcome` matters for a mutating call. `refused`: the cloud did not apply the call. The API answered with a 4xx other
 * than 408, or the client made no connection. `ambiguous`: the cloud may have applied the call (reset, timeout, 408,
 * 5xx, a response without JSON, shutdown).
 */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly method: string;
  readonly path: string;
  /** Undefined without a response. */
  readonly status: number | undefined;
  /** Reasons from the body; empty if the body has no reason. */
  readonly errors: FieldError[];
  readonly retryAfterMs: number | undefined;
  readonly outcome: "refused" | "ambiguous";
  /** The failure as a predicate of the request, for messages to users, such as `got status 502`. Contains no path. */
  readonly what: string;
  /** Name of the change for messages to users, such as `Resize`. Undefined for a read. */
  action: string | undefined;

  constructor(what: string, details: Details) {
    super(`${details.method} ${details.path} ${what}`, details.cause === undefined ? {} : { cause: details.cause });
    this.what = what;
    this.method = details.method;
    this.path = details.path;
    this.status = details.status;
    this.errors = details.errors ?? [];
    this.retryAfterMs = details.retryAfterMs;
    this.outcome = details.outcome;
  }
}

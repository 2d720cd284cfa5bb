/** One entry of the API's error body (part 1, section 7). `field` is a dotted path, null when not tied to an element. */
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
 * `outcome` is what matters for a mutating call: `refused` means the cloud certainly did not apply it (an error answer
 * of class 4xx other than 408, or a connection that was never made); `ambiguous` means it may have been applied
 * (reset, timeout, 408, 5xx, an answer that is no JSON, shutdown).
 */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly method: string;
  readonly path: string;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  /** The API's own reasons; empty when the body had none. */
  readonly errors: FieldError[];
  readonly retryAfterMs: number | undefined;
  readonly outcome: "refused" | "ambiguous";

  constructor(message: string, details: Details) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.method = details.method;
    this.path = details.path;
    this.status = details.status;
    this.errors = details.errors ?? [];
    this.retryAfterMs = details.retryAfterMs;
    this.outcome = details.outcome;
  }
}

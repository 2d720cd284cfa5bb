import { shownOf } from "./refusal.ts";
import type { Called } from "./refusal.ts";

interface Details {
  status?: number;
  reason?: string;
  retryAfterMs?: number;
  /** `reason` of each cause in the details of the Status. */
  causes?: string[];
  sent?: boolean;
  cause?: unknown;
}

/**
 * A call to the Kubernetes API that did not succeed.
 *
 * `message` is the text of the API server's `Status` object, except for writes of Secrets. Without `status`, no
 * response arrived, and the API server may have applied a mutating call, unless `sent` is false.
 */
export class KubeError extends Error {
  override readonly name = "KubeError";
  /** HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** `reason` of the Status object (`NotFound`, `Conflict`, …), or `Timeout`, `ConnectionFailed`, `Aborted`. */
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  readonly causes: readonly string[];
  /** False if the request was certainly not sent, because no connection was made. */
  readonly sent: boolean;

  constructor(message: string, details: Details) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.status = details.status;
    this.reason = details.reason ?? "Unknown";
    this.retryAfterMs = details.retryAfterMs;
    this.causes = details.causes ?? [];
    this.sent = details.sent ?? true;
  }

  get notFound(): boolean {
    return this.status === 404;
  }

  /** True for a stale resourceVersion or a failed precondition, but not for a create of an existing object. */
  get conflict(): boolean {
    return this.status === 409 && !this.alreadyExists;
  }

  get alreadyExists(): boolean {
    return this.status === 409 && this.reason === "AlreadyExists";
  }

  /** True for a resourceVersion that is compacted (410) or lies in the future. The caller must list again. */
  get stale(): boolean {
    return this.status === 410 || this.fromTheFuture;
  }

  /** True if the API server has not reached the resourceVersion. */
  get fromTheFuture(): boolean {
    return this.causes.includes("ResourceVersionTooLarge");
  }
}

/**
 * Returns the error for a `Status` object, or any other body, with an error status. For a write of a Secret, the error
 * shows no text of a policy or a webhook: the text can quote the Secret.
 */
export function errorFromStatus(call: Called, status: number, body: string, retryAfterMs?: number): KubeError {
  const parsed = parseStatus(body);
  const { message, ...shown } = shownOf(call, status, {
    message: parsed.message ?? (body.trim().slice(0, 200) || "no message"),
    reason: parsed.reason ?? `HTTP${status}`,
    causes: parsed.causes ?? [],
  });
  return new KubeError(message, { status, ...shown, ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

function parseStatus(body: string): { message?: string; reason?: string; causes?: string[] } {
  try {
    const value = JSON.parse(body) as {
      message?: unknown;
      reason?: unknown;
      details?: { causes?: { reason?: string }[] };
    };
    const causes = value.details?.causes?.map((cause) => cause.reason ?? "");
    return {
      ...(isText(value.message) ? { message: value.message } : {}),
      ...(isText(value.reason) ? { reason: value.reason } : {}),
      ...(causes === undefined ? {} : { causes }),
    };
  } catch {
    return {};
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

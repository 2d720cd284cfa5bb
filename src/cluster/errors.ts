import { shownOf } from "./refusal.ts";
import type { Called } from "./refusal.ts";

interface Details {
  status?: number;
  reason?: string;
  retryAfterMs?: number;
  /** `reason` of each cause in the Status's details. */
  causes?: string[];
  sent?: boolean;
  cause?: unknown;
}

/**
 * A call to the Kubernetes API that did not succeed.
 *
 * `message` is the text of the API server's `Status` object where it sent one, except for writes of Secrets. Without `status` no
 * answer came, and a mutating call may have been applied, unless `sent` is false.
 */
export class KubeError extends Error {
  override readonly name = "KubeError";
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  /** `reason` of the Status object (`NotFound`, `Conflict`, …), or `Timeout`, `ConnectionFailed`, `Aborted` of our own. */
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  readonly causes: readonly string[];
  /** False when the request certainly never left: the connection was not made. */
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

  /** A stale resourceVersion or a failed precondition; a create of what exists is `alreadyExists` instead. */
  get conflict(): boolean {
    return this.status === 409 && !this.alreadyExists;
  }

  get alreadyExists(): boolean {
    return this.status === 409 && this.reason === "AlreadyExists";
  }

  /** The resourceVersion asked for is compacted away (410), or not reached yet because etcd was restored: list again. */
  get stale(): boolean {
    return this.status === 410 || this.fromTheFuture;
  }

  /** The API server has not reached the resourceVersion asked for, nor will it soon. */
  get fromTheFuture(): boolean {
    return this.causes.includes("ResourceVersionTooLarge");
  }
}

/**
 * Returns the error for a `Status` object (or any other body) that came with an error status. For a write of a Secret, the error
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

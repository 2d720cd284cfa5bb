/**
 * What can come of a reconcile, and the one place that decides what an error means.
 *
 * A kind and the flow throw `Waiting`, `Invalid` or `Stalled`; the rooms below throw their typed errors; `verdictOf`
 * folds all of them into a verdict, which status, events and the queue follow from.
 */
import type { HttpError } from "../../api/errors.ts";
import type { KubeError } from "../../cluster/errors.ts";
import type { UnreadableRow } from "../../observe/unreadable-row.ts";
import type { Failure, Outcome } from "../../queue/types.ts";
import type { Reason } from "./reasons.ts";
import { times } from "./times.ts";

/** Not yet, and nothing is wrong: reconciled again after `afterMs`, or with growing delay where it is not given. */
export class Waiting extends Error {
  override readonly name = "Waiting";
  readonly reason: Reason;
  readonly afterMs: number | undefined;
  /** It says nothing about the object itself: one that is settled keeps what was last seen. */
  readonly transient: boolean;
  /** It passes by itself, or another object has the event of what it takes. */
  readonly byItself: boolean;
  constructor(reason: Reason, message: string, afterMs?: number, { transient = false, byItself = false } = {}) {
    super(message);
    this.reason = reason;
    this.afterMs = afterMs;
    this.transient = transient;
    this.byItself = byItself;
  }
}

/** Only a change of the spec, of a Secret or of a grant can correct it. */
export class Stalled extends Error {
  override readonly name = "Stalled";
  readonly reason: Reason;
  /** Where it may recover: when to reconcile again for the first time; then at growing intervals. */
  readonly afterMs: number | undefined;
  constructor(reason: Reason, message: string, afterMs?: number) {
    super(message);
    this.reason = reason;
    this.afterMs = afterMs;
  }
}

/** A field of the spec that cannot be as it is. `field` is a path such as `spec.ports`. */
export class Invalid extends Stalled {
  constructor(field: string, reason: string) {
    super("InvalidSpec", `${field}: ${reason}`);
  }
}

/** Not known yet in this process, or not begun: nothing is reported. What makes it known wakes the object, at the latest `afterMs` does. */
export class Deferred extends Error {
  override readonly name = "Deferred";
  readonly afterMs: number;
  constructor(message: string, afterMs = 30_000) {
    super(message);
    this.afterMs = afterMs;
  }
}

export type Verdict =
  | { state: "ready"; reason: Reason; message: string; afterMs?: number | undefined }
  | {
      state: "waiting";
      reason: Reason;
      message: string;
      afterMs: number | undefined;
      transient?: boolean;
      byItself?: boolean;
      /** The account finds out what is behind it, and has the event. */
      ofAccount?: boolean;
      unexpected?: unknown;
    }
  /** `afterMs`: of the first of growing intervals. `pauseMs`: of the next reconcile. */
  | { state: "stalled"; reason: Reason; message: string; afterMs?: number | undefined; pauseMs?: number | undefined }
  /** The object has no finalizer of ours any more: nothing to report. */
  | { state: "gone" }
  /** Another write came first, or it cannot be told yet: nothing to report. */
  | { state: "superseded"; afterMs: number };

const retried = "; the operator retries automatically";

/** What kept a request back that did not leave; undefined for what the cloud API answered, or did not. */
export function keptBackBy(error: HttpError): unknown {
  const { cause } = error;
  return isDecided(cause) || cause instanceof Deferred || isKubeError(cause) ? cause : undefined;
}

/** True for what the operator decided itself, as opposed to a fault. */
export function isDecided(error: unknown): error is Waiting | Stalled {
  return error instanceof Waiting || error instanceof Stalled;
}

/** Folds any thrown thing into a verdict. */
export function verdictOf(error: unknown): Verdict {
  if (error instanceof Waiting) {
    const { reason, message, afterMs, transient, byItself } = error;
    return {
      state: "waiting",
      reason,
      message,
      afterMs,
      ...(transient && { transient }),
      ...(byItself && { byItself }),
    };
  }
  if (error instanceof Stalled) {
    const { reason, message, afterMs } = error;
    return { state: "stalled", reason, message, afterMs };
  }
  if (error instanceof Deferred) return { state: "superseded", afterMs: error.afterMs };
  if (isHttpError(error)) return keptBackBy(error) ? verdictOf(error.cause) : ofHttpError(error);
  if (isUnreadableRow(error))
    return { state: "stalled", reason: "Unreadable", message: error.message, afterMs: times.quiet };
  if (isKubeError(error)) return ofKubeError(error);
  if (isSchemaError(error)) return ofSchemaError(error);
  return {
    state: "waiting",
    reason: "InternalError",
    message: error instanceof Error ? error.message : String(error),
    afterMs: undefined,
    unexpected: error,
  };
}

/** When to reconcile again: settled objects on the slow pass, the others as their verdict says. */
export function queueOutcome(verdict: Verdict, slowPassMs: number): Outcome {
  switch (verdict.state) {
    case "gone":
      return { type: "done" };
    case "superseded":
      return { type: "later", afterMs: verdict.afterMs };
    case "ready":
      return { type: "later", afterMs: verdict.afterMs ?? slowPassMs };
    case "stalled":
      if (verdict.afterMs !== undefined) return { type: "backoff", firstMs: verdict.afterMs, failed: "lasting" };
      return { type: "later", afterMs: verdict.pauseMs ?? slowPassMs, failed: "lasting" };
    case "waiting": {
      const failed = failureOf(verdict);
      const { afterMs } = verdict;
      return {
        ...(afterMs === undefined ? { type: "backoff" } : { type: "later", afterMs }),
        ...(failed && { failed }),
      };
    }
  }
}

/** Waiting for something is no failure; a side that does not answer as it should is one. */
function failureOf({ reason, unexpected }: Extract<Verdict, { state: "waiting" }>): Failure | undefined {
  if (unexpected !== undefined) return "unexpected";
  return reason === "CloudUnavailable" || reason === "ClusterUnavailable" ? "passing" : undefined;
}

export function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && error.name === "HttpError";
}

export function isUnreadableRow(error: unknown): error is UnreadableRow {
  return error instanceof Error && error.name === "UnreadableRow";
}

export function isKubeError(error: unknown): error is KubeError {
  return error instanceof Error && error.name === "KubeError";
}

function ofHttpError(error: HttpError): Verdict {
  const message = apiReasons(error);
  const transient = { state: "waiting", afterMs: error.retryAfterMs, transient: true } as const;
  switch (error.status ?? 0) {
    case 401:
      // This does not prove that the token is rejected: the account checks and reports that.
      return {
        ...transient,
        reason: "CloudUnavailable",
        message: `${error.message}${retried}`,
        ofAccount: true,
      };
    case 403:
      return { state: "stalled", reason: "Forbidden", message };
    case 400:
      if (isBusy(error)) return { state: "waiting", reason: "Busy", message, afterMs: times.short };
      return { state: "stalled", reason: "Refused", message };
    case 429:
      return { ...transient, reason: "RateLimited", message };
    default:
      if (error.status !== undefined && error.status < 500 && error.status !== 404 && error.status !== 408) {
        return { state: "stalled", reason: "Refused", message };
      }
      return { ...transient, reason: "CloudUnavailable", message: `${message}${retried}` };
  }
}

/** True where a reconcile ended before anything was compared. */
export function isCutShort(verdict: Verdict): verdict is Extract<Verdict, { state: "waiting" }> {
  return verdict.state === "waiting" && verdict.transient === true;
}

/** The cloud API refuses a change while a job runs: not-shown, section 3. */
export function isBusy({ errors }: HttpError): boolean {
  return errors.some(({ reason }) => reason.endsWith("busy."));
}

interface SchemaError extends Error {
  issues: { path: PropertyKey[]; message: string }[];
}

/** A kind could not read what it asked for besides the row. */
export function isSchemaError(error: unknown): error is SchemaError {
  return error instanceof Error && "issues" in error && Array.isArray(error.issues);
}

/** A kind reads what it asked for besides the row by a schema of its own. */
function ofSchemaError({ issues }: SchemaError): Verdict {
  const fields = issues.slice(0, 3).map(({ path, message }) => `${path.join(".") || "all of it"}: ${message}`);
  const message = `a response of the cloud API cannot be read: ${fields.join("; ").slice(0, 500)}`;
  return { state: "stalled", reason: "Unreadable", message, afterMs: times.quiet };
}

function apiReasons(error: HttpError): string {
  if (error.errors.length === 0) return error.message;
  const reasons = error.errors.map(({ field, reason }) => (field ? `${field}: ${reason}` : reason)).join("; ");
  const { method, path, status } = error;
  if (status === 400 || status === 403) return `the cloud API refused ${method} ${path}: ${reasons}`;
  return `${method} ${path} got the response ${status}: ${reasons}`;
}

function ofKubeError(error: KubeError): Verdict {
  if (error.alreadyExists) return { state: "stalled", reason: "Conflict", message: error.message };
  if (error.status === 409) return { state: "superseded", afterMs: times.fresh };
  return {
    state: "waiting",
    reason: "ClusterUnavailable",
    message: error.message,
    afterMs: undefined,
    transient: true,
  };
}

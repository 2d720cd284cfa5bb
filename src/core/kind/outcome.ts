/**
 * Results of a reconcile, and the only place that maps errors to results.
 *
 * A kind and the flow throw `Waiting`, `Invalid` or `Stalled`. The folders `api`, `cluster` and `observe` throw typed errors.
 * `verdictOf` maps all errors to a verdict. The status, the events and the queue depend only on the verdict.
 */
import type { HttpError } from "../../api/errors.ts";
import type { KubeError } from "../../cluster/errors.ts";
import type { UnreadableRow } from "../../observe/unreadable-row.ts";
import type { Failure, Outcome } from "../../queue/types.ts";
import type { Reason } from "./reasons.ts";
import { times } from "./times.ts";

/**
 * The object must wait, for example for a reference. Waiting is no error. The operator reconciles again after `afterMs`
 * milliseconds, or with exponential backoff without `afterMs`.
 */
export class Waiting extends Error {
  override readonly name = "Waiting";
  readonly reason: Reason;
  readonly afterMs: number | undefined;
  /** The reason says nothing about the object, such as a rate limit. A settled object keeps its last status. */
  readonly transient: boolean;
  /** The wait needs no user: the state ends automatically, or the event is on a different object. The operator sends no event. */
  readonly byItself: boolean;
  constructor(reason: Reason, message: string, afterMs?: number, { transient = false, byItself = false } = {}) {
    super(message);
    this.reason = reason;
    this.afterMs = afterMs;
    this.transient = transient;
    this.byItself = byItself;
  }
}

/** The object cannot proceed until a user changes the spec, a Secret or a grant. */
export class Stalled extends Error {
  override readonly name = "Stalled";
  readonly reason: Reason;
  /** For a state that can end without a change: milliseconds until the first reconcile. The backoff doubles later intervals. */
  readonly afterMs: number | undefined;
  constructor(reason: Reason, message: string, afterMs?: number) {
    super(message);
    this.reason = reason;
    this.afterMs = afterMs;
  }
}

/** A field of the spec is invalid. `field`: path of the field, such as `spec.ports`. */
export class Invalid extends Stalled {
  constructor(field: string, reason: string) {
    super("InvalidSpec", `${field}: ${reason}`);
  }
}

/**
 * The process does not know a required fact yet, or has not begun the work. The operator reports nothing. The fact wakes the
 * object, at the latest after `afterMs` milliseconds.
 */
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
      /** The CloudAccount checks the cause, and has the event. */
      ofAccount?: boolean;
      unexpected?: unknown;
      /** Method and path of a failed request, for the log. */
      request?: string;
    }
  /** `afterMs`: first interval of a backoff, milliseconds. `pauseMs`: time until the next reconcile, milliseconds. */
  | {
      state: "stalled";
      reason: Reason;
      message: string;
      afterMs?: number | undefined;
      pauseMs?: number | undefined;
      request?: string;
    }
  /** The object does not have the operator's finalizer. The operator reports nothing. */
  | { state: "gone" }
  /** A newer write exists, or a fact is unknown. The operator reports nothing. */
  | { state: "superseded"; afterMs: number };

type Told = Extract<Verdict, { request?: string }>;

const retried = ". The operator retries automatically";

/**
 * Returns why the operator did not send a request: its own decision, or an error of the Kubernetes API. Returns undefined for a
 * request that the operator sent.
 */
export function keptBackBy(error: HttpError): unknown {
  const { cause } = error;
  return isDecided(cause) || cause instanceof Deferred || isKubeError(cause) ? cause : undefined;
}

/** Returns true for a decision of the operator. Returns false for a fault. */
export function isDecided(error: unknown): error is Waiting | Stalled {
  return error instanceof Waiting || error instanceof Stalled;
}

/** Maps any thrown value to a verdict. */
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
  if (isHttpError(error)) return keptBackBy(error) ? verdictOf(error.cause) : withRequest(error);
  if (isUnreadableRow(error))
    return { state: "stalled", reason: "Unreadable", message: unreadText(error), afterMs: times.quiet };
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

/**
 * Returns the time of the next reconcile. A settled object waits for the resync. The verdict sets the time for all other objects.
 */
export function queueOutcome(verdict: Verdict, resyncMs: number): Outcome {
  switch (verdict.state) {
    case "gone":
      return { type: "done" };
    case "superseded":
      return { type: "later", afterMs: verdict.afterMs };
    case "ready":
      return { type: "later", afterMs: verdict.afterMs ?? resyncMs };
    case "stalled":
      if (verdict.afterMs !== undefined) return { type: "backoff", firstMs: verdict.afterMs, failed: "lasting" };
      return { type: "later", afterMs: verdict.pauseMs ?? resyncMs, failed: "lasting" };
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

/**
 * Returns the kind of failure for the queue. Waiting is no failure. A cloud or a cluster without a valid response is a failure.
 */
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

function withRequest(error: HttpError): Verdict {
  return { ...ofHttpError(error), request: `${error.method} ${error.path}` };
}

function ofHttpError(error: HttpError): Told {
  const message = apiReasons(error);
  const transient = { state: "waiting", afterMs: error.retryAfterMs, transient: true } as const;
  switch (error.status ?? 0) {
    case 401:
      // A response 401 does not prove a rejected token. The CloudAccount checks the token and reports the result.
      return {
        ...transient,
        reason: "CloudUnavailable",
        message: `${describeRequest(error)} ${error.what}${retried}`,
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
      return { ...transient, reason: "CloudUnavailable", message: `${message.replace(/\.$/, "")}${retried}` };
  }
}

/** Returns true if the reconcile ended before the comparison of spec and cloud. */
export function isCutShort(verdict: Verdict): verdict is Extract<Verdict, { state: "waiting" }> {
  return verdict.state === "waiting" && verdict.transient === true;
}

/** Returns true if the cloud API refuses the change because a job runs: not-shown, section 3. */
export function isBusy({ errors }: HttpError): boolean {
  return errors.some(({ reason }) => reason.endsWith("busy."));
}

interface SchemaError extends Error {
  issues: { path: PropertyKey[]; message: string }[];
}

/** Returns true for an error of zod. A kind parses the responses of `details` with its own schema. */
export function isSchemaError(error: unknown): error is SchemaError {
  return error instanceof Error && "issues" in error && Array.isArray(error.issues);
}

/** Returns the message for an unreadable row. `subject`: the name of the cloud object. */
export function unreadText({ reason }: Pick<UnreadableRow, "reason">, subject = "the cloud object"): string {
  return `the operator cannot read ${subject} in the form that the cloud API returns: ${reason}`;
}

/** Returns the verdict for a response that does not match the schema of a kind. */
function ofSchemaError({ issues }: SchemaError): Verdict {
  const fields = issues.slice(0, 3).map(({ path, message }) => `${path.join(".") || "all of it"}: ${message}`);
  const message = `the operator cannot read a response of the cloud API: ${fields.join("; ").slice(0, 500)}`;
  return { state: "stalled", reason: "Unreadable", message, afterMs: times.quiet };
}

function apiReasons(error: HttpError): string {
  const request = describeRequest(error);
  if (error.errors.length === 0) return `${request} ${error.what}`;
  const reasons = error.errors.map(({ field, reason }) => (field ? `${field}: ${reason}` : reason)).join("; ");
  const { status } = error;
  if (status === 400 || status === 403) return `the cloud API refused ${request}: ${reasons}`;
  return `${request} got status ${status}: ${reasons}`;
}

const requestNames: Record<string, string> = {
  GET: "a read request",
  PUT: "an update request",
  DELETE: "a delete request",
};

/** Returns the name of a request for a message, such as `the Resize request` or `a read request`. Contains no path. */
export function describeRequest({ action, method }: Pick<HttpError, "action" | "method">): string {
  if (action !== undefined) return `the ${action} request`;
  return requestNames[method] ?? "a request";
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

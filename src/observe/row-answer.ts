/** Interprets the response to a GET of a row. */
import { HttpError } from "../api/errors.ts";
import { UnreadableRow } from "./unreadable-row.ts";

/** Returns true for a 404, the only response that means a row is gone. */
export function isGone(error: unknown): boolean {
  return error instanceof HttpError && error.status === 404;
}

/** Returns the milliseconds to wait after a 429, or undefined for every other error. */
export function heldBackMs(error: unknown): number | undefined {
  return error instanceof HttpError && error.status === 429 ? (error.retryAfterMs ?? unnamedMs) : undefined;
}

/** Wait for a 429 without `Retry-After`, milliseconds. */
const unnamedMs = 10_000;

/** Ignores an UnreadableRow: the row exists, and the read succeeded. */
export function unlessUnreadable(error: unknown): void {
  if (!(error instanceof UnreadableRow)) throw error;
}

/** Returns the error for a response that is not the row. */
export function notTheRow(path: string, reason: string): HttpError {
  return new HttpError(`got a response of an unexpected form: ${reason}`, {
    method: "GET",
    path,
    outcome: "ambiguous",
  });
}

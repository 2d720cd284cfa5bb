/** What the answer of a GET says of a row. */
import { HttpError } from "../api/errors.ts";
import { UnreadableRow } from "./unreadable-row.ts";

/** True for the one answer that says that a row is gone. */
export function isGone(error: unknown): boolean {
  return error instanceof HttpError && error.status === 404;
}

/** How long a rate limit keeps the request back, milliseconds: nothing is wrong with what it asks for. Undefined where none does. */
export function heldBackMs(error: unknown): number | undefined {
  return error instanceof HttpError && error.status === 429 ? (error.retryAfterMs ?? unnamedMs) : undefined;
}

/** …where the answer does not say, milliseconds. */
const unnamedMs = 10_000;

/** It is there, so it was read. */
export function unlessUnreadable(error: unknown): void {
  if (!(error instanceof UnreadableRow)) throw error;
}

/** An answer that tells nothing of the row. */
export function notTheRow(path: string, reason: string): HttpError {
  const message = `GET ${path} got a response of an unexpected form: ${reason}`;
  return new HttpError(message, { method: "GET", path, outcome: "ambiguous" });
}

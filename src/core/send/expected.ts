/**
 * Guards calls that change a part of the cloud outside the row (`expects`), and stores finished calls for the report
 * (`keeps`).
 */
import type { JsonObject } from "../../api/types.ts";
import type { Call } from "../kind/call.ts";
import { matches } from "../kind/differences.ts";
import { isHttpError, Waiting } from "../kind/outcome.ts";
import type { Observed } from "../model/context.ts";
import { times } from "../kind/times.ts";

const mostKept = 50;

/**
 * Reads the part before a call. Returns false if the cloud API answers 404. Throws `Waiting` if the part differs from
 * the list, so that the next reconcile decides again.
 */
export async function isStillMeant({ session, urgent }: Observed, { expects }: Call): Promise<boolean> {
  if (!expects) return true;
  try {
    const found = await session.client.get(expects.path, { urgent });
    if (matches((found ?? {}) as JsonObject, expects.shows)) return true;
  } catch (error) {
    if (isHttpError(error) && error.status === 404) return false;
    throw error;
  }
  throw new Waiting("Updating", "the cloud object and its list show different values", times.short);
}

/** Tests if a DELETE without a clear response succeeded: a read of `expects.path` does not find the part. */
export async function isDone(
  { session, urgent }: Observed,
  { method, expects }: Call,
  error: unknown,
): Promise<boolean> {
  if (method !== "DELETE" || !expects || !isHttpError(error) || error.outcome !== "ambiguous") return false;
  const isAbsent = (now: unknown): boolean => isHttpError(now) && now.status === 404;
  return session.client.get(expects.path, { urgent }).then(() => false, isAbsent);
}

/** Stores the reported values of a finished call, with the time of the cloud API. */
export function keepDone({ session, remembered }: Observed, { keeps }: Call): void {
  if (!keeps) return;
  const done = { ...keeps, time: session.client.serverTime().toISOString() };
  remembered.done = [...(remembered.done ?? []), done].slice(-mostKept);
}

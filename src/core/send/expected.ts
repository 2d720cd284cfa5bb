/** Calls that concern something beside the row: it is read afresh before each of them, and what was done is kept for the report. */
import type { JsonObject } from "../../api/types.ts";
import type { Call } from "../kind/call.ts";
import { matches } from "../kind/differences.ts";
import { isHttpError, Waiting } from "../kind/outcome.ts";
import type { Observed } from "../model/context.ts";
import { times } from "../kind/times.ts";

/** So much is kept. */
const mostKept = 50;

/** False where it is gone already. Throws `Waiting` where it is another by now: all is decided again. */
export async function isStillMeant({ session, urgent }: Observed, { expects }: Call): Promise<boolean> {
  if (!expects) return true;
  try {
    const found = await session.client.get(expects.path, { urgent });
    if (matches((found ?? {}) as JsonObject, expects.shows)) return true;
  } catch (error) {
    if (isHttpError(error) && error.status === 404) return false;
    throw error;
  }
  throw new Waiting("Updating", `${expects.path} and its list show different values`, times.short);
}

/** True where a call that got no clear answer was carried out: what it was to remove is gone. */
export async function isDone(
  { session, urgent }: Observed,
  { method, expects }: Call,
  error: unknown,
): Promise<boolean> {
  if (method !== "DELETE" || !expects || !isHttpError(error) || error.outcome !== "ambiguous") return false;
  const isAbsent = (now: unknown): boolean => isHttpError(now) && now.status === 404;
  return session.client.get(expects.path, { urgent }).then(() => false, isAbsent);
}

/** What the report keeps of a call that was carried out, with the time of that. */
export function keepDone({ session, remembered }: Observed, { keeps }: Call): void {
  if (!keeps) return;
  const done = { ...keeps, time: session.client.serverTime().toISOString() };
  remembered.done = [...(remembered.done ?? []), done].slice(-mostKept);
}

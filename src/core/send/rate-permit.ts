import type { Permit } from "../../api/types.ts";
import type { Located } from "../model/context.ts";
import type { Request } from "../kind/call.ts";
import { Deferred, isHttpError } from "../kind/outcome.ts";
import { times } from "../kind/times.ts";

/**
 * Reserves room in the rate limit for a creation, then calls `work`. A delayed creation therefore costs no patch, and
 * has no journal entry that expires. Throws `HttpError`, and `Deferred` for a 429 if the object is new.
 */
export async function withPermit<T>(ctx: Located, call: Request, work: (permit: Permit) => Promise<T>): Promise<T> {
  const asked = ctx.session.client.reserve(call.method, call.path, { priority: "create", urgent: ctx.urgent });
  const permit = await asked.catch((error: unknown) => {
    throw quietly(ctx, error);
  });
  try {
    return await work(permit);
  } finally {
    permit.giveBack();
  }
}

function quietly({ environment, object }: Located, error: unknown): unknown {
  const ageMs = environment.clock.date().getTime() - Date.parse(object.metadata.creationTimestamp);
  const isHeldBack = isHttpError(error) && error.status === 429;
  return isHeldBack && ageMs < times.longest ? new Deferred(error.message, error.retryAfterMs) : error;
}

/** Deletes a finished action after `spec.ttlSecondsAfterFinished`, unless the object is protected. */
import type { CommonSpec } from "../kind/common-schema.ts";
import type { Verdict } from "../kind/outcome.ts";
import { refOf, resourceOf } from "../kind/resource.ts";
import type { Context } from "../model/context.ts";
import { times } from "../kind/times.ts";

/** Deletes an expired object. Otherwise returns the verdict with the time of the next check. Throws `KubeError`. */
export async function expire(ctx: Context, ended: Verdict): Promise<Verdict> {
  const { environment, kind, object } = ctx;
  const { uid, resourceVersion } = object.metadata;
  const leftMs = timeToLive(ctx);
  if (leftMs === undefined || leftMs > 0) return askedAgain(ctx, ended);
  await environment.kube.delete(resourceOf(kind), refOf(object), { uid, resourceVersion });
  environment.log.info({ key: ctx.key }, "deleted: spec.ttlSecondsAfterFinished has passed since it ended");
  return { state: "superseded", afterMs: times.soon };
}

/**
 * Returns the verdict with the time of the next check. The operator stores the final status before it deletes the
 * object.
 */
export function askedAgain(ctx: Context, verdict: Verdict): Verdict {
  const leftMs = timeToLive(ctx);
  if (leftMs === undefined || (verdict.state !== "ready" && verdict.state !== "stalled")) return verdict;
  return { ...verdict, afterMs: Math.min(Math.max(leftMs, times.soon), ctx.environment.resyncMs()) };
}

/**
 * Returns milliseconds until the deletion; undefined if the run has not ended, the object stays, or the account is not
 * connected.
 */
function timeToLive(ctx: Context): number | undefined {
  const { object, next } = ctx;
  const { ttlSecondsAfterFinished, management } = (object.spec ?? {}) as CommonSpec & {
    ttlSecondsAfterFinished?: number;
  };
  const finishedAt = next.run?.finishedAt;
  const stays = ttlSecondsAfterFinished === undefined || management?.protect === true;
  if (stays || finishedAt === undefined || object.metadata.deletionTimestamp !== undefined) return undefined;
  const now = cloudTimeMs(ctx);
  return now && Date.parse(finishedAt) + ttlSecondsAfterFinished * 1_000 - now;
}

/**
 * Returns the time of the cloud API, which also dates the end of a run. When the account connects, it wakes its
 * objects.
 */
function cloudTimeMs({ environment, object }: Context): number | undefined {
  try {
    const { accountRef } = (object.spec ?? {}) as CommonSpec;
    return environment.openAccount(object, accountRef).client.serverTime().getTime();
  } catch {
    return undefined;
  }
}

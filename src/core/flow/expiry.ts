/** What has run is deleted some time after its end, where its spec says so; never what is protected. */
import type { CommonSpec } from "../kind/common-schema.ts";
import type { Verdict } from "../kind/outcome.ts";
import { refOf, resourceOf } from "../kind/resource.ts";
import type { Reconciliation } from "./reconciliation.ts";

/** What an object says that has ended, and when it is asked again; it is deleted once its time is over. Throws `KubeError`. */
export async function expire(at: Reconciliation, ended: Verdict): Promise<Verdict> {
  const { environment, kind, object, next } = at;
  const { ttlSecondsAfterFinished, management } = (object.spec ?? {}) as CommonSpec & {
    ttlSecondsAfterFinished?: number;
  };
  const { uid, resourceVersion, deletionTimestamp } = object.metadata;
  const finishedAt = next.run?.finishedAt;
  const stays = ttlSecondsAfterFinished === undefined || management?.protect === true;
  if (stays || finishedAt === undefined || deletionTimestamp !== undefined) return ended;
  const leftMs = Date.parse(finishedAt) + ttlSecondsAfterFinished * 1_000 - environment.clock.date().getTime();
  const result = ended.state === "ready" || ended.state === "stalled";
  if (leftMs > 0) return result ? { ...ended, afterMs: Math.min(leftMs, environment.slowPassMs()) } : ended;
  await environment.kube.delete(resourceOf(kind), refOf(object), { uid, resourceVersion });
  environment.log.info({ key: at.key }, "deleted: spec.ttlSecondsAfterFinished has passed since it ended");
  return { state: "superseded", afterMs: 1_000 };
}

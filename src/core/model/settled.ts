/** Verdicts for objects without further work. */
import type { Verdict } from "../kind/outcome.ts";
import type { Observed, Context } from "./context.ts";

/**
 * Returns the verdict after a complete reconcile. `afterMs`: time until the next reconcile, if earlier than the resync.
 */
export function settled(ctx: Observed, afterMs: number | undefined): Verdict {
  const { id, observing, management, next } = ctx;
  const chosen = management.adopt?.id;
  const unused = `. It stays so: spec.management.adopt.id names ${chosen}, and takes effect only where nothing is recorded`;
  const more = chosen === undefined || chosen === id ? "" : unused;
  if ((next.drift ?? []).length > 0) {
    const message = `${id} differs from the spec, and is not changed: see the condition Drifted${more}`;
    return { state: "ready", reason: "Drifted", message, afterMs };
  }
  return observing
    ? { state: "ready", reason: "Observed", message: `${id} is observed and not changed${more}` }
    : { state: "ready", reason: "Ready", message: `${id} is as specified${more}`, afterMs };
}

/**
 * Returns the verdict of a paused object. An object with a cloud object stays ready. An object without a cloud object,
 * or in deletion, waits.
 */
export function paused(ctx: Context): Verdict {
  const deleting = ctx.object.metadata.deletionTimestamp !== undefined;
  const message = deleting
    ? "not deleted: spec.management.policy is Paused. Set it to Manage to have this object deleted"
    : "not reconciled: spec.management.policy is Paused";
  if (ctx.next.id !== undefined && !deleting) return { state: "ready", reason: "Paused", message };
  return { state: "waiting", reason: "Paused", message, afterMs: ctx.environment.resyncMs() };
}

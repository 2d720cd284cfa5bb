/** Verdicts for objects without further work. */
import { dayAndMinuteOf } from "./uncertain.ts";
import { nameOf, sentence } from "../kind/naming.ts";
import type { Verdict } from "../kind/outcome.ts";
import type { Observed, Context } from "./context.ts";
import { live } from "./context.ts";

/**
 * Returns the verdict after a complete reconcile. `afterMs`: time until the next reconcile, if earlier than the resync.
 */
export function settled(ctx: Observed, afterMs: number | undefined): Verdict {
  const { id, observing, management, next, kind, row } = ctx;
  const name = nameOf(kind, id, row);
  const chosen = management.adopt?.id;
  const unused = `. spec.management.adopt.id names ${chosen}, and has no effect on an object that has a cloud object`;
  const more = [chosen === undefined || chosen === id ? "" : unused, graceText(ctx)].join("");
  if ((next.drift ?? []).length > 0) {
    const message = `${name} differs from the spec. The operator does not change it. Read the condition Drifted${more}`;
    return { state: "ready", reason: "Drifted", message, afterMs };
  }
  return observing
    ? { state: "ready", reason: "Observed", message: `${name} is observed. The operator does not change it${more}` }
    : { state: "ready", reason: "Ready", message: `${name} is as specified${more}${keptText(ctx)}`, afterMs };
}

/** Returns sentences about access that the cloud object grants beside the spec. */
function keptText(ctx: Observed): string {
  const kept = ctx.kind.unlisted?.(live(ctx)) ?? [];
  return kept.map((clause) => `. ${sentence(clause)}`).join("");
}

/** Returns the end of the grace period as a full minute, so that the text stays equal. */
function graceText({ kind, retires, environment }: Observed): string {
  if (!retires) return "";
  const until = dayAndMinuteOf(environment.clock.date().getTime() + retires.leftMs);
  return `. The replaced ${nameOf(kind, retires.id)} stays valid until ${until}`;
}

/**
 * Returns the verdict of a paused object. An object with a cloud object stays ready. An object without a cloud object,
 * or in deletion, waits.
 */
export function paused(ctx: Context): Verdict {
  const deleting = ctx.object.metadata.deletionTimestamp !== undefined;
  const message = deleting
    ? "spec.management.policy is Paused. The operator does not delete this object. To delete it, set the policy to Manage"
    : "spec.management.policy is Paused. The operator does not reconcile this object";
  if (ctx.next.id !== undefined && !deleting) return { state: "ready", reason: "Paused", message };
  return { state: "waiting", reason: "Paused", message, afterMs: ctx.environment.resyncMs() };
}

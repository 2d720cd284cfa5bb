/** Decides from the known facts of an object (known.ts) which cloud object is its own. No other file decides. */
import type { KubeObject } from "../../cluster/types.ts";
import type { Reconciliation } from "./context.ts";
import { finalizer } from "../kind/resource.ts";
import type { Intent, Statement } from "./intent.ts";
import { isUnstored } from "./unsent.ts";

export type Claim =
  /** Nothing was sent for this object, or what was sent certainly did nothing. */
  | { state: "none" }
  /** A creation whose outcome is not recorded. */
  | { state: "open"; intent: Intent }
  /** Something may have been created, and nothing proves what: nothing is created, and the object keeps its finalizer. */
  | { state: "unproven"; attempt: string; why: string }
  | { state: "recorded"; id: string }
  /** What is recorded is in another account than the one that is connected now. */
  | { state: "elsewhere"; id: string };

/** The claim of an object. Fills `at.next` with what a proven intent says of a cloud object that no status records. */
export function claimOf(at: Reconciliation): Claim {
  const { next, intent } = at;
  if (intent?.is && at.remembered.recorded === undefined && next.id !== intent.is.id) {
    const { id, origin, adopted } = intent.is;
    Object.assign(next, { id, origin, adopted, applied: intent.applied });
  }
  if (next.id !== undefined) {
    if (at.isElsewhere) return { state: "elsewhere", id: next.id };
    return replacementOf(at, intent) ?? { state: "recorded", id: next.id };
  }
  if (intent) return isRefused(at, intent) && !isTraced(at, intent) ? { state: "none" } : { state: "open", intent };
  if (isUnstored(at)) return { state: "none" };
  return withoutIntent(at.object, at.statement);
}

/** True while the object carries the intent that is known of it. */
export function statesIntent({ statement, remembered: { intent } }: Reconciliation): boolean {
  return statement.state === "proven" && (intent === undefined || intent.attempt === statement.intent.attempt);
}

/** A replacement of a missing cloud object keeps the old id recorded until there is a new one. */
function replacementOf(at: Reconciliation, intent: Intent | undefined): Claim | undefined {
  const open = intent && intent.previous === at.next.id && !intent.is && !isRefused(at, intent);
  return open ? { state: "open", intent } : undefined;
}

/** True where the request of this intent certainly did nothing, by what this process knows. */
export function didNothing({ remembered }: Reconciliation, { attempt }: Intent): boolean {
  return attempt === remembered.refusedAttempt;
}

/** With the id of what is deleted for nobody knows its secret, that remains to be seen gone. */
function isRefused({ next, remembered }: Reconciliation, { attempt }: Intent): boolean {
  return attempt === next.refusedAttempt && (next.deletedID === undefined || attempt === remembered.refusedAttempt);
}

/** True where what the attempt created was to be deleted, since nobody knows its secret. */
export function isDiscarded({ next }: Pick<Reconciliation, "next">, { attempt }: Pick<Intent, "attempt">): boolean {
  return next.deletedID !== undefined && attempt === next.refusedAttempt;
}

/**
 * What an attempt before it may have created remains to be searched for; and before its object goes, what the attempt itself may
 * still create, where what was deleted in its place may have been somebody else's.
 */
function isTraced({ next, object }: Reconciliation, { since }: Intent): boolean {
  return since !== undefined || (next.deletedID !== undefined && object.metadata.deletionTimestamp !== undefined);
}

function withoutIntent({ metadata }: KubeObject, statement: Statement): Claim {
  const attempt = metadata.uid.slice(0, 8);
  if (statement.state === "unproven") return { ...statement, attempt };
  if (statement.state === "absent" && metadata.finalizers?.includes(finalizer))
    return { state: "unproven", attempt, why: "was removed" };
  return { state: "none" };
}

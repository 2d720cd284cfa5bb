/** The only place that decides which cloud object a custom resource owns. The facts come from `known.ts`. */
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Context } from "./context.ts";
import { setCloudObject } from "./context.ts";
import { finalizer } from "../kind/resource.ts";
import type { JournalEntry, Statement } from "./journal.ts";
import { didNothing } from "./attempt.ts";
import { isAnother, originOf } from "./origin.ts";
import { isUnstored } from "./unsent.ts";

export type Ownership =
  /** The operator sent no creation, or the creation certainly had no effect. */
  | { state: "none" }
  /** A creation without a recorded outcome. */
  | { state: "open"; entry: JournalEntry }
  /** A cloud object may exist, without proof of its ID. The operator creates nothing, and keeps the finalizer. */
  | { state: "unproven"; attempt: string; why: string }
  | { state: "recorded"; id: string }
  /** The recorded cloud object is in another account than the connected one. */
  | { state: "elsewhere"; id: string };

/**
 * Returns the ownership of an object. If only a proven journal entry names the cloud object, the function copies the ID into
 * `ctx.next`.
 */
export function ownershipOf(ctx: Context): Ownership {
  const { next, entry } = ctx;
  if (entry?.is && ctx.remembered.recorded === undefined && next.id !== entry.is.id) {
    const { id, origin, adopted } = entry.is;
    setCloudObject(ctx, { id, origin, adopted, applied: entry.applied });
  }
  if (next.id !== undefined) {
    if (ctx.isElsewhere) return { state: "elsewhere", id: next.id };
    return replacementOf(ctx, entry) ?? { state: "recorded", id: next.id };
  }
  if (entry)
    return isRefusedAttempt(ctx, entry) && !isTraced(ctx, entry) ? { state: "none" } : { state: "open", entry };
  if (isUnstored(ctx)) return { state: "none" };
  return ownershipWithoutEntry(ctx.object, ctx.statement);
}

/** Returns true if the object has the known journal entry. */
export function statesEntry({ statement, remembered: { entry } }: Context): boolean {
  return statement.state === "proven" && (entry === undefined || entry.attempt === statement.entry.attempt);
}

/** Returns the open creation of a replacement. The record keeps the ID of the missing cloud object until the new one exists. */
function replacementOf(ctx: Context, entry: JournalEntry | undefined): Ownership | undefined {
  const open = entry && entry.previous === ctx.next.id && !entry.is && !isRefusedAttempt(ctx, entry);
  return open ? { state: "open", entry } : undefined;
}

/** Returns true for a refused attempt. After the deletion of a cloud object with an unknown secret, only the memory is evidence. */
function isRefusedAttempt({ next, remembered }: Context, entry: JournalEntry): boolean {
  const { attempt } = entry;
  return attempt === next.refusedAttempt || (isDiscarded({ next }, entry) && didNothing(remembered, entry));
}

/** Returns true if the operator deletes the result of the attempt, because its secret is unknown. */
export function isDiscarded({ next }: Pick<Context, "next">, { attempt }: Pick<JournalEntry, "attempt">): boolean {
  return next.discarded?.attempt === attempt;
}

/** Returns true if the cloud assigned the ID of a discarded result to another cloud object. */
export function isSuccessorOfDiscarded(
  { kind, next: { discarded } }: Pick<Context, "kind" | "next">,
  id: string,
  row: JsonObject,
): boolean {
  return discarded?.id === id && isAnother(discarded.origin, originOf(kind, row));
}

/**
 * Returns true if a search is still necessary: for the result of an earlier attempt, or, during the deletion of the custom
 * resource, for the result of this attempt. In the second case, the deleted cloud object may have belonged to another owner.
 */
function isTraced({ next, object }: Context, { since }: JournalEntry): boolean {
  return since !== undefined || (next.discarded !== undefined && object.metadata.deletionTimestamp !== undefined);
}

function ownershipWithoutEntry({ metadata }: KubeObject, statement: Statement): Ownership {
  const attempt = metadata.uid.slice(0, 8);
  if (statement.state === "unproven") return { ...statement, attempt };
  if (statement.state === "absent" && metadata.finalizers?.includes(finalizer))
    return { state: "unproven", attempt, why: "was removed" };
  return { state: "none" };
}

/** Decides from the known facts of an object (known.ts) which cloud object is its own. No other file decides. */
import type { KubeObject } from "../../cluster/types.ts";
import type { Context } from "./context.ts";
import { finalizer } from "../kind/resource.ts";
import type { JournalEntry, Statement } from "./journal.ts";
import { isUnstored } from "./unsent.ts";

export type Ownership =
  /** Nothing was sent for this object, or what was sent certainly did nothing. */
  | { state: "none" }
  /** A creation whose outcome is not recorded. */
  | { state: "open"; entry: JournalEntry }
  /** Something may have been created, and nothing proves what: nothing is created, and the object keeps its finalizer. */
  | { state: "unproven"; attempt: string; why: string }
  | { state: "recorded"; id: string }
  /** What is recorded is in another account than the one that is connected now. */
  | { state: "elsewhere"; id: string };

/** The claim of an object. Fills `at.next` with what a proven journal entry says of a cloud object that no status records. */
export function ownershipOf(ctx: Context): Ownership {
  const { next, entry } = ctx;
  if (entry?.is && ctx.remembered.recorded === undefined && next.id !== entry.is.id) {
    const { id, origin, adopted } = entry.is;
    Object.assign(next, { id, origin, adopted, applied: entry.applied });
  }
  if (next.id !== undefined) {
    if (ctx.isElsewhere) return { state: "elsewhere", id: next.id };
    return replacementOf(ctx, entry) ?? { state: "recorded", id: next.id };
  }
  if (entry)
    return isRefusedAttempt(ctx, entry) && !isTraced(ctx, entry) ? { state: "none" } : { state: "open", entry: entry };
  if (isUnstored(ctx)) return { state: "none" };
  return withoutEntry(ctx.object, ctx.statement);
}

/** True while the object carries the journal entry that is known of it. */
export function statesEntry({ statement, remembered: { entry } }: Context): boolean {
  return statement.state === "proven" && (entry === undefined || entry.attempt === statement.entry.attempt);
}

/** A replacement of a missing cloud object keeps the old id recorded until there is a new one. */
function replacementOf(ctx: Context, entry: JournalEntry | undefined): Ownership | undefined {
  const open = entry && entry.previous === ctx.next.id && !entry.is && !isRefusedAttempt(ctx, entry);
  return open ? { state: "open", entry } : undefined;
}

/** True where the request of this journal entry certainly did nothing, by what this process knows. */
export function didNothing({ remembered }: Context, { attempt }: JournalEntry): boolean {
  return attempt === remembered.refusedAttempt;
}

/** With the id of what is deleted for nobody knows its secret, that remains to be seen gone. */
function isRefusedAttempt({ next, remembered }: Context, { attempt }: JournalEntry): boolean {
  return attempt === next.refusedAttempt && (next.deletedID === undefined || attempt === remembered.refusedAttempt);
}

/** True where what the attempt created was to be deleted, since nobody knows its secret. */
export function isDiscarded({ next }: Pick<Context, "next">, { attempt }: Pick<JournalEntry, "attempt">): boolean {
  return next.deletedID !== undefined && attempt === next.refusedAttempt;
}

/**
 * What an attempt before it may have created remains to be searched for; and before its object goes, what the attempt itself may
 * still create, where what was deleted in its place may have been somebody else's.
 */
function isTraced({ next, object }: Context, { since }: JournalEntry): boolean {
  return since !== undefined || (next.deletedID !== undefined && object.metadata.deletionTimestamp !== undefined);
}

function withoutEntry({ metadata }: KubeObject, statement: Statement): Ownership {
  const attempt = metadata.uid.slice(0, 8);
  if (statement.state === "unproven") return { ...statement, attempt };
  if (statement.state === "absent" && metadata.finalizers?.includes(finalizer))
    return { state: "unproven", attempt, why: "was removed" };
  return { state: "none" };
}

/**
 * Proves that a cloud object belongs to a custom resource. The search for the result of a lost create request compares
 * values, and another user can create a cloud object with equal values. A deletion therefore takes a `Proven`, and the
 * search returns a `Found`.
 */
import { nameOf } from "../kind/naming.ts";
import { retryCreateAnnotation } from "../kind/annotations.ts";
import type { JsonObject } from "../../api/types.ts";
import { announce } from "./announce.ts";
import type { Located, Observed } from "../model/context.ts";
import { Stalled } from "../kind/outcome.ts";
import { isDiscarded, isSuccessorOfDiscarded } from "../model/ownership.ts";
import type { JournalEntry } from "../model/journal.ts";
import type { Found } from "../read/search.ts";
import { unanswered, untold } from "../model/uncertain.ts";

const proof = Symbol("proof");

/** A cloud object with a proof of ownership. Only the functions of this file make a `Proven`. */
export interface Proven extends Found {
  readonly [proof]: "record" | "tag" | "user";
}

/** Returns the cloud object that the signed record of the custom resource names. */
export function recordedOf({ id, row }: Observed): Proven {
  return { id, row, [proof]: "record" };
}

/**
 * Returns the cloud object that the signed journal entry names as the predecessor; undefined if the journal entry names no
 * predecessor.
 */
export function retiredOf({ retires }: JournalEntry, row: JsonObject): Proven | undefined {
  return retires && { id: retires.id, row, [proof]: "record" };
}

/**
 * Returns the cloud object with the proof that the attempt created it. Returns undefined if the user permitted another
 * attempt. Throws `Stalled` without a proof.
 */
export function proveCreated(ctx: Located, { id, row }: Found, entry: JournalEntry): Proven | undefined {
  // The search finds only rows with the tag that was sent.
  if (entry.tag !== undefined) return { id, row, [proof]: "tag" };
  // The cloud can have assigned the ID again since. The choice of the user also meant the former cloud object.
  if (isSuccessorOfDiscarded(ctx, id, row)) throw untold(ctx, entry, id);
  // A former process had the proof and signed the decision to delete.
  if (isDiscarded(ctx, entry) && ctx.next.discarded?.id === id) return { id, row, [proof]: "record" };
  // If several cloud objects match, the condition asks the user to name the right one.
  if (ctx.management.adopt?.id === id) return { id, row, [proof]: "user" };
  if (ctx.object.metadata.annotations?.[retryCreateAnnotation] === entry.attempt) return undefined;
  throw untold(ctx, entry, id);
}

/**
 * Tests for a proof before the operator deletes the cloud object. Throws as `proveCreated`. If the custom resource is
 * gone, and so cannot ask the user, the cloud object stays in the cloud, with an event.
 */
export function isProvenToDelete(ctx: Located, found: Found, entry: JournalEntry): boolean {
  try {
    return proveCreated(ctx, found, entry) !== undefined;
  } catch (error) {
    if (!ctx.orphaned || !(error instanceof Stalled)) throw error;
    const note = `${unanswered(ctx, entry)}, and perhaps created ${nameOf(ctx.kind, found.id)}. Without a proof, the operator does not delete it`;
    announce(ctx.environment, ctx.object, {
      type: "Warning",
      reason: "CreateUncertain",
      action: "Delete",
      note,
      id: found.id,
    });
    return false;
  }
}

/**
 * Proves that a name is free, for kinds whose create request returns an existing cloud object. The operator reads the
 * name right before the POST. The read does not detect a user who creates an equal cloud object between the read and
 * the POST.
 */
import { nameOf } from "../kind/naming.ts";
import { chooseOtherKey, otherKey } from "../kind/fields.ts";
import { isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
import type { Located } from "../model/context.ts";
import { grantsFor } from "../read/grants.ts";
import type { JournalEntry } from "../model/journal.ts";
import { isAnother, originOf } from "../model/origin.ts";
import type { Found } from "../read/search.ts";
import { contradicts, showsSettings } from "../read/search.ts";
import type { Before } from "../read/taken.ts";
import { times } from "../kind/times.ts";

/** Means that the response does not show the result of the request. The outcome is unknown, and the search decides. */
export class Unclear extends Error {}

/**
 * Reads the name. Throws `Stalled` if the name is taken, and `Waiting` if an earlier attempt can have created the cloud
 * object.
 */
export async function proveAbsent(ctx: Located, entry: JournalEntry): Promise<void> {
  const { collection, session, environment, urgent } = ctx;
  const id = collection.idOf(entry.pattern);
  const row = await session.observer.read(collection, id, { after: environment.clock.now(), urgent });
  if (!row) return;
  if (!isExpected(ctx, entry, { id, row })) throw existing(ctx, entry, id);
  throw new Waiting(
    "Creating",
    `${nameOf(ctx.kind, id)} now exists. The operator checks if an earlier create request created it`,
    times.soon,
  );
}

/**
 * Throws `Stalled` if the response shows an older cloud object, and `Unclear` if the settings differ from the request.
 */
export async function refuseExisting(ctx: Located, entry: JournalEntry, made: Found, { rows }: Before): Promise<void> {
  if (isExpected(ctx, entry, made)) return;
  if (entry.known.includes(made.id) || rows.has(made.id)) throw existing(ctx, entry, made.id);
  if (!(await showsOrHidesSettings(ctx, made.id)))
    throw new Unclear("the response shows a cloud object with other settings");
}

/**
 * Tests if an earlier attempt can have created the cloud object. Also accepts a recorded cloud object that the list did
 * not show for a while.
 */
function isExpected(ctx: Located, entry: JournalEntry, { id, row }: Found): boolean {
  if (entry.previous === id) return !isAnother(ctx.next.origin, originOf(ctx.kind, row));
  return entry.since !== undefined && !contradicts(ctx, id);
}

async function showsOrHidesSettings(ctx: Located, id: string): Promise<boolean> {
  try {
    return await showsSettings(ctx, id);
  } catch (error) {
    if (!isHttpError(error)) throw error;
    return true;
  }
}

/** Returns the refusal, and marks the attempt as refused. The operator does not search for its result. */
export function existing(ctx: Located, { attempt }: JournalEntry, id: string): Stalled {
  ctx.environment.memory.created(ctx.object.metadata.uid);
  ctx.next.refusedAttempt = attempt;
  // The spec contains the name, so the message can contain the name.
  const cure = grantsFor(ctx).existing
    ? `To adopt it, set spec.management.adopt.id: "${id}". Otherwise ${otherKey(ctx.kind)}`
    : chooseOtherKey(ctx.kind);
  return new Stalled("Conflict", `${nameOf(ctx.kind, id)} already exists. The operator does not change it. ${cure}`);
}

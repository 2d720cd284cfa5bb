/**
 * Proves that a name is free, for kinds whose create request returns an existing cloud object. The operator reads the
 * name right before the POST. The read does not detect a user who creates an equal cloud object between the read and
 * the POST.
 */
import { chooseOtherKey, otherKey } from "../kind/fields.ts";
import { isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
import type { Located } from "../model/context.ts";
import { leaveFor } from "../read/leave.ts";
import type { Intent } from "../model/intent.ts";
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
export async function proveAbsent(at: Located, intent: Intent): Promise<void> {
  const { collection, session, environment, urgent } = at;
  const id = collection.idOf(intent.pattern);
  const row = await session.observer.read(collection, id, { after: environment.clock.now(), urgent });
  if (!row) return;
  if (!isExpected(at, intent, { id, row })) throw existing(at, intent, id, "exists already");
  throw new Waiting("Creating", `${id} exists by now; checking whether an earlier attempt created it`, times.soon);
}

/**
 * Throws `Stalled` if the response shows an older cloud object, and `Unclear` if the settings differ from the request.
 */
export async function refuseExisting(at: Located, intent: Intent, made: Found, { rows }: Before): Promise<void> {
  if (isExpected(at, intent, made)) return;
  if (intent.known.includes(made.id) || rows.has(made.id)) throw existing(at, intent, made.id, "exists already");
  if (!(await showsOrHidesSettings(at, made.id)))
    throw new Unclear("the response to the create request shows a cloud object with other settings");
}

/**
 * Tests if an earlier attempt can have created the cloud object. Also accepts a recorded cloud object that the list did
 * not show for a while.
 */
function isExpected(at: Located, intent: Intent, { id, row }: Found): boolean {
  if (intent.previous === id) return !isAnother(at.next.origin, originOf(at.kind, row));
  return intent.since !== undefined && !contradicts(at, id);
}

async function showsOrHidesSettings(at: Located, id: string): Promise<boolean> {
  try {
    return await showsSettings(at, id);
  } catch (error) {
    if (!isHttpError(error)) throw error;
    return true;
  }
}

/** Returns the refusal, and marks the attempt as refused. The operator does not search for its result. */
export function existing(at: Located, { attempt }: Intent, id: string, what: string): Stalled {
  at.environment.memory.created(at.object.metadata.uid);
  at.next.refusedAttempt = attempt;
  // The spec contains the name, so the message can contain the name.
  const cure = leaveFor(at).existing
    ? `To adopt it, set spec.management.adopt.id: "${id}"; otherwise ${otherKey(at.kind)}`
    : chooseOtherKey(at.kind);
  return new Stalled("Conflict", `${id} in ${at.collection.path} ${what}. It is not changed. ${cure}`);
}

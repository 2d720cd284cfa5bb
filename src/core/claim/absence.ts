/**
 * Proof of absence, for kinds whose creation returns an existing cloud object.
 *
 * One read right before the POST shows that the name is free. The response must not show an earlier time of creation. Otherwise the
 * cloud object existed before: the operator does not take, change or delete it. If the settings of the creation are missing, another
 * user may have created the cloud object in that second: the outcome is unknown. Another user who creates the same cloud object with the
 * same settings in that second is not noticed.
 */
import { chooseOtherKey, otherKey } from "../kind/fields.ts";
import type { JsonObject } from "../../api/types.ts";
import { isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
import type { Located } from "../flow/reconciliation.ts";
import { leaveFor } from "../read/leave.ts";
import type { Intent } from "./intent.ts";
import { apiTime, isAnother, originOf } from "./origin.ts";
import type { Found } from "./search.ts";
import { contradicts, showsSettings } from "./search.ts";
import { roundingMs, skewOf } from "./skew.ts";
import type { Before } from "./taken.ts";

export interface Absence {
  /** What an attempt before this one has created meanwhile: nothing more is to be sent. */
  found?: Found;
  /** To be called when the POST leaves. Throws `Waiting` where it was held for so long that nothing proves the absence. */
  onSent: () => void;
  /** Throws `Stalled` if the response shows a cloud object from before, and `Unclear` if nothing proves who created it. */
  refuseExisting: (made: Found) => Promise<void>;
}

/** The response does not tell what the request created. The outcome is unknown, and the search decides. */
export class Unclear extends Error {}

/** Reads that the name is free. Throws `Stalled` if it is not. Returns undefined for a kind whose creation never returns an existing one. */
export async function proveAbsence(at: Located, intent: Intent, { rows }: Before): Promise<Absence | undefined> {
  const { kind, collection, session, environment, urgent } = at;
  if (kind.unique !== "returnsExisting") return undefined;
  const id = collection.idOf(intent.pattern);
  const row = await session.observer.read(collection, id, { after: environment.clock.now(), urgent });
  if (row && !isExpected(at, intent, { id, row })) throw existing(at, intent, id, "exists already");
  const absentAt = environment.clock.now();
  let sent = { at: absentAt, serverTime: session.client.serverTime().getTime() };
  return {
    ...(row && { found: { id, row } }),
    onSent() {
      const heldMs = environment.clock.now() - absentAt;
      // Once: a connection may be as slow each time.
      if (heldMs > promptMs && skewOf(at) === undefined && at.remembered.heldBack !== true) {
        at.remembered.heldBack = true;
        throw new Waiting(
          "Creating",
          "the create request waited too long to be sent; checking again that the cloud object does not exist",
          100,
        );
      }
      sent = { at: environment.clock.now(), serverTime: session.client.serverTime().getTime() };
    },
    async refuseExisting(made) {
      if (isExpected(at, intent, made)) return;
      const time = timeOf(at, made.row);
      const skewMs = skewOf(at);
      const notBefore = sent.serverTime - (skewMs ?? 0);
      const isOlder = time < notBefore - (skewMs === undefined ? existingMs : roundingMs);
      if (intent.known.includes(made.id) || rows.has(made.id) || isOlder)
        throw existing(at, intent, made.id, "exists already");
      if (sent.at - absentAt > promptMs && time < Math.floor(notBefore / 1_000) * 1_000)
        throw existing(at, intent, made.id, "may belong to somebody else: nothing proves that this object created it");
      if (!(await showsOrHidesSettings(at, made.id)))
        throw new Unclear("the response to the create request shows a cloud object with other settings");
    },
  };
}

/** What was created so long before, by a clock of which nothing was learnt, existed before, milliseconds. */
const existingMs = 10_000;

/** A POST that left so soon after the read leaves no room for others, milliseconds. */
const promptMs = 1_000;

/** True for what an attempt before this one may have created, and for what is recorded and shows up again. */
function isExpected(at: Located, intent: Intent, { id, row }: Found): boolean {
  if (intent.previous === id) return !isAnother(at.next.origin, originOf(at.kind, row));
  return intent.since !== undefined && !contradicts(at, id, row, existingMs);
}

function timeOf({ kind }: Located, row: JsonObject): number {
  const { createdField } = kind;
  const created = createdField === undefined ? undefined : row[createdField];
  return typeof created === "string" ? apiTime(created) : Number.NaN;
}

/** True where what the creation sets beside the row is there, or cannot be read. */
async function showsOrHidesSettings(at: Located, id: string): Promise<boolean> {
  try {
    return await showsSettings(at, id);
  } catch (error) {
    if (!isHttpError(error)) throw error;
    return true;
  }
}

/** The attempt counts as one that did nothing: what is there is not searched for, and not deleted with the object. */
export function existing(at: Located, { attempt }: Intent, id: string, what: string): Stalled {
  at.environment.memory.created(at.object.metadata.uid);
  at.next.refusedAttempt = attempt;
  // Its name is what this object asks for.
  const cure = leaveFor(at).existing
    ? `To adopt it, set spec.management.adopt.id: "${id}"; otherwise ${otherKey(at.kind)}`
    : chooseOtherKey(at.kind);
  return new Stalled("Conflict", `${id} in ${at.collection.path} ${what}. It is not changed. ${cure}`);
}

/**
 * Recording what a search found, where a creation got no response. Where neither a tag nor a unique name proves that the
 * attempt created it, it may be what somebody else created at that moment, and the attempt is carried out later: then the
 * intent keeps the attempt, so that what else appears of it is reported as a twin (twins.ts).
 */
import type { Located, Observed } from "../model/context.ts";
import { givenUp } from "../model/intent.ts";
import type { Intent } from "../model/intent.ts";
import { originOf } from "../model/origin.ts";
import { patchIntent } from "./patch-intent.ts";
import { record } from "./record.ts";
import type { Found } from "../read/search.ts";

/** The cloud object is this object's own from now on. Throws `KubeError` where the intent cannot be stored. */
export async function recordFound(at: Located, found: Found, intent: Intent): Promise<Observed> {
  const { applied } = intent;
  if (mayBeOthers(at, intent)) await keepAttempt(at, found, intent);
  return record(at, found, { applied });
}

function mayBeOthers({ kind, object, stray, remembered: { lost } }: Located, intent: Intent): boolean {
  const { uid, tag, attempt } = intent;
  const isUnique = kind.unique === "enforced" || kind.unique === "returnsExisting";
  // What was accepted is created at once.
  const isAccepted = lost?.attempt === attempt && lost.message === undefined;
  return !isUnique && tag === undefined && !isAccepted && uid === object.metadata.uid && !stray;
}

async function keepAttempt(at: Located, { id, row }: Found, intent: Intent): Promise<void> {
  const { pattern, known, applied, retires, operations } = intent;
  const origin = originOf(at.kind, row);
  await patchIntent(at, {
    pattern,
    known,
    former: givenUp(intent),
    ...(applied && { applied }),
    ...(operations && { operations }),
    ...(retires && { retires }),
    is: { id, ...(origin !== undefined && { origin }) },
  });
}

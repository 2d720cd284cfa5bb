/**
 * Replaces an existing cloud object: creates the successor, publishes its secret, and then deletes the predecessor. The
 * Secret is valid at each moment. The signed intent names the predecessor until the deletion is complete.
 */
import { publishSecret } from "./publish-secret.ts";
import { discardUnknown } from "./replace-unknown.ts";
import { removeOther } from "./delete.ts";
import { disrupts } from "../watch/dependents.ts";
import { readRow } from "../read/lookup.ts";
import type { Located, Observed } from "../model/context.ts";
import { isPublishedFor, secretOf } from "../secrets/own-secrets.ts";
import { ensureCreated } from "./create.ts";
import { isAnother, originOf } from "../model/origin.ts";
import { ownerOf } from "../model/ownership.ts";
import { recordedOf, retiredOf } from "../store/proven.ts";
import { ensureRecorded } from "../store/record.ts";
import { restateIntent } from "../store/restate.ts";

/** Returns the object with a new cloud object if the spec asks for a replacement, otherwise the unchanged object. */
export async function renew(at: Observed): Promise<Observed> {
  if (!isRenewalDue(at)) return at;
  // An intent names only one predecessor, so the operator finishes the former replacement first.
  if (formerOf(at, at.id)) {
    if (!(await isPublishedFor(at, at))) return replaceLost(at);
    await publishSecret(at);
    await conclude(at);
  }
  const { origin } = at.next;
  at.renews = { id: at.id, ...(origin !== undefined && { origin }) };
  return ensureCreated(at, { state: "none" });
}

/**
 * Replaces a cloud object whose secret was never published, or lost. The predecessor stays until the operator publishes
 * the new secret.
 */
async function replaceLost(at: Observed): Promise<Observed> {
  await discardUnknown(at, recordedOf(at), `no Secret holds the secret of ${at.id}`);
  return ensureCreated(at, { state: "none" });
}

function isRenewalDue({ kind, spec, next: { applied }, observing }: Observed): boolean {
  if (observing) return false;
  return Object.entries(kind.fields).some(([name, { replaces }]) => replaces && disrupts(kind, spec, applied, name));
}

/**
 * Deletes the predecessor after the operator published the new secret. Then stores the new ID in the intent, as the
 * proof for a restored object.
 */
export async function conclude(at: Observed): Promise<void> {
  if (!secretOf(at, at.row)?.ofCreation) return;
  await retireFormer(at, at.id);
  if (at.intent?.is?.id !== at.id) await restateIntent(at, at.id);
}

/** Deletes the predecessor of `current`. Throws `Waiting` until the predecessor is absent. */
export async function retireFormer(at: Located, current: string | undefined): Promise<void> {
  const former = formerOf(at, current);
  if (!former) return;
  if (current !== undefined) await ensureRecorded(at);
  const { environment, object, kind, collection } = at;
  const owner = ownerOf(environment, object, { collection: collection.path, id: former.id });
  const row = owner ? undefined : await readRow(at, former.id);
  const isSame = row !== undefined && !isAnother(former.origin, originOf(kind, row));
  const retired = isSame && at.intent ? retiredOf(at.intent, row) : undefined;
  if (retired) await removeOther(at, retired);
  if (current === undefined || at.stray) return;
  const { operations } = at.intent ?? {};
  await restateIntent(at, current, { ...(operations && { operations }) });
}

function formerOf(at: Located, current: string | undefined) {
  const former = at.intent?.retires;
  return former?.id === current ? undefined : former;
}

/**
 * A new cloud object in place of one that exists: created, its secret published, and only then the former one deleted, so
 * that the Secret is valid at each moment. The signed intent names the former one until it is gone.
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

/** The object with a new cloud object where the spec asks for one; as it is where it does not. */
export async function renew(at: Observed): Promise<Observed> {
  if (!isRenewalDue(at)) return at;
  // One after the other: an intent names one former cloud object.
  if (formerOf(at, at.id)) {
    if (!(await isPublishedFor(at, at))) return replaceLost(at);
    await publishSecret(at);
    await conclude(at);
  }
  const { origin } = at.next;
  at.renews = { id: at.id, ...(origin !== undefined && { origin }) };
  return ensureCreated(at, { state: "none" });
}

/** The present one was never in use, or its Secret is lost; the former one stays until its successor is published. */
async function replaceLost(at: Observed): Promise<Observed> {
  await discardUnknown(at, recordedOf(at), `no Secret holds the secret of ${at.id}`);
  return ensureCreated(at, { state: "none" });
}

function isRenewalDue({ kind, spec, next: { applied }, observing }: Observed): boolean {
  if (observing) return false;
  return Object.entries(kind.fields).some(([name, { replaces }]) => replaces && disrupts(kind, spec, applied, name));
}

/**
 * After the secret of a new cloud object was published: the former one is deleted, and the intent names the new one, since
 * nothing else would prove it to a restored object.
 */
export async function conclude(at: Observed): Promise<void> {
  if (!secretOf(at, at.row)?.ofCreation) return;
  await retireFormer(at, at.id);
  if (at.intent?.is?.id !== at.id) await restateIntent(at, at.id);
}

/** Deletes the cloud object in whose place `current` is. Throws `Waiting` until it is gone. */
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

/**
 * Replaces an existing cloud object: creates the successor, publishes its secret, and then deletes the predecessor. The
 * Secret is valid at each moment. With a grace period, the predecessor also stays valid for that time. The signed
 * journal entry names the predecessor until the deletion is complete.
 */
import type { JournalEntry } from "../model/journal.ts";
import { elapsedMs } from "../model/elapsed.ts";
import { times } from "../kind/times.ts";
import { publishSecret } from "./publish-secret.ts";
import { discardUnknown } from "./replace-unknown.ts";
import { removeOther } from "./delete.ts";
import { disrupts } from "../watch/dependents.ts";
import { readRow } from "../read/lookup.ts";
import type { Located, Observed } from "../model/context.ts";
import { withFacts } from "../model/context.ts";
import { isPlanned } from "../send/permission.ts";
import type { Call } from "../kind/call.ts";
import { laterCreation } from "./planned-creation.ts";
import { isPublishedFor, secretOf } from "../secrets/own-secrets.ts";
import { ensureCreated } from "./create.ts";
import { isAnother, originOf } from "../model/origin.ts";
import { ownerOf } from "../model/owners.ts";
import { recordedOf, retiredOf } from "../store/proven.ts";
import { ensureRecorded } from "../store/record.ts";
import { rewriteEntry } from "../store/rewrite-entry.ts";

/** Returns the object with a new cloud object if the spec asks for a replacement, otherwise the unchanged object. */
export async function renew(ctx: Observed): Promise<Observed> {
  if (!isRenewalDue(ctx)) return ctx;
  const { origin } = ctx.next;
  const renews = { id: ctx.id, ...(origin !== undefined && { origin }) };
  // A journal entry names only one predecessor, so the operator finishes the former replacement first.
  if (formerCloudObject(ctx, ctx.id)) {
    if (!(await isPublishedFor(ctx, ctx))) return replaceLost(ctx);
    await publishSecret(ctx);
    await finish(ctx, async () => [await laterCreation(ctx, renews)]);
  }
  return ensureCreated(withFacts(ctx, { renews }), { state: "none" });
}

/**
 * Replaces a cloud object whose secret was never published, or lost. The predecessor stays until the operator publishes
 * the new secret.
 */
async function replaceLost(ctx: Observed): Promise<Observed> {
  await discardUnknown(ctx, recordedOf(ctx), `no Secret holds the secret of ${ctx.id}`);
  return ensureCreated(ctx, { state: "none" });
}

function isRenewalDue({ kind, spec, next: { applied }, observing }: Observed): boolean {
  if (observing) return false;
  return Object.entries(kind.fields).some(([name, { replaces }]) => replaces && disrupts(kind, spec, applied, name));
}

/** Ends a replacement after the operator published the new secret, and after the grace period of the predecessor. */
export async function conclude(ctx: Observed): Promise<void> {
  if (!secretOf(ctx, ctx.row)?.ofCreation) return;
  const { retires } = withFacts(ctx, { retires: await inGrace(ctx) });
  if (retires) return;
  try {
    await finish(ctx);
  } catch (error) {
    // The new cloud object works, so a deletion that waits for a user changes no readiness.
    const id = formerCloudObject(ctx, ctx.id)?.id;
    if (id === undefined || !isPlanned(error)) throw error;
    withFacts(ctx, { retires: { id, leftMs: ctx.environment.resyncMs(), pending: error.message } });
  }
}

/**
 * Returns the predecessor during its grace period. The journal entry contains the start, so that a restart does not
 * change the end. A start in the future comes from a wrong `Date` header, and the period starts again.
 */
async function inGrace(ctx: Observed): Promise<Observed["retires"]> {
  const former = formerCloudObject(ctx, ctx.id);
  const graceMs = graceSecondsOf(ctx) * 1_000;
  if (!former || graceMs === 0) return undefined;
  const passedMs = former.since === undefined ? -Infinity : elapsedMs(ctx.session, former.since);
  if (passedMs < -times.apply) {
    // A journal entry that names the successor would contradict the old status.
    await ensureRecorded(ctx);
    const since = ctx.session.client.serverTime().toISOString();
    await rewriteEntry(ctx, ctx.id, { ...keptMembers(ctx), retires: { ...former, since } });
  }
  const leftMs = graceMs - Math.max(0, passedMs);
  return leftMs > 0 ? { id: former.id, leftMs } : undefined;
}

function graceSecondsOf({ kind, spec }: Observed): number {
  const seconds = Object.values(kind.fields).map(({ graceSeconds }) => graceSeconds?.(spec) ?? 0);
  return Math.max(0, ...seconds);
}

/**
 * Deletes the predecessor. Then stores the new ID in the journal entry, as the proof for a restored object.
 */
async function finish(ctx: Observed, following?: () => Promise<Call[]>): Promise<void> {
  await retireFormer(ctx, ctx.id, following);
  if (ctx.entry?.is?.id !== ctx.id) await rewriteEntry(ctx, ctx.id);
}

/**
 * Deletes the predecessor of `current`. Throws `Waiting` until the predecessor is absent. `following`: returns later
 * requests for the plan.
 */
export async function retireFormer(
  ctx: Located,
  current: string | undefined,
  following?: () => Promise<Call[]>,
): Promise<void> {
  const former = formerCloudObject(ctx, current);
  if (!former) return;
  if (current !== undefined) await ensureRecorded(ctx);
  const { environment, object, kind, collection } = ctx;
  const owner = ownerOf(environment, object, { collection: collection.path, id: former.id });
  const row = owner ? undefined : await readRow(ctx, former.id);
  const isSame = row !== undefined && !isAnother(former.origin, originOf(kind, row));
  const retired = isSame && ctx.entry ? retiredOf(ctx.entry, row) : undefined;
  if (retired) await removeOther(ctx, retired, following && { following });
  if (current === undefined || ctx.orphaned) return;
  await rewriteEntry(ctx, current, keptMembers(ctx));
}

/** Returns the members of the journal entry that the end of a replacement does not change. */
function keptMembers({ entry }: Located): Pick<JournalEntry, "operations"> {
  return entry?.operations ? { operations: entry.operations } : {};
}

function formerCloudObject(ctx: Located, current: string | undefined) {
  const former = ctx.entry?.retires;
  return former?.id === current ? undefined : former;
}

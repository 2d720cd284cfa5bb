/** Recording which cloud object is an object's own: in this process at once, in its status before anything else is sent for it. */
import { statusOf } from "../kind/object.ts";
import { naturalKey } from "../kind/fields.ts";
import type { JsonObject } from "../../api/types.ts";
import { mergePatch, plain } from "../kind/differences.ts";
import { isPresent } from "../model/environment.ts";
import { resourceOf } from "../kind/resource.ts";
import type { Located, Observed, Reconciliation } from "../model/context.ts";
import type { Recorded } from "../model/memory.ts";
import { originOf } from "../model/origin.ts";
import { appliedProofOf, proofOf } from "../model/signature.ts";
import type { Done } from "../model/signature.ts";

/** The cloud object is this object's own from now on. */
export function record(
  at: Located,
  { id, row }: { id: string; row: JsonObject },
  how: Pick<Recorded, "adopted" | "applied">,
): Observed {
  const { kind, next, remembered, environment, wanted, collection } = at;
  const recorded: Recorded = { id, origin: originOf(kind, row), ...how };
  Object.assign(next, recorded, {
    adopted: how.adopted,
    refusedAttempt: undefined,
    deletedID: undefined,
    operations: [],
  });
  remembered.recorded = recorded;
  forgetDeletion(at, id);
  if (!how.adopted) remembered.madeAt = environment.clock.now();
  environment.claims.note(at.key, { collection: collection.path, id, naturalKey: naturalKey(kind, wanted) });
  return Object.assign(at, { id, row, fresh: true });
}

/** An id that is used again is of another cloud object: that the one before was deleted proves nothing of it. */
function forgetDeletion({ remembered, environment, session, collection }: Located, id: string): void {
  environment.memory.noteMade(session.account, collection.itemPath(id));
  if (remembered.askedToDelete === id) remembered.askedToDelete = undefined;
  if (remembered.deleted !== id) return;
  remembered.deleted = undefined;
  remembered.deletedAt = undefined;
}

/**
 * Saves the id before anything else is sent: after a crash nothing would find what was renamed or resized since its
 * creation. Throws `KubeError`; a 404 means that the object is gone.
 */
export async function ensureRecorded(at: Reconciliation): Promise<void> {
  const { id, adopted = false } = at.next;
  if (at.status.id !== id || (at.status.adopted ?? false) !== adopted) await saveStatus(at);
}

/** What the status records of the cloud object, with the proofs of it. Undefined members stand for what it must not have. */
export function recordedStatus({ environment, object, next }: Reconciliation): Record<RecordedField, unknown> {
  const { id, origin, applied, deletedID, refusedAttempt } = next;
  const adopted = next.adopted || undefined;
  // What runs once records no cloud object: its operation is in the intent alone.
  const operations = id === undefined || next.operations.length === 0 ? undefined : next.operations;
  const key = environment.installationKey;
  const proof = id === undefined ? undefined : proofOf(object, next, key);
  const done = { applied, operations, deletedID, refusedAttempt };
  return {
    id,
    origin,
    adopted,
    ...done,
    proof,
    appliedProof: appliedProofOf(object, { id, ...done, run: next.run }, key),
  };
}

type RecordedField = "id" | "origin" | "adopted" | "proof" | "appliedProof" | Exclude<keyof Done, "run">;

/** Writes what is recorded, at once, apart from the closing patch. Throws `KubeError`. */
export async function saveStatus(at: Reconciliation): Promise<void> {
  const before = at.status as unknown as JsonObject;
  const patch = mergePatch(before, plain({ ...before, ...recordedStatus(at) }) as JsonObject);
  if (!at.stray && patch) await storeStatus(at, patch);
}

/** Changes the stored status. Throws `KubeError`. */
export async function storeStatus(at: Reconciliation, patch: JsonObject): Promise<void> {
  const { environment, kind, object, remembered } = at;
  const written = await environment.kube.patchStatus(resourceOf(kind), object, patch);
  environment.stored(object, written);
  at.object = written;
  at.status = statusOf(written);
  // From here on a deletion finds the id there. Where the object ended before the answer to this write came, nothing finds
  // it any more, and what was created for it remains to be deleted.
  const saved = remembered.recorded !== undefined && at.status.id === remembered.recorded.id;
  if (saved && isPresent(environment, written)) environment.memory.created(written.metadata.uid);
}

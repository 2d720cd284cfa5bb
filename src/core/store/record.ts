/** Records the cloud object of a custom resource: immediately in the memory, and in the status before the next request. */
import { statusOf } from "../kind/object.ts";
import { naturalKey } from "../kind/fields.ts";
import type { JsonObject } from "../../api/types.ts";
import { mergePatch, plain } from "../kind/differences.ts";
import { isPresent } from "../model/environment.ts";
import { resourceOf } from "../kind/resource.ts";
import type { Located, Observed, Context } from "../model/context.ts";
import { setCloudObject, toObserved } from "../model/context.ts";
import type { Recorded } from "../model/memory.ts";
import { forgetDeletion } from "../model/deletion.ts";
import { originOf } from "../model/origin.ts";
import { storedRecord } from "../model/stored.ts";
import { factsIn, recordText } from "../kind/record.ts";

/** Records the cloud object as owned. */
export function record(
  ctx: Located,
  { id, row }: { id: string; row: JsonObject },
  how: Pick<Recorded, "adopted" | "applied">,
): Observed {
  const { kind, next, remembered, environment, desired, collection } = ctx;
  const recorded: Recorded = { id, origin: originOf(kind, row), ...how };
  setCloudObject(ctx, { ...recorded, adopted: how.adopted });
  next.refusedAttempt = undefined;
  next.discarded = undefined;
  next.deletedID = undefined;
  next.operations = [];
  next.notes = undefined;
  remembered.recorded = recorded;
  environment.memory.noteMade(ctx.session.account, collection.itemPath(id));
  forgetDeletion(remembered, id);
  if (!how.adopted) remembered.madeAt = environment.clock.now();
  environment.claims.note(ctx.key, { collection: collection.path, id, naturalKey: naturalKey(kind, desired) });
  return toObserved(ctx, { id, row, fresh: true });
}

/**
 * Stores the ID before the next request. After a crash, a search could not find a cloud object that another user renamed or
 * resized. Throws `KubeError`; a 404 means that the custom resource does not exist.
 */
export async function ensureRecorded(ctx: Context): Promise<void> {
  const { id, adopted = false } = ctx.next;
  if (ctx.stored.id !== id || (ctx.stored.adopted ?? false) !== adopted) await saveStatus(ctx);
}

/** Returns the record for the status, and the ID for users. An undefined member is for a field that the status must not have. */
export function recordedStatus({ environment, object, next }: Context): Record<"id" | "record", string | undefined> {
  const { id } = next;
  const adopted = next.adopted || undefined;
  // A kind that runs once records no cloud object. Only the journal entry has its operation.
  const operations = id === undefined || next.operations.length === 0 ? undefined : next.operations;
  const facts = { ...factsIn(next), adopted, operations };
  return { id, record: recordText(object, facts, environment.installationKey) };
}

/** Stores the record now, before the final status patch. Throws `KubeError`. */
export async function saveStatus(ctx: Context): Promise<void> {
  const before = ctx.status as unknown as JsonObject;
  const patch = mergePatch(before, plain({ ...before, ...recordedStatus(ctx) }) as JsonObject);
  if (!ctx.orphaned && patch) await storeStatus(ctx, patch);
}

/** Changes the stored status. Throws `KubeError`. */
export async function storeStatus(ctx: Context, patch: JsonObject): Promise<void> {
  const { environment, kind, object, remembered } = ctx;
  const written = await environment.kube.patchStatus(resourceOf(kind), object, patch);
  environment.stored(object, written);
  ctx.object = written;
  ctx.status = statusOf(written);
  ctx.stored = storedRecord(environment, written);
  // Now a deletion finds the ID in the status. If the custom resource ended before this response, only the memory knows the ID,
  // and the operator still has to delete the cloud object.
  const { recorded } = remembered;
  if (recorded === undefined || ctx.stored.id !== recorded.id) return;
  // From now on, only the stored record has the applied values. If a user removes the record, the operator disrupts nothing.
  remembered.recorded = { ...recorded, applied: undefined };
  if (isPresent(environment, written)) environment.memory.created(written.metadata.uid);
}

/** Deletes one cloud object. The caller has proved the origin of the cloud object. */
import { nameOf } from "../kind/naming.ts";
import type { Json } from "../../api/types.ts";
import { deletedAt, forgetAsked, noteDeletion } from "../model/deletion.ts";
import { confirmStillMeant } from "../read/confirm.ts";
import { saveStatus } from "../store/record.ts";
import type { Proven } from "../store/proven.ts";
import type { Call, Request } from "../kind/call.ts";
import { isHttpError, Waiting } from "../kind/outcome.ts";
import { isContained } from "../kind/reference.ts";
import { announce } from "../store/announce.ts";
import { carryOut } from "../send/change.ts";
import { requireApproval } from "../send/permission.ts";
import { limitsOf } from "../read/blockers.ts";
import { handOverEach, namedIn, noteHoldings, takerOf } from "../send/hand-over.ts";
import { exclusiveOf } from "../model/topic.ts";
import { backoff } from "../../queue/backoff.ts";
import { readRow } from "../read/lookup.ts";
import type { Located, Observed } from "../model/context.ts";
import { live, withFacts } from "../model/context.ts";
import { listOf } from "../kind/differences.ts";
import { times } from "../kind/times.ts";

/** Facts about a deletion for its plan. */
interface DeletionPlan {
  /** The reason, as a clause. */
  because?: string;
  /** Returns the requests that follow the deletion. */
  following?: () => Promise<Call[]>;
}

/** Returns the request that deletes the cloud object, with its description. */
export function deletionCall(ctx: Observed, because?: string): Call {
  const { kind, environment, collection, id } = ctx;
  const request = kind.verbs?.remove?.(live(ctx)) ?? { method: "DELETE" as const, path: collection.itemPath(id) };
  const owned = [...environment.kinds.values()].filter(({ shape }) => shape === "owned");
  const contents = owned.some((other) => isContained(other, kind.kind)) ? " and its contents" : "";
  const reason = because === undefined ? "" : `, because ${because}`;
  return { ...request, action: "Delete", note: `deletes ${nameOf(kind, id, ctx.row)}${contents}${reason}` };
}

/** Deletes the cloud object of the custom resource. Throws `Waiting` until the cloud object is absent. */
export async function removeObserved(ctx: Observed, { because, following }: DeletionPlan = {}): Promise<void> {
  const { kind, session, collection, environment, remembered, id } = ctx;
  const name = nameOf(kind, id, ctx.row);
  withFacts(ctx, { deletes: { collection: collection.path, id } });
  const acceptedAt = deletedAt(remembered, id);
  const { times: deletions = 0 } = remembered.deletion ?? {};
  if (acceptedAt === undefined || environment.clock.now() - acceptedAt >= heedMsAfter(deletions)) {
    // If the row is unreadable, the cloud API decides if it accepts the DELETE.
    const removable = ctx.partial ? undefined : kind.removable?.(ctx.row);
    if (removable && !removable.ready)
      throw new Waiting(removable.reason, removable.message, removable.afterMs ?? times.short);
    const { note: _, ...request } = deletionCall(ctx);
    await requireApproval(ctx, async () => [deletionCall(ctx, because), ...((await following?.()) ?? [])]);
    const kept = await kind.release?.(live(ctx), {
      get: (path) => session.client.get(path),
      send: (call) => sendDeletion(ctx, call),
    });
    if (typeof kept === "string") return leaveInCloud(ctx, kept);
    await handOverAll(ctx);
    await intendDeletion(ctx);
    await sendDeletion(ctx, request).catch((error: unknown) => {
      if (isHttpError(error) && error.outcome === "ambiguous") noteDeletion(remembered, id, "unknown");
      throw error;
    });
    noteDeletion(remembered, id, "accepted", environment.clock.now());
    const done = `Deleted ${name}`;
    announce(environment, ctx.object, { type: "Normal", reason: "Deleted", action: "Delete", note: done, id });
  }
  if (await readRow(ctx, id)) throw new Waiting("Deleting", `the cloud is deleting ${name}`, times.soon);
  environment.memory.noteRemoved(session.account, collection.itemPath(id));
  // The cloud API frees a limit at the end of the deletion.
  for (const limit of limitsOf(ctx)) environment.changes.touch(limit);
}

/**
 * Throws `Waiting` for the first two seconds of a deletion. To rename an object, a user deletes it and creates a new
 * object, which can take over the cloud objects.
 */
function waitForTaker({ environment, object, orphaned, kind }: Observed, held: string[]): void {
  const { memory, clock } = environment;
  const { uid, deletionTimestamp } = object.metadata;
  if (held.length === 0 || orphaned || deletionTimestamp === undefined) return;
  const leftMs = times.soon - memory.deletingMs(uid, clock.now());
  if (leftMs <= 0) return;
  const text = `the operator waits ${times.soon / 1_000} seconds, so that another ${kind.kind} can take over ${listOf(held)}`;
  throw new Waiting("Deleting", text, leftMs);
}

/**
 * Hands exclusive cloud objects over to takers before the deletion. Throws `Waiting` until the end of the moves, for at
 * most 30 seconds.
 */
async function handOverAll(ctx: Observed): Promise<void> {
  const exclusive = exclusiveOf(ctx.kind);
  const step = exclusive && ctx.kind.steps?.[exclusive.step];
  const reads = step?.read?.(live(ctx));
  if (!exclusive || !step || !reads) return;
  const held = namedIn(ctx);
  // Without a taker, a failed read must not delay the deletion.
  if (!held.some((id) => takerOf(ctx, id))) return waitForTaker(ctx, held);
  const { observer } = ctx.session;
  const current = await observer.detail(reads.path, { ...reads, after: ctx.startedAt, urgent: true });
  const none = { ...live(ctx), refs: { [exclusive.reference]: [] } as unknown as Observed["desired"]["refs"] };
  const calls = step.calls(none, current);
  noteHoldings(ctx, exclusive.holds(current), calls);
  const wanted = calls.filter(({ gives }) => gives !== undefined && takerOf(ctx, gives));
  await handOverEach(ctx, wanted, async (call) => {
    await sendDeletion(ctx, call);
    observer.invalidate(reads.path);
  });
}

function leaveInCloud({ environment, object, kind, id, row }: Observed, why: string): void {
  const note = `${nameOf(kind, id, row)} stays in the cloud: ${why}`;
  announce(environment, object, { type: "Normal", reason: "Orphaned", action: "Delete", note, id });
}

/** Deletes a cloud object that the custom resource no longer uses, such as a replaced key. */
export async function removeOther(ctx: Located, other: Proven, plan?: DeletionPlan): Promise<void> {
  const one: Observed = { ...ctx, ...other, phase: "observed", readAt: undefined };
  try {
    await removeObserved(one, plan);
  } finally {
    withFacts(ctx, { object: one.object, status: one.status, stored: one.stored });
  }
}

/**
 * Stores the ID in the status before the DELETE, if the token has restrictions. A 404 proves nothing to such a token.
 * After a lost response or a restart, only the stored ID shows that the operator may have deleted the cloud object.
 */
async function intendDeletion(ctx: Observed): Promise<void> {
  const { deletedID, discarded } = ctx.next;
  if (!ctx.session.restricted || [deletedID, discarded?.id].includes(ctx.id)) return;
  // A changed object must not cost a patch.
  await confirmStillMeant(ctx);
  ctx.next.deletedID = ctx.id;
  // If the API server stores the patch without a response, the operator has not sent the DELETE.
  noteDeletion(ctx.remembered, ctx.id, "prepared");
  await saveStatus(ctx).catch((error: unknown) => {
    // The closing patch must not contain the ID either.
    ctx.next.deletedID = undefined;
    throw error;
  });
  withFacts(ctx, { intended: true });
}

/** Removes the stored ID after a refused DELETE. Otherwise the ID would explain why a row is missing. */
async function forgetIntended(ctx: Observed): Promise<void> {
  const { next, remembered, id } = ctx;
  forgetAsked(remembered, id);
  if (next.deletedID !== id) return;
  next.deletedID = undefined;
  // If the patch fails, the memory shows that the cloud API refused the DELETE.
  noteDeletion(remembered, id, "refused");
  await saveStatus(ctx);
}

/**
 * Returns the pause before the next DELETE if the row still exists, milliseconds. The pause doubles from `times.again`
 * to ten minutes. A gateway can have sent the response to the former DELETE.
 */
function heedMsAfter(deletions: number): number {
  return backoff(deletions, times.again, 600_000);
}

/** Sends a request of a deletion. Reads the row after a 404, because a broken gateway can answer 404 for any path. */
async function sendDeletion(ctx: Observed, request: Request): Promise<Json> {
  const { method, path } = request;
  try {
    return await carryOut(ctx, request, { priority: "delete", urgent: true });
  } catch (error) {
    const isAbsent = isHttpError(error) && error.status === 404;
    if (!isAbsent && !(isHttpError(error) && error.outcome === "ambiguous")) await forgetIntended(ctx);
    if (method !== "DELETE" || !isAbsent) throw error;
    if (path !== ctx.collection.itemPath(ctx.id)) return {};
    // The cloud API accepted no DELETE. The token can have lost a grant.
    if (ctx.intended) await forgetIntended(ctx);
    if (await readRow(ctx, ctx.id)) throw error;
    return {};
  }
}

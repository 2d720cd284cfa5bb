/**
 * Reports a cloud object that stays because another client removed the finalizer of its custom resource. The operator
 * does not delete the cloud object, because the removal can be intended.
 */
import { nameOf, nounOf } from "../kind/naming.ts";
import { operatorAnnotation } from "../kind/annotations.ts";
import { announce } from "../store/announce.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { didNothing } from "../model/attempt.ts";
import { deletedID } from "../model/deletion.ts";
import { ownershipOf } from "../model/ownership.ts";
import { accountOf } from "../model/owners.ts";
import { finalizer } from "../kind/resource.ts";
import type { Environment } from "../model/environment.ts";
import type { Verdict } from "../kind/outcome.ts";
import type { Reason } from "../kind/reasons.ts";
import { createContext } from "../model/context.ts";
import type { Context } from "../model/context.ts";
import { whyStays } from "./remove.ts";

/** Emits an event for the cloud object that a deleted object leaves behind. */
export function noteLeftBehind(environment: Environment, object: KubeObject): void {
  const kind = environment.kinds.get(object.kind);
  const remembered = environment.memory.of(object.metadata.uid);
  if (
    !kind ||
    kind.shape !== "owned" ||
    !remembered.held ||
    isTakenOver(environment, object) ||
    environment.memory.isUnfinished(object.metadata.uid)
  )
    return;
  remembered.held = undefined;
  const ctx = createContext(environment, kind, object, true);
  if (whyStays(ctx) !== undefined) return;
  tellRemainder(ctx, remainderOf(ctx), ({ id, where }) => {
    const how = id === undefined ? "" : ` with spec.management.adopt.id: "${id}"`;
    return `${where}: a user removed the finalizer ${finalizer} and deleted this object. No object manages the cloud object. To manage it again, create an object${how}. Otherwise delete it in the cloud`;
  });
}

/**
 * Remembers why the cloud object of a deleted object still exists. No condition can name holders, so the operator emits
 * an event when a holder first delays the deletion.
 */
export function noteOrphanedCreate(ctx: Context, { reason, message }: { reason: Reason; message: string }): void {
  const { environment, object, remembered } = ctx;
  const isNew = remembered.stray !== reason;
  remembered.stray = reason;
  const remainder = remainderOf(ctx);
  if (reason !== "WaitingForDependents" || !isNew || !remainder) return;
  const note = `${remainder.where}: this object was deleted during its creation, and ${message}`;
  announce(environment, object, { type: "Warning", reason, action: "Delete", note, id: remainder.id });
}

/**
 * Reasons that only a user could end, in the spec of the deleted object. A missing grant is not a member, because a
 * retry can succeed.
 */
const lasting = new Set<Reason>(["Conflict", "CreateUncertain", "Unreadable"]);

/**
 * Ends the cleanup of a deleted object if retries cannot change the reason and requests can no longer take effect.
 * Otherwise a new object with the same name would wait for ever.
 */
export function endOrphanedCreate(ctx: Context, verdict: Verdict): Verdict {
  const heldMs = heldMsOf(ctx, verdict);
  if (verdict.state !== "stalled" || !lasting.has(verdict.reason)) return verdict;
  if (heldMs <= ctx.environment.settle.billableMs) return verdict;
  const { message } = verdict;
  // After such a long time, an accepted DELETE does not explain the cloud object.
  tellRemainder(
    ctx,
    remainderOf(ctx, true),
    ({ where }) => `${where}, if it exists: this object was deleted during its creation, and ${message}`,
  );
  return { state: "gone" };
}

/**
 * Forgets a deleted object. The watch reported the deletion before the cleanup, so the reads of the object end only
 * here.
 */
export function forgetGone({ environment, object, key, orphaned }: Context): void {
  environment.memory.forget(object.metadata.uid);
  const { namespace = "", name } = object.metadata;
  if (orphaned && !environment.caches.get(object.kind)?.get({ namespace, name })) environment.unfollow(key);
}

/**
 * Returns the age of the deletion, milliseconds. For an unreadable row, counts from the first unreadable response: a
 * single bad response is no reason to stop.
 */
function heldMsOf({ environment, object, remembered }: Context, verdict: Verdict): number {
  const { memory, clock } = environment;
  const goneMs = memory.deletingMs(object.metadata.uid, clock.now());
  if (verdict.state === "stalled" && verdict.reason === "Unreadable")
    return clock.now() - (remembered.unreadSince ??= clock.now());
  remembered.unreadSince = undefined;
  return goneMs;
}

interface Remainder {
  /** The cloud object and its account, for the event. */
  where: string;
  id: string | undefined;
}

function tellRemainder(ctx: Context, remainder: Remainder | undefined, noteOf: (remainder: Remainder) => string): void {
  if (!remainder) return;
  const { environment, object, kind } = ctx;
  const note = noteOf(remainder);
  announce(environment, object, { type: "Warning", reason: "LeftBehind", action: "Delete", note, id: remainder.id });
  environment.leftBehind(kind.kind);
}

/** Returns the cloud object that stays. `asked`: also after an accepted DELETE. */
function remainderOf(ctx: Context, asked = false): Remainder | undefined {
  const claim = ownershipOf(ctx);
  const place = `in CloudAccount ${accountOf(ctx.object)}`;
  if (claim.state === "none") return undefined;
  // The operator sent no request, or the cloud API refused it.
  if (claim.state === "open" && didNothing(ctx.remembered, claim.entry)) return undefined;
  if (claim.state === "open" || claim.state === "unproven") {
    return { where: `the ${nounOf(ctx.kind)} of an unanswered create request stays ${place}`, id: undefined };
  }
  if (!asked && deletedID(ctx.remembered) === claim.id) return undefined;
  return { where: `${nameOf(ctx.kind, claim.id)} stays ${place}`, id: claim.id };
}

/** Tests if another operator took the object over, and then released it. */
function isTakenOver({ operators }: Environment, { metadata }: KubeObject): boolean {
  const holder = metadata.annotations?.[operatorAnnotation];
  return operators !== undefined && holder !== undefined && holder !== operators.own;
}

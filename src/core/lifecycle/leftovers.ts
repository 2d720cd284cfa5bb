/**
 * A cloud object that stays although nobody asked for that: its object is gone, and it was not the operator that removed
 * the finalizer. Nothing is deleted, since that may be intended; but it is reported while the operator still knows it.
 */
import { operatorAnnotation } from "../kind/annotations.ts";
import { announce } from "../store/announce.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { claimOf, didNothing } from "../model/claim.ts";
import { fixedCollectionOf } from "../model/note-claim.ts";
import { accountOf } from "../model/ownership.ts";
import { finalizer } from "../kind/resource.ts";
import type { Environment } from "../model/environment.ts";
import type { Verdict } from "../kind/outcome.ts";
import type { Reason } from "../kind/reasons.ts";
import { begin } from "../model/context.ts";
import type { Reconciliation } from "../model/context.ts";
import { whyStays } from "./remove.ts";

/** Says what stays in the cloud of an object that is gone, or can no longer be held; nothing where nothing does. */
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
  const at = begin(environment, kind, object, true);
  if (whyStays(at) !== undefined) return;
  tellRemainder(at, remainderOf(at), ({ id, where }) => {
    const how = id === undefined ? "" : ` with spec.management.adopt.id: "${id}"`;
    return `${where}: this object was deleted after somebody had removed its finalizer ${finalizer}. No object manages it. To manage it again, create an object${how}; otherwise delete it in the cloud`;
  });
}

/**
 * Remembers the reason why a cloud object still exists after its object is gone. No condition can name holders then, so the operator
 * emits an event when a holder first delays the deletion.
 */
export function noteStray(at: Reconciliation, { reason, message }: { reason: Reason; message: string }): void {
  const { environment, object, remembered } = at;
  const isNew = remembered.stray !== reason;
  remembered.stray = reason;
  const remainder = remainderOf(at);
  if (reason !== "WaitingForDependents" || !isNew || !remainder) return;
  const note = `${remainder.where}: this object was deleted during its creation, and ${message}`;
  announce(environment, object, { type: "Warning", reason, action: "Delete", note, id: remainder.id });
}

/**
 * What people alone could decide, on the object, and what may never be read. What a token or a grant is in the way of is tried
 * again.
 */
const lasting = new Set<Reason>(["Conflict", "CreateUncertain", "Unreadable"]);

/**
 * The end of an object that is gone while it is not known what was created for it, and nobody can say so on it any more: what no
 * retry changes is given up once no request can take effect any more, so that another object of its name does not wait for ever.
 */
export function endStray(at: Reconciliation, verdict: Verdict): Verdict {
  const heldMs = heldMsOf(at, verdict);
  if (verdict.state !== "stalled" || !lasting.has(verdict.reason)) return verdict;
  if (heldMs <= at.environment.settle.billableMs) return verdict;
  const { message } = verdict;
  // That its deletion was accepted explains nothing that lasts as long as this.
  tellRemainder(
    at,
    remainderOf(at, true),
    ({ where }) => `${where}, if anything was created: this object was deleted during its creation, and ${message}`,
  );
  return { state: "gone" };
}

/** Forgets an object that is gone. The deletion of a stray was announced before this reconcile, so nothing else ends its reads. */
export function forgetGone({ environment, object, key, stray }: Reconciliation): void {
  environment.memory.forget(object.metadata.uid);
  const { namespace = "", name } = object.metadata;
  if (stray && !environment.caches.get(object.kind)?.get({ namespace, name })) environment.unfollow(key);
}

/** How long it has been gone; where something cannot be read, since when that is so: one bad response is no end. Milliseconds. */
function heldMsOf({ environment, object, remembered }: Reconciliation, verdict: Verdict): number {
  const { memory, clock } = environment;
  const goneMs = memory.deletingMs(object.metadata.uid, clock.now());
  if (verdict.state === "stalled" && verdict.reason === "Unreadable")
    return clock.now() - (remembered.unreadSince ??= clock.now());
  remembered.unreadSince = undefined;
  return goneMs;
}

interface Remainder {
  /** What stays, in which collection of which account. */
  where: string;
  id: string | undefined;
}

function tellRemainder(
  at: Reconciliation,
  remainder: Remainder | undefined,
  noteOf: (remainder: Remainder) => string,
): void {
  if (!remainder) return;
  const { environment, object, kind } = at;
  const note = noteOf(remainder);
  announce(environment, object, { type: "Warning", reason: "LeftBehind", action: "Delete", note, id: remainder.id });
  environment.leftBehind(kind.kind);
}

/** `asked`: also where its deletion was accepted. */
function remainderOf(at: Reconciliation, asked = false): Remainder | undefined {
  const claim = claimOf(at);
  const collection = at.intent?.collection ?? fixedCollectionOf(at.kind) ?? at.kind.plural;
  const place = `in ${collection} of CloudAccount ${accountOf(at.object)}`;
  if (claim.state === "none") return undefined;
  // It was not sent, or certainly did nothing.
  if (claim.state === "open" && didNothing(at, claim.intent)) return undefined;
  if (claim.state === "open" || claim.state === "unproven") {
    const attempt = claim.state === "open" ? claim.intent.attempt : claim.attempt;
    return { where: `What attempt ${attempt} may have created stays ${place}`, id: undefined };
  }
  // The cloud API has accepted its deletion.
  if (!asked && at.remembered.deleted === claim.id) return undefined;
  return { where: `${claim.id} stays ${place}`, id: claim.id };
}

/** Another operator took it in since, and released it. */
function isTakenOver({ custody }: Environment, { metadata }: KubeObject): boolean {
  const holder = metadata.annotations?.[operatorAnnotation];
  return custody !== undefined && holder !== undefined && holder !== custody.own;
}

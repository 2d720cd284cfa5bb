/**
 * Enforces the policy of an object. `Manage` permits all requests, `Observe` permits no request, and `Plan` permits
 * approved requests. `driftPolicy: Report` forbids requests that only correct drift. A read-only operator treats
 * `Manage` like `Plan`, and accepts no approval.
 *
 * An approved plan runs once. The hash covers the object, the generation, the observed row, the previous plan, all bytes
 * of the requests and their content, and the differences that the requests end. An equal plan therefore has a different
 * hash later. The hash is keyed, because the bytes can contain passwords.
 */
import { approveAnnotation, approvedAnnotation, orphanAnnotation } from "../kind/annotations.ts";
import { createHash, createHmac } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { realAccountOf } from "../model/owners.ts";
import { patchMetadata } from "../store/finalizer.ts";
import type { Call } from "../kind/call.ts";
import { effectOf } from "../kind/changes.ts";
import type { Concern } from "../kind/concern.ts";
import type { Difference } from "../kind/differences.ts";
import { Invalid, Stalled, Waiting } from "../kind/outcome.ts";
import { outgoing } from "../model/outgoing.ts";
import type { Outgoing } from "../model/outgoing.ts";
import { isSpecOfAdoption, isUnapplied } from "../model/adoption.ts";
import { wasMadeSo } from "../model/drift.ts";
import { annotate } from "../model/uncertain.ts";
import { describePlan, effectsOf, neverSentBecause, planOf } from "./plan.ts";
import type { Asks, Planned } from "./plan.ts";
import type { Connected, Located, Observed } from "../model/context.ts";
import { live, withFacts } from "../model/context.ts";

/** The calls of an update or a step. */
interface PlannedChanges {
  calls: Call[];
  found: Difference[];
  /** The differences that the calls end. An approval covers them, so that no call replaces a value without a review. */
  shown: Difference[];
  concerns: readonly Concern[];
}

/** Returns the calls that the policy permits now. Adds the other calls to the plan, or the differences to the drift. */
export function permittedOf(ctx: Observed, { calls, found, shown, concerns }: PlannedChanges): Call[] {
  const isPlanned = ctx.management.policy === "Plan";
  if (!isPlanned && reportsOnly(ctx)) {
    ctx.next.drift = [...(ctx.next.drift ?? []), ...found];
    return [];
  }
  const asks = isPlanned || (isAdopting(ctx) && concerns.some((one) => one !== "none"));
  if (!asks && !isReadOnly(ctx)) return calls;
  const sendable = calls.filter((call) => neverSentBecause(call) === undefined);
  if (!isReadOnly(ctx) && sendable.length > 0 && isApproved(ctx, digestsOf(ctx, sendable), shown)) return sendable;
  const reason = isPlanned || !asks ? "WaitingForApproval" : "AdoptionDiffers";
  const before = ctx.planned ?? { calls: [], shown: [] };
  withFacts(ctx, { planned: { calls: [...before.calls, ...calls], shown: [...before.shown, ...shown], reason } });
  return [];
}

/**
 * Returns true until the operator applied the spec to an adopted cloud object for the first time. Until then, the operator asks before
 * it changes access, data or cost.
 */
function isAdopting(ctx: Observed): boolean {
  return ctx.kind.shape === "owned" && ctx.management.adopt?.overwrite !== true && isUnapplied(ctx);
}

/**
 * Returns if the policy permits the calls. If the calls need an approval, or the operator is read-only, stores the plan
 * and throws `Waiting`.
 */
export async function requireApproval(ctx: Planned, calls: Call[] | (() => Promise<Call[]>)): Promise<void> {
  if (!isReadOnly(ctx) && !isOnlyPlanned(ctx)) return;
  await askFor(ctx, typeof calls === "function" ? await calls() : calls, "WaitingForApproval");
}

function isOnlyPlanned({ management, orphaned }: Connected): boolean {
  return management.policy === "Plan" && !orphaned;
}

/** Returns true for an error of `requireApproval`. */
export function isPlanned(error: unknown): error is Waiting {
  return error instanceof Waiting && ["ReadOnly", "WaitingForApproval"].includes(error.reason);
}

/**
 * Ends an approval of changes that the operator no longer needs. An approval of a creation or deletion stays until the end
 * of the reconcile.
 */
export function endChanges({ remembered }: Connected): void {
  if ((remembered.approved?.shown.size ?? 0) > 0) remembered.approved = undefined;
}

/**
 * Returns if the user approved the calls. Otherwise stores the plan and throws `Waiting`. `shown`: the differences that
 * the calls end.
 */
export async function askFor(ctx: Planned, calls: Call[], reason: Asks, shown: Difference[] = []): Promise<void> {
  const sendable = calls.filter((call) => neverSentBecause(call) === undefined);
  const digests = digestsOf(ctx, sendable);
  const isApprovable = !isReadOnly(ctx) && sendable.length > 0;
  if (isApprovable && sendable.length === calls.length && isApproved(ctx, digests, shown)) return;
  const hash = hashOf(ctx, calls, shown);
  notePlan(ctx, hash);
  if (isApprovable && ctx.object.metadata.annotations?.[approveAnnotation] === hash) {
    const { generation } = ctx.object.metadata;
    // The operator stores the spent approval before the first request, so that a restart does not run the plan again.
    // The patch fails if the object changed.
    ctx.object = await patchMetadata(ctx.environment, ctx.kind, ctx.object, {
      annotations: { [approvedAnnotation]: hash },
    });
    ctx.next.approvedPlan = hash;
    const seen = new Set(shown.map(markOfDifference));
    const rows = new Map([[ctx.id ?? "", ctx.row]]);
    ctx.remembered.approved = { hash, generation, rows, digests: new Set(digests), shown: seen };
    withFacts(ctx, { approved: true });
    return;
  }
  // The remaining requests of an earlier approval do not fit the present plan.
  const { approved } = ctx.remembered;
  if (approved && approved.digests.size > 0) ctx.remembered.overtaken = approved.hash;
  ctx.remembered.approved = undefined;
  ctx.next.plan = await planOf(ctx, calls, hash);
  refuseReadOnly(ctx, effectsOf(ctx.next.plan), reason === "AdoptionDiffers" || isOnlyPlanned(ctx));
  throw new Waiting(reason, describePlan(ctx, ctx.next.plan, reason), ctx.environment.resyncMs());
}

/** Most plans that the memory keeps, to explain an approval of an earlier plan. */
const mostPlans = 10;

function notePlan({ remembered, object }: Planned, hash: string): void {
  const { plans = [] } = remembered;
  if (plans.at(-1)?.hash === hash) return;
  remembered.plans = [...plans, { hash, generation: object.metadata.generation }].slice(-mostPlans);
}

function isReadOnly({ environment }: Connected): boolean {
  return environment.settings.readOnly;
}

/**
 * Throws `Waiting` if the operator is read-only. `what`: the requests that the operator does not send. `asks`: the
 * requests also need an approval.
 */
export function refuseReadOnly(ctx: Connected, what: string, asks = false): void {
  if (!isReadOnly(ctx)) return;
  const deleting = ctx.object.metadata.deletionTimestamp !== undefined;
  const approve = asks ? ". The plan then also needs an approval" : "";
  const keep = deleting
    ? `. To keep the cloud object and remove this object: ${annotate(ctx.object, orphanCommand)}`
    : "";
  throw new Waiting(
    "ReadOnly",
    `${what}. The operator is read-only and changes nothing. To have it done, set readOnly in the values of the chart to false, or --read-only to off${approve}${keep}`,
    ctx.environment.resyncMs(),
  );
}

const orphanCommand = `${orphanAnnotation}=true`;

/** Throws `Stalled` for a first call that the spec does not permit. A plan shows such a call instead. */
export function refuseLacking(ctx: Observed, [call]: Call[]): void {
  const { kind, observing, management } = ctx;
  if (call?.lacks === undefined || observing || management.policy === "Plan" || isReadOnly(ctx)) return;
  const { list, entry, instead } = call.lacks;
  throw new Stalled(
    "DisruptionNotAllowed",
    `${effectOf(kind, call, ctx.spec)} needs ${entry} in spec.${list}; add it, or ${instead}`,
  );
}

/**
 * Throws `Stalled` if a setting of the operator does not permit the kind. The message also names an invalid field,
 * which would be the next obstacle.
 */
export function refuseSwitchedOff(ctx: Observed): void {
  const { kind, setting } = ctx.kind;
  if (setting === undefined || ctx.environment.settings[setting]) return;
  const wrong = wrongIn(ctx);
  const message = [
    `the operator runs without the setting ${setting}`,
    wrong === undefined ? "The operator sends no request" : `Besides, ${wrong}`,
    `The administrator can permit every ${kind} with the chart value settings.${setting}`,
  ];
  throw new Stalled("NotPermitted", message.join(". "));
}

/**
 * Throws `Stalled` after `spec.notAfter`, by the clock of the cloud API. If a user restores an old manifest, the
 * operator must not run the action again.
 */
export function refuseExpired(ctx: Observed): void {
  const { notAfter } = ctx.spec as { notAfter?: string };
  if (notAfter === undefined || ctx.session.client.serverTime().getTime() <= Date.parse(notAfter)) return;
  throw new Stalled(
    "Expired",
    `spec.notAfter: ${notAfter} has passed. The operator does not start the operation. Create a new object with a later time`,
  );
}

function wrongIn(ctx: Observed): string | undefined {
  try {
    ctx.kind.request?.(live(ctx));
    return undefined;
  } catch (error) {
    if (error instanceof Invalid) return error.message;
    throw error;
  }
}

/** Throws `Error`, a fault of the operator, if the policy does not permit the request. */
export function refuseUnpermitted(ctx: Located, { request, digest }: Outgoing): void {
  const { policy } = ctx.management;
  const deleting = ctx.object.metadata.deletionTimestamp !== undefined;
  const refused = ctx.observing || (policy === "Plan" && !deleting && !isApproved(ctx, [digest], []));
  if (refused) throw new Error(`${request.method} ${request.path} is not permitted by the policy ${policy}`);
}

/** Removes a request from the approval after it was sent, also if the outcome is unknown. */
export function spendApproval({ remembered }: Connected, { digest }: Outgoing): void {
  remembered.approved?.digests.delete(digest);
}

function digestsOf(ctx: Located, calls: Call[]): string[] {
  return calls.map((call) => outgoing(ctx, call).digest);
}

/** The value can be a secret, and the memory of the process keeps the mark. */
function markOfDifference(one: Difference): string {
  return createHash("sha256").update(JSON.stringify(one)).digest("base64url");
}

/**
 * Tests if the approval covers the requests, and each difference that they end. Changes by this object keep the
 * approval valid. A row that changed between two reconciles needs a new plan.
 */
function isApproved(ctx: Planned, digests: string[], shown: Difference[]): boolean {
  const { approved } = ctx.remembered;
  const { generation, annotations } = ctx.object.metadata;
  if (!approved || approved.generation !== generation || approved.hash !== annotations?.[approveAnnotation])
    return false;
  const { id = "", row } = ctx;
  ctx.approved ??= !approved.rows.has(id) || isDeepStrictEqual(approved.rows.get(id), row);
  if (!ctx.approved) return false;
  approved.rows.set(id, row);
  return (
    digests.every((digest) => approved.digests.has(digest)) &&
    shown.every((one) => approved.shown.has(markOfDifference(one)))
  );
}

/**
 * Tests if the operator only reports drift. With `driftPolicy: Report`, the operator must have applied the present spec
 * before, or adopted the cloud object for the present spec.
 */
function reportsOnly(ctx: Observed): boolean {
  if (ctx.observing) return true;
  if (ctx.management.driftPolicy !== "Report") return false;
  if (ctx.stored.appliedGeneration !== undefined) return wasMadeSo(ctx);
  return isSpecOfAdoption(ctx);
}

/** The price is no part of the hash: without the price list, a plan would have another hash. */
function hashOf(ctx: Planned, calls: Call[], shown: Difference[]): string {
  const { environment, object, next, row } = ctx;
  const { uid, generation, deletionTimestamp, annotations } = object.metadata;
  const ran = [next.approvedPlan, annotations?.[approvedAnnotation]];
  const account = realAccountOf(environment, object);
  const texts = calls.map(({ note, changes, lacks, stops }) => [note, changes, lacks, stops]);
  const covered = [uid, generation, deletionTimestamp, account, ran, row, digestsOf(ctx, calls), texts, shown];
  // An approval that a user gave while the operator was read-only must not count later.
  if (isReadOnly(ctx)) covered.push("read-only");
  return createHmac("sha256", environment.installationKey).update(JSON.stringify(covered)).digest("hex").slice(0, 16);
}

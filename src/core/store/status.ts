/**
 * Layer `core/store`: what the operator writes to the API server: finalizer, journal, status and events. The layer imports `core/read`
 * and lower layers.
 *
 * Only this file writes conditions, in one patch at the end of a reconcile, and only after a change.
 */
import { nameOf, sentence } from "../kind/naming.ts";
import { isReady, readyOf, reportedOf, statusOf } from "../kind/object.ts";
import { announceVerdict } from "./announce.ts";
import type { KeyObject } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../api/types.ts";
import type { KubeError } from "../../cluster/errors.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { CommonStatus, Condition } from "../kind/status-schema.ts";
import { recordedStatus, storeStatus } from "./record.ts";
import type { Assertion } from "./conditions.ts";
import { assertionsOf, conditionsFrom } from "./conditions.ts";
import { mergePatch, plain } from "../kind/differences.ts";
import { fitted } from "../kind/fitting.ts";
import { recordIn } from "../kind/record.ts";
import { timestamp } from "../kind/timestamp.ts";
import { describeDrift } from "../kind/words.ts";
import { isCutShort, isKubeError } from "../kind/outcome.ts";
import type { Verdict } from "../kind/outcome.ts";
import type { Reason } from "../kind/reasons.ts";
import { finalizer } from "../kind/resource.ts";
import { deletedID, isAskedToDelete } from "../model/deletion.ts";
import { wideTexts } from "../kind/wide-columns.ts";
import type { Context } from "../model/context.ts";
import { times } from "../kind/times.ts";

/** Stores the result of a reconcile, if the result is new or `always` is true. Throws `KubeError`. */
export async function reportStatus(ctx: Context, verdict: Verdict, always = false): Promise<void> {
  if (verdict.state === "gone" || verdict.state === "superseded" || ctx.orphaned) return;
  const { conditions, id } = ctx.status;
  const before = ctx.status as unknown as JsonObject;
  const kept = uncomparedConditions(ctx, verdict);
  const after = plain(kept ? { ...before, conditions: kept } : statusAfter(ctx, verdict)) as unknown as JsonObject;
  if (!kept && !always && !isNews(ctx, verdict, before, after)) return;
  const patch = mergePatch(before, after);
  if (!patch) return;
  try {
    await storeStatus(ctx, patch);
  } catch (error) {
    if (!noteRefusedReport(ctx, error)) throw error;
    return reportStatus(ctx, verdict, always);
  }
  if (!isReportedByAccount(verdict)) announceVerdict(ctx.environment, ctx.object, { verdict, before: conditions, id });
}

/** Ends the Ready state of a released object that finalizers of other controllers keep. The operator no longer compares it. Throws `KubeError`. */
export async function reportReleased(ctx: Context): Promise<void> {
  const { next, remembered } = ctx;
  const others = ctx.object.metadata.finalizers?.filter((one) => one !== finalizer) ?? [];
  if (next.id === undefined || others.length === 0) return;
  const isDeleted = [deletedID(remembered), next.deletedID].includes(next.id) || isAskedToDelete(remembered, next.id);
  const held = `Other finalizers keep this object: ${others.join(", ")}`;
  const name = nameOf(ctx.kind, next.id);
  const message = `${isDeleted ? `the operator deleted ${name}` : `the operator no longer manages ${name}`}. ${held}`;
  await reportStatus(ctx, { state: "waiting", reason: "Deleting", message, afterMs: undefined }, true);
}

/** Reasons that the account reports, once instead of once per object. */
const ofAccount = new Set<Reason>(["TokenRejected", "TokenMissing", "TokenMalformed", "UnknownEndpoint"]);

function isReportedByAccount(verdict: Settled): boolean {
  return ofAccount.has(verdict.reason) || (verdict.state === "waiting" && verdict.ofAccount === true);
}

const goesItsWay: ReadonlySet<string> = new Set<Reason>(["Deleting", "WaitingForParent"]);

type Settled = Exclude<Verdict, { state: "gone" | "superseded" }>;

function statusAfter(ctx: Context, verdict: Settled): CommonStatus & JsonObject {
  const { object, status, next, environment, observing } = ctx;
  const { conditions = [] } = status;
  const { report, refused } = reportToStore(ctx);
  const left = refused === undefined ? "" : `. The status is incomplete, because the API server refuses it: ${refused}`;
  const generation = object.metadata.generation ?? 0;
  return {
    ...report,
    wide: wideTexts(ctx.kind.columns, { spec: object.spec, status: report }),
    ...(verdict.reason === "Missing" && verdict.state === "stalled" && shownAsMissing(report)),
    ...recordedStatus(ctx),
    observed: next.observed ?? (observing && verdict.reason !== "Missing" ? status.observed : undefined),
    // Without a comparison, the earlier plan stays.
    plan: next.plan ?? (isCutShort(verdict) ? status.plan : undefined),
    run: next.run,
    observedGeneration: generation,
    conditions: conditionsFrom(
      conditions,
      [
        ...assertionsOf({ ...verdict, message: verdict.message + left }),
        ...driftOf(ctx, conditions),
        ...duplicateOf(ctx, conditions),
        ...unpublishedOf(ctx, conditions),
        ...completeOf(ctx, verdict),
      ],
      generation,
      environment.clock.date(),
    ),
  } as CommonStatus & JsonObject;
}

/** Returns the fields that differ for a missing cloud object, which costs nothing. */
function shownAsMissing(report: JsonObject): object {
  return { ...("state" in report && { state: "missing" }), monthly: undefined };
}

/** Returns a condition that exists only while it is true. Without a new `message`, the stored condition stays. */
function ifTrue(
  { type, reason }: Pick<Assertion, "type" | "reason">,
  message: string | undefined,
  conditions: Condition[],
): Assertion[] {
  const text = message ?? conditions.find((before) => before.type === type)?.message ?? "";
  return text === "" ? [] : [{ type, status: "True", reason, message: text }];
}

function driftOf({ kind, next }: Context, conditions: Condition[]): Assertion[] {
  return ifTrue({ type: "Drifted", reason: "Drifted" }, next.drift && describeDrift(kind, next.drift), conditions);
}

function duplicateOf({ next }: Context, conditions: Condition[]): Assertion[] {
  return ifTrue({ type: "Duplicate", reason: "CreatedLate" }, next.duplicates?.text, conditions);
}

function unpublishedOf({ next }: Context, conditions: Condition[]): Assertion[] {
  return ifTrue({ type: "Unpublished", reason: "SecretUnknown" }, next.unpublished, conditions);
}

/** Returns the condition Complete of a kind that runs once. */
function completeOf({ kind, next: { run } }: Context, { reason, message }: Settled): Assertion[] {
  if (kind.shape !== "once") return [];
  const { result } = run ?? {};
  if (result === "Complete" || result === "Superseded")
    return [{ type: "Complete", status: "True", reason: result, message }];
  return [{ type: "Complete", status: "False", reason: result ?? reason, message }];
}

/**
 * Returns true if the new status is worth a write. If the cloud API does not answer, a ready object keeps its status, because the
 * account reports the failure. During a transition, a change of figures alone causes no write.
 */
function isNews(
  { object, status: was, environment, remembered }: Context,
  verdict: Settled,
  before: JsonObject,
  after: JsonObject,
): boolean {
  if (verdict.state === "ready") return !isDeepStrictEqual(before, after);
  const seen = isReady(was) && was.observedGeneration === object.metadata.generation && before["id"] === after["id"];
  // Between two changes, the stored status is outdated.
  if (isCutShort(verdict) && seen && remembered.changedAt === undefined) return false;
  // A repeated refusal stays Refused until the search for the blocking cloud object ends.
  if (verdict.reason === "Creating" && remembered.attempt?.state === "duplicate" && wasRefused(was, object))
    return false;
  // The deletion of a ready object needs no write while it progresses. A delayed deletion needs one, and so does the end of a delay.
  const { deletionTimestamp, uid } = object.metadata;
  const isOld = !isReady(was) && !goesItsWay.has(readyOf(was.conditions)?.reason ?? "");
  if (deletionTimestamp !== undefined && goesItsWay.has(verdict.reason) && !isOld) {
    const { memory, clock } = environment;
    if (memory.deletingMs(uid, clock.now()) < times.quiet) return false;
  }
  const without = (status: JsonObject) => withoutFigures({ ...object, status }, environment.installationKey);
  return !isDeepStrictEqual(without(before), without(after));
}

function wasRefused({ conditions, observedGeneration }: CommonStatus, { metadata }: KubeObject): boolean {
  const isReported = conditions?.some(({ type, reason }) => type === "Stalled" && reason === "Refused") ?? false;
  return isReported && observedGeneration === metadata.generation;
}

function withoutFigures(object: KubeObject, key: KeyObject) {
  const { id, plan, run, observedGeneration, conditions } = statusOf(object);
  const record = recordIn(object, key);
  const { applied, operations, refusedAttempt, discarded, bound, adoption } = record ?? {};
  const isRecorded = record !== undefined;
  const recorded = { isRecorded, applied, operations, refusedAttempt, discarded, bound, adoption };
  return { id, ...recorded, plan, run, observedGeneration, conditions };
}

interface Reported {
  /** The fields of the kind for the status. */
  report: JsonObject;
  /** The reason why the newest report is not in the status; undefined if it is. */
  refused: string | undefined;
}

/**
 * Returns the report of the kind, without a report that the API server refused (422). The installed definition can permit less
 * than this version of the operator. The log shows the refusal once, and the condition shows it until the report changes.
 */
function reportToStore({ kind, object, stored, next, remembered }: Context): Reported {
  const before = next.id === stored.id ? reportedOf(object) : {};
  if (next.report === undefined) return { report: before, refused: undefined };
  const report = fitted(kind.status, next.report);
  const { refusedReport } = remembered;
  return refusedReport && isDeepStrictEqual(refusedReport.report, report)
    ? { report: before, refused: refusedReport.why }
    : { report, refused: undefined };
}

/** Records a refused report. Returns true if the next patch omits the report. */
function noteRefusedReport(ctx: Context, error: unknown): error is KubeError {
  if (!isKubeError(error) || error.status !== 422) return false;
  const { report, refused } = reportToStore(ctx);
  const { environment, key, remembered } = ctx;
  if (remembered.refusedReport?.why !== error.message)
    environment.log.error({ key, error: error.message }, "the API server refuses a status");
  if (refused !== undefined || ctx.next.report === undefined) return false;
  remembered.refusedReport = { report, why: error.message };
  return true;
}

/**
 * Returns the conditions of a ready object that the operator cannot compare now. Usually the account reports the failure. If the
 * account is ready and the failure lasts, the condition of the object shows the start and the reason.
 */
function uncomparedConditions(ctx: Context, verdict: Verdict): Condition[] | undefined {
  const { remembered, environment, object, status } = ctx;
  const { clock } = environment;
  if (verdict.state === "superseded") return undefined;
  if (!isUnanswered(verdict) || !isAccountReady(ctx)) return void (remembered.uncompared = undefined);
  remembered.uncompared ??= { at: clock.now(), since: timestamp(clock.date()) };
  const forMs = clock.now() - remembered.uncompared.at;
  const { conditions = [], id, observedGeneration } = status;
  const isSettled = isReady({ conditions }) && observedGeneration === object.metadata.generation;
  if (!isSettled || forMs < times.history || object.metadata.deletionTimestamp !== undefined) return undefined;
  const message = `${nameOf(ctx.kind, id)} was as specified at the last comparison. Since ${remembered.uncompared.since}, the operator cannot compare it: ${verdict.message}`;
  const [ready, ...others] = conditions.toSorted((a, b) => Number(b.type === "Ready") - Number(a.type === "Ready"));
  return ready && [{ ...ready, message: sentence(message).slice(0, 32_768) }, ...others];
}

/** Returns true if the cloud API or the API server failed, and the account does not report the failure. */
function isUnanswered(verdict: Verdict): verdict is Extract<Verdict, { state: "waiting" }> {
  if (!isCutShort(verdict) || verdict.ofAccount) return false;
  return verdict.reason === "CloudUnavailable" || verdict.reason === "ClusterUnavailable";
}

function isAccountReady({ cloudAccount }: Context): boolean {
  return cloudAccount !== undefined && isReady(cloudAccount.status as CommonStatus);
}

/** The closing patch: the only place where status is written, and only when something is new. */
import { announceVerdict } from "./announce.ts";
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../api/types.ts";
import type { CommonStatus, Condition } from "../kind/status-schema.ts";
import { recordedStatus, storeStatus } from "../claim/record.ts";
import { provePruned } from "../claim/restate.ts";
import type { Assertion } from "./conditions.ts";
import { assertionsOf, conditionsFrom, isReady } from "./conditions.ts";
import { mergePatch, plain } from "../kind/differences.ts";
import { describeDrift } from "../kind/words.ts";
import { isCutShort } from "../kind/outcome.ts";
import type { Verdict } from "../kind/outcome.ts";
import type { Reason } from "../kind/reasons.ts";
import type { Reconciliation } from "./reconciliation.ts";
import { uncomparedConditions } from "./uncompared.ts";
import { noteRefusedReport, reportToStore } from "./refused-report.ts";

/** Writes the result of a reconcile, if it is news. Throws `KubeError`. */
export async function reportStatus(at: Reconciliation, verdict: Verdict): Promise<void> {
  if (verdict.state === "gone" || verdict.state === "superseded" || at.stray) return;
  const { conditions, id } = at.status;
  const before = at.status as unknown as JsonObject;
  const kept = uncomparedConditions(at, verdict);
  const after = plain(kept ? { ...before, conditions: kept } : statusAfter(at, verdict)) as unknown as JsonObject;
  if (!kept && !isNews(at, verdict, before, after)) return;
  const patch = mergePatch(before, after);
  if (!patch) return;
  try {
    await storeStatus(at, patch);
  } catch (error) {
    if (!noteRefusedReport(at, error)) throw error;
    return reportStatus(at, verdict);
  }
  await provePruned(at);
  if (!isOfAccount(verdict)) announceVerdict(at.environment, at.object, { verdict, before: conditions, id });
}

/** The account has an event of it: one, not one for each of its objects. */
const ofAccount = new Set<Reason>(["TokenRejected", "TokenMissing", "TokenMalformed", "UnknownEndpoint"]);

function isOfAccount(verdict: Settled): boolean {
  return ofAccount.has(verdict.reason) || (verdict.state === "waiting" && verdict.ofAccount === true);
}

const goesItsWay = new Set<Reason>(["Deleting", "WaitingForParent"]);

/** A deletion that takes longer is held up, milliseconds. */
const shortDeletionMs = 60_000;

type Settled = Exclude<Verdict, { state: "gone" | "superseded" }>;

function statusAfter(at: Reconciliation, verdict: Settled): CommonStatus & JsonObject {
  const { object, status, next, environment, observing } = at;
  const { conditions = [] } = status;
  const { report, refused } = reportToStore(at);
  const left = refused === undefined ? "" : `. The status is incomplete, because the API server refuses it: ${refused}`;
  const generation = object.metadata.generation ?? 0;
  return {
    ...report,
    ...(verdict.reason === "Missing" && verdict.state === "stalled" && "state" in report && { state: "missing" }),
    ...recordedStatus(at),
    appliedGeneration: next.appliedGeneration,
    observed: next.observed ?? (observing && verdict.reason !== "Missing" ? status.observed : undefined),
    // What was planned before stands where nothing was compared.
    plan: next.plan ?? (isCutShort(verdict) ? status.plan : undefined),
    approvedPlan: next.approvedPlan,
    run: next.run,
    observedGeneration: generation,
    conditions: conditionsFrom(
      conditions,
      [
        ...assertionsOf({ ...verdict, message: verdict.message + left }),
        ...driftOf(at, conditions),
        ...duplicateOf(at, conditions),
        ...unpublishedOf(at, conditions),
        ...completeOf(at, verdict),
      ],
      generation,
      environment.clock.date(),
    ),
  } as CommonStatus & JsonObject;
}

/** A condition that is there only while it is true is kept as it was where this reconcile did not get as far. */
function ifTrue(
  { type, reason }: Pick<Assertion, "type" | "reason">,
  message: string | undefined,
  conditions: Condition[],
): Assertion[] {
  const text = message ?? conditions.find((before) => before.type === type)?.message ?? "";
  return text === "" ? [] : [{ type, status: "True", reason, message: text }];
}

function driftOf({ kind, next }: Reconciliation, conditions: Condition[]): Assertion[] {
  return ifTrue({ type: "Drifted", reason: "Drifted" }, next.drift && describeDrift(kind, next.drift), conditions);
}

function duplicateOf({ next }: Reconciliation, conditions: Condition[]): Assertion[] {
  return ifTrue({ type: "Duplicate", reason: "CreatedLate" }, next.twins?.text, conditions);
}

function unpublishedOf({ next }: Reconciliation, conditions: Condition[]): Assertion[] {
  return ifTrue({ type: "Unpublished", reason: "SecretUnknown" }, next.unpublished, conditions);
}

/** How what runs once has ended. */
function completeOf({ kind, next: { run } }: Reconciliation, { message }: Settled): Assertion[] {
  if (kind.shape !== "once") return [];
  const { result } = run ?? {};
  if (result === "Complete" || result === "Superseded")
    return [{ type: "Complete", status: "True", reason: result, message }];
  return [{ type: "Complete", status: "False", reason: result ?? "Running", message }];
}

/**
 * A settled object that cannot be reconciled just now keeps what was last seen: the account says that the cloud API does
 * not answer. While an object is in transition, its figures are written with the next condition, not for themselves.
 */
function isNews(
  { object, status: was, environment }: Reconciliation,
  verdict: Settled,
  before: JsonObject,
  after: JsonObject,
): boolean {
  // What an earlier version wrote without a proof gets it with the next write.
  const { proof, appliedProof } = after;
  const proofs = { ...(proof && { proof }), ...(appliedProof && { appliedProof }) };
  if (verdict.state === "ready") return !isDeepStrictEqual({ ...proofs, ...before }, after);
  const seen = isReady(was) && was.observedGeneration === object.metadata.generation && before["id"] === after["id"];
  if (isCutShort(verdict) && seen) return false;
  // A deletion that makes progress needs no message; one that is held up does.
  const { deletionTimestamp, uid } = object.metadata;
  if (deletionTimestamp !== undefined && goesItsWay.has(verdict.reason)) {
    const { memory, clock } = environment;
    if (memory.deletingMs(uid, clock.now()) < shortDeletionMs) return false;
  }
  return !isDeepStrictEqual(withoutFigures(before), withoutFigures(after));
}

function withoutFigures(status: JsonObject): JsonObject {
  const { id = null, applied = null, operations = null, refusedAttempt = null, plan = null, run = null } = status;
  const { observedGeneration = null, conditions = null } = status;
  return { id, applied, operations, refusedAttempt, plan, run, observedGeneration, conditions };
}

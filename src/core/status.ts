/** The closing patch: the only place where status is written, and only when it says something new. */
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../api/types.ts";
import type { KubeObject } from "../cluster/types.ts";
import type { CommonStatus, Condition } from "./common-schema.ts";
import { proofOf } from "./claim/proof.ts";
import { noteSaved } from "./claim/record.ts";
import { provePruned } from "./claim/restate.ts";
import type { Assertion } from "./conditions.ts";
import { assertionsOf, conditionsFrom } from "./conditions.ts";
import { describeDifferences, mergePatch, plain } from "./differences.ts";
import { resourceOf } from "./environment.ts";
import type { Verdict } from "./outcome.ts";
import type { Reason } from "./reasons.ts";
import type { Reconciliation } from "./reconciliation.ts";
import { statusOf } from "./reconciliation.ts";
import { noteRefusedReport, reportToStore } from "./refused-report.ts";

/** Writes what came of a look, if it is news. Throws `KubeError`. */
export async function reportStatus(at: Reconciliation, verdict: Verdict): Promise<void> {
  if (verdict.state === "gone" || verdict.state === "superseded" || at.stray) return;
  const before = plain(statusOf(at.object)) as unknown as JsonObject;
  const after = plain(statusAfter(at, verdict)) as unknown as JsonObject;
  if (!isNews(at, verdict, before, after)) return;
  const status = mergePatch(before, after);
  if (!status) return;
  let written: KubeObject;
  try {
    written = await at.environment.kube.patchStatus(resourceOf(at.kind), at.object, status);
  } catch (error) {
    if (!noteRefusedReport(at, error)) throw error;
    return reportStatus(at, verdict);
  }
  at.environment.stored(at.object, written);
  at.object = written;
  noteSaved(at);
  await provePruned(at);
  warnAbout(at, verdict, before);
}

const goesItsWay = new Set<Reason>(["Deleting", "WaitingForParent"]);

type Settled = Exclude<Verdict, { state: "gone" | "superseded" }>;

function statusAfter(at: Reconciliation, verdict: Settled): CommonStatus & JsonObject {
  const { object, next, environment } = at;
  const { conditions = [] } = statusOf(object);
  const { report, refused } = reportToStore(at);
  const left = refused === undefined ? "" : `; the status is incomplete, for the API server refuses it: ${refused}`;
  const generation = object.metadata.generation ?? 0;
  return {
    ...report,
    id: next.id,
    origin: next.origin,
    adopted: next.adopted || undefined,
    proof: next.id === undefined ? undefined : proofOf(object, next, environment.installationKey),
    applied: next.applied,
    operations: next.operations.length > 0 ? next.operations : undefined,
    deletedID: next.deletedID,
    appliedGeneration: next.appliedGeneration,
    refusedAttempt: next.refusedAttempt,
    observedGeneration: generation,
    conditions: conditionsFrom(
      conditions,
      [
        ...assertionsOf({ ...verdict, message: verdict.message + left }),
        ...driftOf(at, conditions),
        ...duplicateOf(at, conditions),
      ],
      generation,
      environment.clock.date(),
    ),
  } as CommonStatus & JsonObject;
}

/** A condition that is there only while it is true is kept as it was where this look did not get as far. */
function ifTrue(
  { type, reason }: Pick<Assertion, "type" | "reason">,
  message: string | undefined,
  conditions: Condition[],
): Assertion[] {
  const text = message ?? conditions.find((before) => before.type === type)?.message ?? "";
  return text === "" ? [] : [{ type, status: "True", reason, message: text }];
}

function driftOf({ next }: Reconciliation, conditions: Condition[]): Assertion[] {
  return ifTrue({ type: "Drifted", reason: "Drifted" }, next.drift && describeDifferences(next.drift), conditions);
}

function duplicateOf({ next }: Reconciliation, conditions: Condition[]): Assertion[] {
  return ifTrue({ type: "Duplicate", reason: "CreatedLate" }, next.twins?.text, conditions);
}

/**
 * A settled object that cannot be looked at just now keeps what was last seen: the account says that the service does
 * not answer. While an object is in transition, its figures are written with the next condition, not for themselves.
 */
function isNews({ object }: Reconciliation, verdict: Settled, before: JsonObject, after: JsonObject): boolean {
  // What an earlier version wrote without a proof gets it with the next write.
  const { proof = after["proof"] } = before;
  if (verdict.state === "ready") return !isDeepStrictEqual({ ...before, ...(proof && { proof }) }, after);
  const was = statusOf(object);
  const wasReady = was.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  const seen = wasReady && was.observedGeneration === object.metadata.generation && before["id"] === after["id"];
  if (verdict.state === "waiting" && verdict.transient && seen) return false;
  // A deletion that goes its way needs no words; one that is held up does.
  if (object.metadata.deletionTimestamp !== undefined && goesItsWay.has(verdict.reason)) return false;
  return !isDeepStrictEqual(withoutFigures(before), withoutFigures(after));
}

function withoutFigures(status: JsonObject): JsonObject {
  const { id = null, applied = null, operations = null, refusedAttempt = null } = status;
  const { observedGeneration = null, conditions = null } = status;
  return { id, applied, operations, refusedAttempt, observedGeneration, conditions };
}

/** One warning event when something goes wrong in a new way; the condition says the same for as long as it lasts. */
function warnAbout({ environment, object }: Reconciliation, verdict: Settled, before: JsonObject): void {
  const failed = verdict.state === "stalled" || (verdict.state === "waiting" && verdict.reason === "CloudUnavailable");
  if (!failed) return;
  const ready = ((before["conditions"] ?? []) as unknown as Condition[]).find(({ type }) => type === "Ready");
  if (ready?.reason === verdict.reason && ready.message === verdict.message) return;
  environment.events.emit(object, {
    type: "Warning",
    reason: verdict.reason,
    action: "Reconcile",
    note: verdict.message,
  });
}

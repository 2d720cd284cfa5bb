/**
 * What runs once. The operation is in the signed intent before its request leaves, so that neither a restart nor a restored
 * or repeated manifest runs it again; of a request without a clear response, the row tells, or a person.
 */
import type { HttpError } from "../../api/errors.ts";
import { announce } from "./announce.ts";
import { intentOn } from "../claim/claim.ts";
import { retryOperationAnnotation } from "../claim/intent.ts";
import { restateIntent } from "../claim/restate.ts";
import { settleMsOf, annotate } from "../claim/search.ts";
import type { Operation, Run } from "../kind/status-schema.ts";
import { isBusy, isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
import type { Verdict } from "../kind/outcome.ts";
import { finalizer } from "../kind/resource.ts";
import { sendChange } from "./change.ts";
import { beginOperation } from "./operation.ts";
import { requireApproval } from "./permission.ts";
import { readRow } from "./presence.ts";
import type { Located, Observed, Reconciliation } from "./reconciliation.ts";
import { live } from "./reconciliation.ts";
import { resolveReferences } from "./references.ts";

/** What an object says that has run; undefined while it has not. Nothing is read any more. */
export function endedRun({ next: { run } }: Reconciliation): Verdict | undefined {
  if (run?.result === "Complete")
    return { state: "ready", reason: "Complete", message: `operation ${run.id} is complete` };
  if (run?.result !== "Failed") return undefined;
  return { state: "stalled", reason: "Failed", message: `operation ${run.id} failed: ${run.message ?? ""}` };
}

/** Begins the run, or follows it. Throws `Waiting` until it has ended. */
export async function runOnce(at: Located): Promise<Verdict> {
  const begun = begunOperation(at);
  const target = await targetOf(at);
  if (!begun || isAllowedAgain(target, begun)) await begin(target);
  else follow(target, begun);
  return endedRun(at) ?? { state: "superseded", afterMs: 1_000 };
}

/**
 * The operation that was begun, unless it was certainly refused. Whether it is settled is not asked: people may edit the
 * status. The finalizer is stored together with the intent: where it stands without one, somebody has removed the record,
 * and it is not known what was begun.
 */
function begunOperation(at: Located): Operation | undefined {
  const intent = intentOn(at);
  const begun = intent?.operations?.at(-1) ?? at.next.operations.at(-1);
  if (begun) return begun.id === at.remembered.refusedOperation ? undefined : begun;
  if (intent) return undefined;
  const { uid, creationTimestamp, finalizers } = at.object.metadata;
  if (!finalizers?.includes(finalizer)) return undefined;
  return { id: uid.slice(0, 8), action: "A request without a record", mark: "", time: creationTimestamp };
}

async function targetOf(at: Located): Promise<Observed> {
  const id = at.kind.target?.(at.wanted) ?? "";
  const row = await readRow(at, id);
  if (!row) throw new Waiting("WaitingForReference", `${id} does not exist in ${at.collection.path}`, 60_000);
  return Object.assign(at, { id, row });
}

async function begin(at: Observed): Promise<void> {
  refuseExpired(at);
  requireIdle(at);
  at.wanted = await resolveReferences(at, true);
  const call = at.kind.request?.(live(at));
  if (!call) return;
  await requireApproval(at, [call]);
  await beginOperation(at, call);
  const operation = intentOn(at)?.operations?.at(-1);
  if (!operation) return;
  try {
    await sendChange(at, call, { urgent: at.urgent, priority: "update" });
  } catch (error) {
    if (!isHttpError(error) || error.outcome !== "refused") throw error;
    at.remembered.refusedOperation = operation.id;
    if (await isRefusedForGood(at, error)) return end(at, operation, "Failed", error.message);
    await forgetOperation(at, operation);
    throw error;
  }
  note(at, { id: operation.id, startedAt: operation.time, accepted: true });
  const { action, note: text } = call;
  announce(at.environment, at.object, { type: "Normal", reason: action, action, note: text, id: at.id });
  throw new Waiting("Running", `${call.action} (operation ${operation.id}) is running`, 2_000);
}

/** Nothing came of it: the signed record says so, since a restart does not believe the status. */
async function forgetOperation(at: Observed, { id }: Operation): Promise<void> {
  at.next.operations = at.next.operations.filter((other) => other.id !== id);
  await restateIntent(at, at.id, { operations: [] });
}

function follow(at: Observed, operation: Operation): void {
  const { run } = at.next;
  const known = run?.id === operation.id ? run : { id: operation.id, startedAt: operation.time };
  note(at, known);
  // What has its name by now tells nothing of the one that was acted on.
  const same = (intentOn(at)?.is?.id ?? at.id) === at.id;
  const progress = same ? at.kind.ready?.(live(at)) : undefined;
  if (progress && !progress.ready) throw new Waiting("Running", progress.message, progress.afterMs ?? 5_000);
  if (known.accepted || (same && at.kind.evident?.(live(at)))) return end(at, operation, "Complete");
  const leftMs = settleMsOf(at) - (at.session.client.serverTime().getTime() - Date.parse(operation.time));
  const what = `${operation.action} (operation ${operation.id}) got no clear response`;
  if (leftMs > 0)
    throw new Waiting("Running", `${what}; waiting for the cloud to show the result`, Math.min(leftMs, 5_000));
  const allow = annotate(at.object, `${retryOperationAnnotation}=${operation.id}`);
  throw new Stalled(
    "OperationUncertain",
    `${what}, and nothing shows whether it was carried out. It is not repeated. To send it again: ${allow}`,
  );
}

function isAllowedAgain({ object }: Observed, { id }: Operation): boolean {
  return object.metadata.annotations?.[retryOperationAnnotation] === id;
}

/** By the cloud's clock: a manifest that is restored or applied again long after must not run again. */
function refuseExpired(at: Observed): void {
  const { notAfter } = at.spec as { notAfter?: string };
  if (notAfter === undefined || at.session.client.serverTime().getTime() <= Date.parse(notAfter)) return;
  throw new Stalled(
    "Expired",
    `spec.notAfter: ${notAfter} has passed. Nothing is started. Create a new object with a later time`,
  );
}

function requireIdle(at: Observed): void {
  const progress = at.kind.ready?.(live(at));
  if (progress && !progress.ready && progress.busy)
    throw new Waiting("Busy", progress.message, progress.afterMs ?? 5_000);
}

/** A 404 is believed where the cloud object itself is still shown: what the request names besides does not exist. */
async function isRefusedForGood(at: Observed, error: HttpError): Promise<boolean> {
  if (error.status === 404) return (await readRow(at, at.id)) !== undefined;
  return error.status === 400 && !isBusy(error);
}

function end(at: Observed, { id, time }: Operation, result: "Complete" | "Failed", message?: string): void {
  at.next.operations = at.next.operations.map((one) => ({ ...one, settled: true }));
  const finishedAt = at.session.client.serverTime().toISOString();
  note(at, {
    ...(at.next.run ?? { id, startedAt: time }),
    finishedAt,
    result,
    ...(message !== undefined && { message: message.slice(0, 1_024) }),
  });
  const type = result === "Complete" ? "Normal" : "Warning";
  const text = message ?? `operation ${id} is complete`;
  announce(at.environment, at.object, { type, reason: result, action: "Run", note: text, id: at.id });
}

/** Known to this process at once: the status that says so may be refused. */
function note(at: Observed, run: Run): void {
  at.next.run = run;
  at.remembered.run = run;
}

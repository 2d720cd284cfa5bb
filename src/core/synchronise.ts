/** Bringing an existing cloud object to what the spec wants: one update of the fields that differ, then the steps. */
import type { Json, JsonObject } from "../api/types.ts";
import { confirmStillMeant } from "./confirm.ts";
import type { Call } from "./define-kind.ts";
import type { Difference } from "./differences.ts";
import { describeDifferences, differences, plain } from "./differences.ts";
import { noteDrift, noteRepair, wasMadeSo } from "./drift.ts";
import { intentOf } from "./intent.ts";
import { Waiting } from "./outcome.ts";
import type { Observed } from "./reconciliation.ts";
import { live, statusOf } from "./reconciliation.ts";
import { tagged, untagged } from "./tags.ts";

/** Makes it so. Throws `Waiting` while the service works on it. */
export async function synchronise(at: Observed): Promise<void> {
  const found = fieldDifferences(at);
  at.next.drift = [];
  if (found.length > 0) {
    if (wasMadeSo(at)) noteDrift(at);
    if (reportsOnly(at)) at.next.drift = found;
    else await update(at, found);
  }
  await runSteps(at);
}

/** Finds all that differs, and changes nothing: for an object that is only observed. */
export async function compare(at: Observed): Promise<void> {
  at.next.drift = fieldDifferences(at);
  await runStepsOnce(at);
  at.next.drift = [...at.next.drift, ...disruptiveDrift(at)];
}

function fieldDifferences(at: Observed): Difference[] {
  const desired = plain(at.kind.desired(at.wanted));
  return differences(desired, untagged(at, plain(at.kind.observed(at.row))));
}

/**
 * A difference is left alone where it is only to be reported, and the spec as it is was made so before, or belongs to
 * what was taken over as it is.
 */
function reportsOnly(at: Observed): boolean {
  const { management, object } = at;
  if (management.policy === "Observe") return true;
  if (management.driftPolicy !== "Report") return false;
  if (statusOf(object).appliedGeneration !== undefined) return wasMadeSo(at);
  return intentOf(object)?.adopted !== undefined;
}

async function update(at: Observed, found: Difference[]): Promise<void> {
  const { kind, session, collection, environment } = at;
  const mark = JSON.stringify([at.object.metadata.generation, found]);
  if (at.remembered.futile === mark) return void (at.next.drift = found);
  const wanted: JsonObject = Object.fromEntries(found.map((one) => [one.field, one.wanted]));
  const body = "tags" in wanted ? tagged(at, wanted) : wanted;
  const call = kind.verbs?.update?.(live(at), body) ?? {
    method: "PUT" as const,
    path: collection.itemPath(at.id),
    body,
  };
  const answer = await session.client.send(call.method, call.path, call.body, { urgent: at.urgent });
  noteRepair(at);
  const row = rowOf(at, answer) ?? (await session.observer.read(collection, at.id, { after: environment.clock.now() }));
  if (!row) throw new Waiting("Updating", "it vanished during an update", 1_000);
  at.row = row;
  session.observer.put(collection, at.id, row);
  environment.events.emit(at.object, {
    type: "Normal",
    reason: "Updated",
    action: "Update",
    note: describeDifferences(found),
  });
  noteFutile(at, mark);
}

/** A service that keeps its own value is not asked again and again; the difference is said instead. */
function noteFutile(at: Observed, mark: string): void {
  const left = fieldDifferences(at);
  if (left.length === 0) return;
  if (JSON.stringify([at.object.metadata.generation, left]) === mark) at.remembered.futile = mark;
  at.next.drift = left;
}

function rowOf({ collection, id }: Observed, answer: Json): JsonObject | undefined {
  try {
    const row = collection.project(answer as JsonObject);
    return collection.idOf(row) === id ? row : undefined;
  } catch {
    return undefined;
  }
}

async function runSteps(at: Observed): Promise<void> {
  if (await runStepsOnce(at)) {
    // What was set is compared once more, so that a step that does not take is seen at once and retried with growing delay.
    if (await runStepsOnce(at)) throw new Waiting("Updating", "changes were made that are not to be seen yet");
  }
  at.next.applied = at.kind.disruptive?.(at.spec);
  at.next.drift = [...(at.next.drift ?? []), ...disruptiveDrift(at)];
}

/** A disruptive value that the cloud has otherwise is said and left alone: disruption is asked for, never inferred. */
function disruptiveDrift({ kind, spec, row }: Observed): Difference[] {
  return Object.entries(kind.disruptive?.(spec) ?? {})
    .filter(([field, value]) => row[field] !== undefined && row[field] !== value)
    .map(([field, value]) => ({ field, wanted: value, found: row[field] }));
}

/** True when calls were made. Later steps look at what came of earlier ones. */
async function runStepsOnce(at: Observed): Promise<boolean> {
  let acted = false;
  for (const step of Object.values(at.kind.steps ?? {})) {
    const reads = step.read?.(live(at));
    const current =
      reads &&
      (await at.session.observer.detail(reads.path, { urgent: at.urgent, ...(reads.paged && { paged: true }) }));
    const calls = step.calls(live(at), current);
    if (calls.length === 0) continue;
    if (wasMadeSo(at)) noteDrift(at);
    if (reportsOnly(at)) {
      at.next.drift = [
        ...(at.next.drift ?? []),
        ...calls.map(({ action, note }) => ({ field: action, wanted: null, found: undefined, remedy: note })),
      ];
      continue;
    }
    for (const call of calls) await perform(at, call);
    if (reads) at.session.observer.invalidate(reads.path);
    acted = true;
    await refresh(at);
    waitWhileBusy(at);
  }
  return acted;
}

async function perform(at: Observed, { method, path, body, action, note, beta, applies }: Call): Promise<void> {
  if (applies) await confirmStillMeant(at);
  await at.session.client.send(method, path, body, { urgent: at.urgent, priority: "update", ...(beta && { beta }) });
  noteRepair(at);
  if (applies) at.next.applied = { ...at.next.applied, ...applies };
  at.environment.events.emit(at.object, { type: "Normal", reason: action, action, note });
}

/** A step may set the service to work, which then refuses the next one. */
function waitWhileBusy(at: Observed): void {
  const progress = at.kind.ready?.(live(at));
  if (progress && !progress.ready && progress.busy)
    throw new Waiting(progress.reason, progress.message, progress.afterMs ?? 5_000);
}

async function refresh(at: Observed): Promise<void> {
  const row = await at.session.observer.read(at.collection, at.id, {
    after: at.environment.clock.now(),
    urgent: at.urgent,
  });
  if (!row) throw new Waiting("Updating", "it vanished during a change", 1_000);
  at.row = row;
}

/** Bringing an existing cloud object to what the spec wants: one update of the fields that differ, then the steps. */
import { createHash } from "node:crypto";
import type { Json, JsonObject } from "../api/types.ts";
import type { Futile } from "./claim/memory.ts";
import { ensureRecorded } from "./claim/record.ts";
import type { Call, Kind } from "./define-kind.ts";
import type { Difference } from "./differences.ts";
import { describeDifferences, differences, plain } from "./differences.ts";
import { noteDrift, noteRepair, wasMadeSo } from "./drift.ts";
import {
  acceptOperation,
  beginOperation,
  failOperation,
  followOperations,
  isUnasked,
  settleOperations,
} from "./operation.ts";
import { Waiting } from "./outcome.ts";
import { readRow, requireUnchanged } from "./presence.ts";
import type { Observed } from "./reconciliation.ts";
import { live, statusOf } from "./reconciliation.ts";
import { tagged, untagged } from "./tags.ts";

/** Brings the cloud object to its spec. Throws `Waiting` while the cloud works on it. */
export async function synchronise(at: Observed): Promise<void> {
  await followOperations(at);
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
  return at.next.adopted === true;
}

async function update(at: Observed, found: Difference[]): Promise<void> {
  const { kind, session, collection, environment } = at;
  const mark = markOf(at, found);
  // What is found is part of the mark.
  if (isFutile(at, "update", { mark, found: mark, times: 1 })) return void (at.next.drift = found);
  const wanted: JsonObject = Object.fromEntries(found.map((one) => [one.field, one.wanted]));
  const body = "tags" in wanted ? tagged(at, wanted) : wanted;
  const call = kind.verbs?.update?.(live(at), body) ?? {
    method: "PUT" as const,
    path: collection.itemPath(at.id),
    body,
  };
  const answer = await send(at, call);
  const shown = rowOf(at, answer);
  const row = shown ?? (await readRow(at, at.id));
  if (!row) throw new Waiting("Updating", "it vanished during an update", 1_000);
  at.row = row;
  delete at.remembered.changedAt;
  session.observer.put(collection, at.id, row);
  environment.events.emit(at.object, {
    type: "Normal",
    reason: "Updated",
    action: "Update",
    note: describeDifferences(found),
  });
  const left = fieldDifferences(at);
  // Something between here and the cloud may have answered in its place.
  if (!shown && left.length > 0) throw new Waiting("Updating", "the cloud does not show the changes yet");
  if (left.length > 0) at.next.drift = left;
  // A value that the cloud API keeps is not sent again and again; the difference is reported instead.
  if (markOf(at, left) === mark) noteSent(at, "update", mark);
}

function rowOf({ collection, id }: Observed, answer: Json): JsonObject | undefined {
  try {
    const row = collection.project(answer as JsonObject);
    return collection.idOf(row) === id ? row : undefined;
  } catch {
    return undefined;
  }
}

/** So often the same calls of a step are sent that do not take effect, before they are only reported. */
const tries = 3;

/**
 * True for a change that was sent before and did not take effect: it is reported until the spec or the cloud changes.
 * `found`: what the cloud shows; what it shows first after the change was sent is what came of it.
 */
function isFutile({ remembered }: Observed, name: string, { mark, found, times }: Change & { times: number }): boolean {
  const sent = remembered.futile?.get(name);
  if (sent?.mark !== mark) return false;
  sent.found ??= found;
  if (sent.found !== found) Object.assign(sent, { times: 0, found });
  return sent.times >= times;
}

interface Change {
  mark: string;
  found: string;
}

function noteSent({ remembered }: Observed, name: string, mark: string): void {
  const { futile = new Map<string, Futile>() } = remembered;
  remembered.futile = futile;
  const before = futile.get(name);
  futile.set(name, { mark, times: before?.mark === mark ? before.times + 1 : 1, found: undefined });
}

/** A digest, since a change may hold secrets. */
function markOf({ object }: Observed, change: unknown): string {
  const text = JSON.stringify([object.metadata.generation, change]);
  return createHash("sha256").update(text).digest("base64");
}

async function runSteps(at: Observed): Promise<void> {
  if (await runStepsOnce(at)) {
    // What was set is compared once more, so that a step that does not take effect is seen at once.
    if (await runStepsOnce(at)) throw new Waiting("Updating", "the cloud does not show the changes yet");
  }
  settleOperations(at);
  at.next.applied = at.kind.disruptive?.(at.spec);
  at.next.drift = [...(at.next.drift ?? []), ...disruptiveDrift(at)];
}

/** A disruptive value that the cloud has otherwise is reported and not changed: disruption is asked for, never inferred. */
function disruptiveDrift({ kind, spec, row }: Observed): Difference[] {
  return Object.entries(kind.disruptive?.(spec) ?? {})
    .filter(([field, value]) => row[field] !== undefined && row[field] !== value)
    .map(([field, value]) => ({ field, wanted: value, found: row[field] }));
}

/** True when calls were made. Later steps see what came of earlier ones. */
async function runStepsOnce(at: Observed): Promise<boolean> {
  let acted = false;
  for (const [name, step] of Object.entries(at.kind.steps ?? {})) {
    if (await runStep(at, name, step)) acted = true;
  }
  return acted;
}

type AnyStep = NonNullable<Kind["steps"]>[string];

async function runStep(at: Observed, name: string, step: AnyStep): Promise<boolean> {
  const reads = step.read?.(live(at));
  const current = reads && (await at.session.observer.detail(reads.path, { ...reads, urgent: at.urgent }));
  const calls = step.calls(live(at), current);
  if (calls.length === 0) {
    at.remembered.futile?.delete(name);
    return false;
  }
  if (wasMadeSo(at)) noteDrift(at);
  const change = { mark: markOf(at, calls), found: markOf(at, [at.row, current]) };
  if (isUnasked(at, calls) || reportsOnly(at) || isFutile(at, name, { ...change, times: tries })) {
    const found = calls.map(({ action, note }) => ({ field: action, wanted: null, found: undefined, remedy: note }));
    at.next.drift = [...(at.next.drift ?? []), ...found];
    return false;
  }
  try {
    for (const call of calls) await perform(at, call);
  } finally {
    // Also after a failure half-way: what was read before is old.
    if (reads) at.session.observer.invalidate(reads.path);
  }
  noteSent(at, name, change.mark);
  await refresh(at);
  waitWhileBusy(at);
  return true;
}

async function perform(at: Observed, call: Call): Promise<void> {
  const { action, note, destructive } = call;
  if (destructive) await beginOperation(at, call);
  try {
    await send(at, call);
  } catch (error) {
    if (destructive) await failOperation(at, call, error);
    throw error;
  }
  if (destructive) acceptOperation(at, call);
  at.environment.events.emit(at.object, { type: "Normal", reason: action, action, note });
}

/** Sends one change. The id is saved before, and what was read of the cloud object is old from now on. */
async function send(
  at: Observed,
  { method, path, body, beta }: Pick<Call, "method" | "path" | "body" | "beta">,
): Promise<Json> {
  // A list may be a sweep old, and the id mean something else by now.
  if (!at.fresh) await requireUnchanged(at);
  await ensureRecorded(at);
  at.remembered.changedAt = at.environment.clock.now();
  const options = { urgent: at.urgent, priority: "update", ...(beta && { beta }) } as const;
  const answer = await at.session.client.send(method, path, body, options);
  noteRepair(at);
  return answer;
}

/** A step may set the cloud to work, which then refuses the next one. */
function waitWhileBusy(at: Observed): void {
  const progress = at.kind.ready?.(live(at));
  if (progress && !progress.ready && progress.busy)
    throw new Waiting(progress.reason, progress.message, progress.afterMs ?? 5_000);
}

async function refresh(at: Observed): Promise<void> {
  const row = await readRow(at, at.id);
  if (!row) throw new Waiting("Updating", "it vanished during a change", 1_000);
  at.row = row;
}

/*
 * Room `core`: the engine. From a key to a closing patch, by one flow for every kind and every situation.
 * Guarantees what the design promises: nothing made twice, nothing lost, nothing guessed; status written in one place.
 * Knows the other rooms by their types alone (environment.ts); may import zod and nothing of the others as a value.
 * Read in the order of the flow below; `define-kind.ts` is what a kind says, `outcome.ts` what an error means.
 *
 *   parse → [paused?] → account → [deleting?] → references → observe → sync → steps → ready? → report
 *
 * Nothing here catches but `reconcile` itself; what is thrown becomes condition, event and requeue in one place.
 */
import type { Json, JsonObject } from "../api/types.ts";
import { plain } from "./differences.ts";
import type { Outcome } from "../queue/types.ts";
import type { KubeObject } from "../cluster/types.ts";
import type { Kind } from "./define-kind.ts";
import { settleDrift } from "./drift.ts";
import type { Environment } from "./environment.ts";
import type { Session } from "./environment.ts";
import { finalizer } from "./environment.ts";
import { recordOf } from "./claim/claim.ts";
import { identityOf } from "./claim/ownership.ts";
import { leaving } from "./claim/search.ts";
import { noteTwins, twinsDueMs } from "./claim/twins.ts";
import type { CommonSpec } from "./common-schema.ts";
import { followIdentity, observe } from "./observe.ts";
import { neutralSpec } from "./neutral.ts";
import type { Verdict } from "./outcome.ts";
import { Deferred, isHttpError, queueOutcome, Stalled, verdictOf, Waiting } from "./outcome.ts";
import { noteLeftBehind } from "./left-behind.ts";
import { parseSpec } from "./parse-spec.ts";
import type { Connected, Located, Observed, Reconciliation } from "./reconciliation.ts";
import { begin, collectionOf, live, reportedOf, specOf } from "./reconciliation.ts";
import { resolveReferences } from "./references.ts";
import { letGo, needsNoCloud, remove } from "./remove.ts";
import { publishSecret } from "./secrets.ts";
import { reportStatus } from "./status.ts";
import { compare, synchronise } from "./synchronise.ts";

/** Looks at one object and does what is to be done now. Throws only what the closing patch throws (`KubeError`). */
export async function reconcile(
  environment: Environment,
  kind: Kind,
  object: KubeObject,
  stray = false,
): Promise<Outcome> {
  const at = begin(environment, kind, object, recordOf(environment, object), stray);
  let verdict: Verdict;
  try {
    verdict = await flow(at);
  } catch (error) {
    verdict = verdictOf(error);
    noteFault(at, error);
    if (verdict.state === "waiting" && verdict.unexpected)
      environment.log.error({ key: at.key, error: verdict.unexpected }, "Reconciler error");
  }
  fillReport(at);
  followCloud(at, verdict);
  await reportStatus(at, verdict);
  return queueOutcome(verdict, environment.slowPassMs());
}

async function flow(at: Reconciliation): Promise<Verdict> {
  const deleting = at.object.metadata.deletionTimestamp !== undefined;
  if (deleting && !at.object.metadata.finalizers?.includes(finalizer)) return lost(at);
  if (specOf(at.object).management?.policy === "Paused" && !at.stray) return paused(at);
  if (deleting && needsNoCloud(at)) return letGo(at);
  const connected = connect(at);
  if (deleting) return remove(connected);
  const observed = await observe(await locate(connected));
  return settle(observed);
}

/** The finalizer was taken off, and the API server lets nobody put it back. */
function lost({ environment, object }: Reconciliation): Verdict {
  noteLeftBehind(environment, object);
  return { state: "gone" };
}

/** What was ready stays so, as last seen; what was not, or is being deleted, waits. */
function paused(at: Reconciliation): Verdict {
  const message = "left alone: spec.management.policy is Paused";
  const settled = at.next.id !== undefined && at.object.metadata.deletionTimestamp === undefined;
  if (settled) return { state: "ready", reason: "Paused", message };
  return { state: "waiting", reason: "Paused", message, afterMs: at.environment.slowPassMs() };
}

function connect(at: Reconciliation): Connected {
  const spec = neutralSpec(at.kind, specToUse(at), at.environment.neutral);
  const { accountRef, management = {} } = spec as CommonSpec;
  const session = openAccount(at, accountRef);
  // Claims name the account: whose it is must be stored before anything is claimed in it.
  if (!identityOf(at.environment, session.account)) throw new Deferred(`whose account ${session.account} is`);
  return Object.assign(at, { spec, management, session });
}

/** Where credentials are lost for good, an object that is to be deleted says what it would leave behind, and how. */
function openAccount({ environment, object, next }: Reconciliation, accountRef: CommonSpec["accountRef"]): Session {
  try {
    return environment.openAccount(object, accountRef);
  } catch (error) {
    const deleting = object.metadata.deletionTimestamp !== undefined && next.id !== undefined;
    if (!deleting || !(error instanceof Stalled || error instanceof Waiting)) throw error;
    throw new Stalled(error.reason, `${error.message}. ${next.id} stays in the cloud until then; ${leaving(object)}`);
  }
}

/** A deletion needs no valid spec: what was recorded says what is to be deleted. */
function specToUse({ kind, object }: Reconciliation): Record<string, unknown> {
  try {
    return parseSpec(kind, object.spec);
  } catch (error) {
    if (object.metadata.deletionTimestamp === undefined) throw error;
    return object.spec ?? {};
  }
}

async function locate(at: Connected): Promise<Located> {
  const wanted = await resolveReferences(at);
  return Object.assign(at, { wanted, collection: collectionOf(at.kind, at.kind.collection(wanted)) });
}

async function settle(at: Observed): Promise<Verdict> {
  const observing = at.management.policy === "Observe";
  // As early as the id is known: a change between the read and this would wake nobody.
  at.session.observer.depend(at.key, [{ collection: at.collection, id: at.id }]);
  await noteTwins(at);
  const before = at.kind.ready?.(live(at)) ?? { ready: true };
  if (!before.ready && before.busy) throw new Waiting(before.reason, before.message, before.afterMs ?? 5_000);
  await (observing ? compare(at) : synchronise(at));
  settleDrift(at);
  if (!observing) await followIdentity(at);
  const progress = at.kind.ready?.(live(at)) ?? { ready: true };
  if (!progress.ready) throw new Waiting(progress.reason, progress.message, progress.afterMs ?? 5_000);
  // Who only observes has no claim that others must respect.
  if (observing) at.next.appliedGeneration = undefined;
  else {
    await publishSecret(at);
    at.next.appliedGeneration = at.object.metadata.generation;
  }
  at.details = await readDetails(at);
  const afterMs = twinsDueMs(at);
  return observing
    ? { state: "ready", reason: "Observed", message: `${at.id} is observed and left alone` }
    : { state: "ready", reason: "Ready", message: `${at.id} is as specified`, afterMs };
}

function isObserved(at: Reconciliation): at is Observed {
  return "row" in at;
}

function fillReport(at: Reconciliation): void {
  if (!isObserved(at) || at.object.metadata.deletionTimestamp !== undefined) return;
  try {
    const report = plain(at.kind.report(live(at), at.details ?? {})) as JsonObject;
    // Where this look did not get as far as the details, what was reported of them stays.
    at.next.report = at.details ? report : { ...reportedOf(at.object), ...report };
  } catch (error) {
    at.environment.log.error({ key: at.key, error }, "a kind's report failed");
  }
}

async function readDetails(at: Observed): Promise<Record<string, Json | undefined>> {
  const answers: Record<string, Json | undefined> = {};
  for (const [name, { path, ...shape }] of Object.entries(at.kind.details?.(live(at)) ?? {})) {
    answers[name] = await at.session.observer.detail(path, { urgent: at.urgent, ...shape });
  }
  return answers;
}

/** Changes of the row wake the object from now on; one in transition is looked at every few seconds. */
function followCloud(at: Reconciliation, verdict: Verdict): void {
  if (verdict.state === "gone") return at.environment.memory.forget(at.object.metadata.uid);
  if (!isObserved(at)) return;
  const transitional = verdict.state === "waiting" && !verdict.transient;
  const own = { collection: at.collection, id: at.id, transitional };
  const twins = at.next.twins?.ids.map((id) => ({ collection: at.collection, id })) ?? [];
  at.session.observer.depend(at.key, [own, ...twins]);
}

/** A token that may be rejected, and a service that does not answer, are matters of the account: it looks and says so. */
function noteFault(at: Reconciliation, error: unknown): void {
  if (!isHttpError(error) || !isConnected(at)) return;
  if (error.status === 401) at.environment.doubtToken(at.session);
  else if (error.status === undefined || error.status >= 500) at.environment.doubtService(at.session);
}

function isConnected(at: Reconciliation): at is Connected {
  return "session" in at;
}

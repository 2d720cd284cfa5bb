/*
 * Layer `core/lifecycle`, the highest: one flow from a key to a closing patch, for every kind and situation. The layer imports all lower
 * layers, and only types of the other folders of `src`.
 *
 *   parse → [paused?] → account → [deleting?] → references → observe → synchronise → steps → ready? → report
 *
 * Only `reconcile` catches errors. `kind/outcome.ts` decides the condition, the event and the next reconcile for each error.
 */
import { reportedOf } from "../kind/object.ts";
import { moveSecret, publishSecret } from "../shapes/publish-secret.ts";
import type { JsonObject } from "../../api/types.ts";
import { plain } from "../kind/differences.ts";
import type { Outcome } from "../../queue/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Kind } from "../kind/owned.ts";
import { settleDrift } from "../model/drift.ts";
import type { Environment, Session } from "../model/environment.ts";
import { finalizer } from "../kind/resource.ts";
import { readAfterConflict } from "../read/confirm.ts";
import { conclude, renew } from "../shapes/renew.ts";
import { duplicatesDueMs, noteDuplicates } from "../store/duplicates.ts";
import type { CommonSpec } from "../kind/common-schema.ts";
import { askedAgain, expire } from "./expiry.ts";
import { endWait, interpreted } from "./interpret.ts";
import { isOnlyReported, unready } from "../send/ineffective.ts";
import { followIdentity, observe } from "./observe.ts";
import { neutralSpec } from "../kind/neutral.ts";
import type { Verdict } from "../kind/outcome.ts";
import { sameIdentity } from "../account/identity.ts";
import {
  Deferred,
  isDecided,
  keptBackBy,
  isHttpError,
  isSchemaError,
  queueOutcome,
  Stalled,
  Waiting,
} from "../kind/outcome.ts";
import { endStray, forgetGone, noteLeftBehind, noteStray } from "./leftovers.ts";
import { parseSpec } from "../kind/parse-spec.ts";
import { requireReach } from "../read/permitted.ts";
import { locate, refuseMisfit } from "../shapes/locate.ts";
import type { Connected, Observed, Reconciliation } from "../model/context.ts";
import { begin, live } from "../model/context.ts";
import { guardedReads, readDetails } from "../read/details.ts";
import { endedRun, isFollowed, runOnce } from "../shapes/once.ts";
import { findSetting } from "../shapes/setting.ts";
import { letGo, needsNoCloud, remove } from "./remove.ts";
import { keepGenerated } from "../secrets/generated.ts";
import { keepUpload } from "../shapes/upload.ts";
import { paused, settled } from "../model/settled.ts";
import { reportStatus } from "../store/status.ts";
import { surveyAccount } from "../shapes/survey.ts";
import { synchronise } from "../shapes/synchronise.ts";
import { noteWaiting, withPatience } from "./long-waits.ts";
import { refuseAnotherParent } from "../read/parent-identity.ts";
import { times } from "../kind/times.ts";

/** Reconciles one object. Throws only what the closing patch throws (`KubeError`). */
export async function reconcile(
  environment: Environment,
  kind: Kind,
  object: KubeObject,
  stray = false,
): Promise<Outcome> {
  const at = begin(environment, kind, object, stray);
  let verdict: Verdict;
  try {
    verdict = await flow(at);
    endWait(at);
  } catch (error) {
    verdict = await interpreted(at, error);
    noteFault(at, error);
    await readAfterConflict(environment, object, error);
    if (verdict.state === "waiting" && verdict.unexpected)
      environment.log.error({ key: at.key, error: verdict.unexpected }, "Reconciler error");
  }
  const since = noteWaiting(at, verdict);
  if (stray && "reason" in verdict) noteStray(at, verdict);
  verdict = withPatience(at, stray ? endStray(at, verdict) : verdict, since);
  fillReport(at);
  followCloud(at, verdict, since);
  await reportStatus(at, verdict);
  return queueOutcome(verdict, environment.slowPassMs());
}

async function flow(at: Reconciliation): Promise<Verdict> {
  const { environment } = at;
  const deleting = at.object.metadata.deletionTimestamp !== undefined;
  if (deleting && !at.object.metadata.finalizers?.includes(finalizer)) return lost(at);
  if (at.management.policy === "Paused" && !at.stray) return paused(at);
  if (deleting && needsNoCloud(at)) return letGo(at);
  const run = endedRun(at);
  const ended = run && (await expire(at, run));
  if (ended && (!isFollowed(at) || ended.state === "superseded")) return ended;
  const connected = connect(at);
  if (deleting) return remove(connected);
  requireReach(connected);
  if (at.kind.shape === "once") return askedAgain(at, await runOnce(connected));
  if (at.kind.survey) return surveyAccount(connected, at.kind.survey);
  const located = await locate(connected);
  if (at.kind.shares) environment.changes.share(at.key, at.kind.shares(located.wanted));
  refuseMisfit(located);
  const observed = await (at.kind.shape === "setting" ? findSetting(located) : observe(located));
  return settle(await renew(observed));
}

/**
 * Handles a deleting object without the finalizer. The API server does not permit to add a finalizer during a deletion.
 */
function lost({ environment, object }: Reconciliation): Verdict {
  noteLeftBehind(environment, object);
  return { state: "gone" };
}

function connect(at: Reconciliation): Connected {
  const spec = neutralSpec(at.kind, specToUse(at), at.environment.neutral);
  const { accountRef, management = {} } = spec as CommonSpec;
  const session = openAccount(at, accountRef);
  // A claim names the account, so the operator stores the identity of the account before the first claim.
  const { identity } = at;
  const isStored = identity && sameIdentity(identity, session.identity) && identity.uid === session.identity.uid;
  if (!isStored) throw new Deferred(`whose account ${session.account} is`);
  return Object.assign(at, { spec, management, session, identity });
}

/**
 * Opens the session of the account. If the credentials of a deleting object are lost, the error names the cloud object
 * that would stay in the cloud.
 */
function openAccount({ environment, object, next }: Reconciliation, accountRef: CommonSpec["accountRef"]): Session {
  try {
    return environment.openAccount(object, accountRef);
  } catch (error) {
    const deleting = object.metadata.deletionTimestamp !== undefined;
    if (!deleting || !isDecided(error)) throw error;
    const what = next.id ?? "What this object may have created";
    throw new Stalled(error.reason, `${error.message}. ${what} stays in the cloud until then`);
  }
}

/** Returns the parsed spec. A deletion needs no valid spec, because the record names the cloud object. */
function specToUse({ kind, object }: Reconciliation): Record<string, unknown> {
  try {
    return parseSpec(kind, object.spec);
  } catch (error) {
    if (object.metadata.deletionTimestamp === undefined) throw error;
    return object.spec ?? {};
  }
}

async function settle(at: Observed): Promise<Verdict> {
  // A change between the read and this call would wake no object, so the call comes as early as possible.
  at.session.observer.depend(at.key, [{ collection: at.collection, id: at.id }]);
  await keepGenerated(at);
  await noteDuplicates(at);
  refuseAnotherParent(at);
  const before = at.kind.ready?.(live(at)) ?? { ready: true };
  if (!before.ready && before.busy) throw new Waiting(before.reason, before.message, before.afterMs ?? times.short);
  await synchronise(at);
  settleDrift(at);
  // An approval that is no longer needed must not stay valid.
  at.remembered.approved = undefined;
  at.remembered.changing = undefined;
  if (!at.observing) {
    await followIdentity(at);
    if (!before.ready) await moveSecret(at);
    await keepUpload(at);
  }
  const progress = at.kind.ready?.(live(at)) ?? { ready: true };
  if (!progress.ready && !isOnlyReported(at, progress)) throw unready(at, progress);
  // An object with policy Observe has no claim that other objects must respect.
  if (at.observing) at.next.appliedGeneration = undefined;
  else {
    await publishSecret(at);
    await conclude(at);
    at.next.appliedGeneration = at.object.metadata.generation;
  }
  at.details = await readDetails(at);
  return settled(at, at.issued?.renewMs ?? duplicatesDueMs(at));
}

function isObserved(at: Reconciliation): at is Observed {
  return "row" in at;
}

function fillReport(at: Reconciliation): void {
  if (!isObserved(at) || at.object.metadata.deletionTimestamp !== undefined) return;
  try {
    const report = plain(at.kind.report(live(at), at.details ?? {})) as JsonObject;
    // If this reconcile did not read the details, the report keeps their last values.
    at.next.report = at.details ? report : { ...reportedOf(at.object), ...report };
  } catch (error) {
    const { log } = at.environment;
    if (isSchemaError(error)) log.warn({ key: at.key, error }, "a response of the cloud API cannot be reported");
    else log.error({ key: at.key, error }, "a kind's report failed");
  }
}

/** Wakes the object at changes of its row. Polls a row in transition every few seconds. */
function followCloud(at: Reconciliation, verdict: Verdict, since: number | undefined): void {
  if (verdict.state === "gone") return forgetGone(at);
  // A poll is a request, too. The message of NotShared promises that the operator sends no request, and a finished run
  // needs no poll.
  const isRefused = "reason" in verdict && verdict.reason === "NotShared";
  const isOver = endedRun(at) !== undefined && !isFollowed(at);
  if (isRefused || isOver) return at.environment.unfollow(at.key);
  const { afterMs = Infinity } = verdict;
  const isCut = verdict.state === "superseded" || (verdict.state === "waiting" && verdict.transient === true);
  // An object in backoff does not wait for the row. A deletion reads the row itself.
  const deleting = at.object.metadata.deletionTimestamp !== undefined;
  const isSoon = verdict.state === "waiting" && !isCut && !deleting && afterMs < times.quiet;
  const transitional = isSoon ? since : undefined;
  if (!isObserved(at)) return isCut ? undefined : sessionOf(at)?.observer.rest(at.key);
  const own = { collection: at.collection, id: at.id, transitional };
  const duplicates = at.next.duplicates?.ids.map((id) => ({ collection: at.collection, id })) ?? [];
  at.session.observer.depend(at.key, [own, ...duplicates]);
  // A deleting object has no references to watch.
  if (!deleting) at.session.observer.guard(at.key, guardedReads(at));
}

/** Returns the session, also if the spec is invalid. */
function sessionOf(at: Reconciliation): Session | undefined {
  if (isConnected(at)) return at.session;
  try {
    return at.environment.openAccount(at.object, (at.object.spec as CommonSpec | undefined)?.accountRef);
  } catch {
    return undefined;
  }
}

/** Wakes the account after a 401, or if the cloud API does not answer. The account checks and reports the cause. */
function noteFault(at: Reconciliation, error: unknown): void {
  if (!isHttpError(error) || keptBackBy(error) || !isConnected(at)) return;
  if (error.status === 401) at.environment.doubtToken(at.session);
  else if (error.status === undefined || error.status >= 500) at.environment.doubtService(at.session);
}

function isConnected(at: Reconciliation): at is Connected {
  return "session" in at;
}

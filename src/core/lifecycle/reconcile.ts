/*
 * Layer `core/lifecycle`, the highest: one flow from a key to a closing patch, for every kind and situation. The layer imports all lower
 * layers, and only types of the other folders of `src`.
 *
 *   parse → [paused?] → account → [deleting?] → references → observe → synchronise → steps → ready? → report
 *
 * Only `reconcile` catches errors. `kind/outcome.ts` decides the condition, the event and the next reconcile for each error.
 */
import { nameOf, nounOf, sentence } from "../kind/naming.ts";
import { reportedOf } from "../kind/object.ts";
import { moveSecret, publishSecret } from "../shapes/publish-secret.ts";
import type { JsonObject } from "../../api/types.ts";
import { plain } from "../kind/differences.ts";
import type { Outcome } from "../../queue/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Kind } from "../kind/owned.ts";
import { isUnapplied } from "../model/adoption.ts";
import { settleDrift } from "../model/drift.ts";
import type { Environment, Session } from "../model/environment.ts";
import { finalizer } from "../kind/resource.ts";
import { readAfterConflict } from "../read/confirm.ts";
import { conclude, renew } from "../shapes/renew.ts";
import { duplicatesDueMs, noteDuplicates } from "../store/duplicates.ts";
import type { CommonSpec } from "../kind/common-schema.ts";
import { fitToNamespace } from "./ending-namespace.ts";
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
import { endOrphanedCreate, forgetGone, noteLeftBehind, noteOrphanedCreate } from "./leftovers.ts";
import { parseSpec } from "../kind/parse-spec.ts";
import { requireReach } from "../read/permitted.ts";
import { locate, refuseMisfit } from "../shapes/locate.ts";
import type { Connected, Observed, Context } from "../model/context.ts";
import { createContext, isConnected, isObserved, live, toConnected, withFacts } from "../model/context.ts";
import { guardedReads, readDetails } from "../read/details.ts";
import { readMonthly } from "../read/monthly.ts";
import { endedRun, isFollowed, runOnce } from "../shapes/once.ts";
import { findSetting } from "../shapes/setting.ts";
import { leaveBehind, needsNoCloud, remove } from "./remove.ts";
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
  const ctx = createContext(environment, kind, object, stray);
  let verdict: Verdict;
  try {
    verdict = await runPhases(ctx);
    endWait(ctx);
  } catch (error) {
    verdict = await fitToNamespace(environment, object, await interpreted(ctx, error));
    noteFault(ctx, error);
    await readAfterConflict(environment, object, error);
    if (verdict.state === "waiting" && verdict.unexpected)
      environment.log.error({ key: ctx.key, error: verdict.unexpected }, "Reconciler error");
  }
  const since = noteWaiting(ctx, verdict);
  if (stray && "reason" in verdict) noteOrphanedCreate(ctx, verdict);
  verdict = withPatience(ctx, stray ? endOrphanedCreate(ctx, verdict) : verdict, since);
  await fillReport(ctx);
  followCloud(ctx, verdict, since);
  await reportStatus(ctx, verdict);
  return queueOutcome(verdict, environment.resyncMs());
}

async function runPhases(ctx: Context): Promise<Verdict> {
  const { environment } = ctx;
  const deleting = ctx.object.metadata.deletionTimestamp !== undefined;
  if (deleting && !ctx.object.metadata.finalizers?.includes(finalizer)) return lost(ctx);
  if (ctx.management.policy === "Paused" && !ctx.orphaned) return paused(ctx);
  if (deleting && needsNoCloud(ctx)) return leaveBehind(ctx);
  const run = endedRun(ctx);
  const ended = run && (await expire(ctx, run));
  if (ended && (!isFollowed(ctx) || ended.state === "superseded")) return ended;
  const connected = openSession(ctx);
  if (deleting) return remove(connected);
  requireReach(connected);
  if (ctx.kind.shape === "once") return askedAgain(ctx, await runOnce(connected));
  if (ctx.kind.survey) return surveyAccount(connected, ctx.kind.survey);
  const located = await locate(connected);
  if (ctx.kind.shares) environment.changes.share(ctx.key, ctx.kind.shares(located.desired));
  refuseMisfit(located);
  const observed = await (ctx.kind.shape === "setting" ? findSetting(located) : observe(located));
  return settleObserved(await renew(observed));
}

/**
 * Handles a deleting object without the finalizer. The API server does not permit to add a finalizer during a deletion.
 */
function lost({ environment, object }: Context): Verdict {
  noteLeftBehind(environment, object);
  return { state: "gone" };
}

function openSession(ctx: Context): Connected {
  const spec = neutralSpec(ctx.kind, specToUse(ctx), ctx.environment.neutral);
  const { accountRef, management = {} } = spec as CommonSpec;
  const session = openAccount(ctx, accountRef);
  // A claim names the account, so the operator stores the identity of the account before the first claim.
  const { identity } = ctx;
  const isStored = identity && sameIdentity(identity, session.identity) && identity.uid === session.identity.uid;
  if (!isStored) throw new Deferred(`whose account ${session.account} is`);
  return toConnected(ctx, { spec, management, session, identity });
}

/**
 * Opens the session of the account. If the credentials of a deleting object are lost, the error names the cloud object
 * that would stay in the cloud.
 */
function openAccount({ environment, object, kind, next }: Context, accountRef: CommonSpec["accountRef"]): Session {
  try {
    return environment.openAccount(object, accountRef);
  } catch (error) {
    const deleting = object.metadata.deletionTimestamp !== undefined;
    if (!deleting || !isDecided(error)) throw error;
    const what = sentence(next.id === undefined ? `a possible ${nounOf(kind)}` : nameOf(kind, next.id));
    throw new Stalled(error.reason, `${error.message}. ${what} stays in the cloud until then`);
  }
}

/** Returns the parsed spec. A deletion needs no valid spec, because the record names the cloud object. */
function specToUse({ kind, object }: Context): Record<string, unknown> {
  try {
    return parseSpec(kind, object.spec);
  } catch (error) {
    if (object.metadata.deletionTimestamp === undefined) throw error;
    return object.spec ?? {};
  }
}

async function settleObserved(ctx: Observed): Promise<Verdict> {
  // A change between the read and this call would wake no object, so the call comes as early as possible.
  ctx.session.observer.depend(ctx.key, [{ collection: ctx.collection, id: ctx.id }]);
  await keepGenerated(ctx);
  await noteDuplicates(ctx);
  refuseAnotherParent(ctx);
  const before = ctx.kind.ready?.(live(ctx)) ?? { ready: true };
  if (!before.ready && before.busy) throw new Waiting(before.reason, before.message, before.afterMs ?? times.short);
  await synchronise(ctx);
  settleDrift(ctx);
  // An approval that is no longer needed must not stay valid.
  ctx.remembered.approved = undefined;
  ctx.remembered.changing = undefined;
  if (!ctx.observing) {
    await followIdentity(ctx);
    if (!before.ready) await moveSecret(ctx);
    await keepUpload(ctx);
  }
  const progress = ctx.kind.ready?.(live(ctx)) ?? { ready: true };
  if (!progress.ready && !isOnlyReported(ctx, progress)) throw unready(ctx, progress);
  // An object with policy Observe has no claim that other objects must respect.
  if (ctx.observing) ctx.next.appliedGeneration = undefined;
  else {
    await publishSecret(ctx);
    await conclude(ctx);
    if (!isOnlyCompared(ctx)) ctx.next.appliedGeneration = ctx.object.metadata.generation;
  }
  withFacts(ctx, { details: await readDetails(ctx) });
  const dueMs = [ctx.issued?.renewMs, ctx.retires?.leftMs, duplicatesDueMs(ctx)].filter((ms) => ms !== undefined);
  return settled(ctx, dueMs.length === 0 ? undefined : Math.min(...dueMs));
}

/** Returns true for an adopted cloud object whose differences were only reported so far. */
function isOnlyCompared(ctx: Observed): boolean {
  return isUnapplied(ctx) && ctx.management.driftPolicy === "Report" && (ctx.next.drift ?? []).length > 0;
}

async function fillReport(ctx: Context): Promise<void> {
  if (!isObserved(ctx) || ctx.object.metadata.deletionTimestamp !== undefined) return;
  try {
    const report = plain(ctx.kind.report(live(ctx), ctx.details ?? {})) as JsonObject;
    // If this reconcile did not read the details, the report keeps their last values.
    const kept = ctx.details ? {} : reportedOf(ctx.object);
    noteForNext(ctx);
    ctx.next.report = { ...kept, ...report, ...(await readMonthly(ctx)) } as JsonObject;
  } catch (error) {
    const { log } = ctx.environment;
    if (isSchemaError(error)) log.warn({ key: ctx.key, error }, "a response of the cloud API cannot be reported");
    else log.error({ key: ctx.key, error }, "a kind's report failed");
  }
}

/** Records the values of the kind for its next reconcile. If this reconcile did not read the details, the last values stay. */
function noteForNext(ctx: Observed): void {
  const { kind, next, details } = ctx;
  const notes = { ...(details ? {} : next.notes), ...kind.records?.(live(ctx), details ?? {}) };
  next.notes = Object.keys(notes).length > 0 ? notes : undefined;
}

/** Wakes the object at changes of its row. Polls a row in transition every few seconds. */
function followCloud(ctx: Context, verdict: Verdict, since: number | undefined): void {
  if (verdict.state === "gone") return forgetGone(ctx);
  // A poll is a request, too. The message of NotShared promises that the operator sends no request, and a finished run
  // needs no poll.
  const isRefused = "reason" in verdict && verdict.reason === "NotShared";
  const isOver = endedRun(ctx) !== undefined && !isFollowed(ctx);
  if (isRefused || isOver) return ctx.environment.unfollow(ctx.key);
  const { afterMs = Infinity } = verdict;
  const isCut = verdict.state === "superseded" || (verdict.state === "waiting" && verdict.transient === true);
  // An object in backoff does not wait for the row. A deletion reads the row itself.
  const deleting = ctx.object.metadata.deletionTimestamp !== undefined;
  const isSoon = verdict.state === "waiting" && !isCut && !deleting && afterMs < times.quiet;
  const transitional = isSoon ? since : undefined;
  if (!isObserved(ctx)) return isCut ? undefined : sessionOf(ctx)?.observer.rest(ctx.key);
  const own = { collection: ctx.collection, id: ctx.id, transitional };
  const duplicates = ctx.next.duplicates?.ids.map((id) => ({ collection: ctx.collection, id })) ?? [];
  ctx.session.observer.depend(ctx.key, [own, ...duplicates]);
  // A deleting object has no references to watch.
  if (!deleting) ctx.session.observer.guard(ctx.key, guardedReads(ctx));
}

/** Returns the session, also if the spec is invalid. */
function sessionOf(ctx: Context): Session | undefined {
  if (isConnected(ctx)) return ctx.session;
  try {
    return ctx.environment.openAccount(ctx.object, (ctx.object.spec as CommonSpec | undefined)?.accountRef);
  } catch {
    return undefined;
  }
}

/** Wakes the account after a 401, or if the cloud API does not answer. The account checks and reports the cause. */
function noteFault(ctx: Context, error: unknown): void {
  if (!isHttpError(error) || keptBackBy(error) || !isConnected(ctx)) return;
  if (error.status === 401) ctx.environment.doubtToken(ctx.session);
  else if (error.status === undefined || error.status >= 500) ctx.environment.doubtService(ctx.session);
}

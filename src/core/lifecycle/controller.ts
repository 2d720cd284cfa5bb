/**
 * Converts changes to keys, and keys to reconciles.
 *
 * Handlers only enqueue keys. A change of an object wakes the object, its referrers, and the deletions that waited for
 * the object. A change of a Secret or ConfigMap wakes its readers and its owner.
 */
import { journalAnnotation } from "../kind/annotations.ts";
import { recordIn } from "../kind/record.ts";
import { isDeepStrictEqual } from "node:util";
import type { CacheChange, KubeObject } from "../../cluster/types.ts";
import type { Outcome } from "../../queue/types.ts";
import type { AccountEnvironment } from "./reconcile-account.ts";
import { reconcileAccount } from "./reconcile-account.ts";
import { readAfterConflict } from "../read/confirm.ts";
import { takeCharge } from "../store/charge.ts";
import { noteHeld } from "../store/finalizer.ts";
import { noteLeftBehind } from "./leftovers.ts";
import { isDecided, isKubeError, queueOutcome, verdictOf } from "../kind/outcome.ts";
import { accountOf } from "../model/owners.ts";
import { noteClaim } from "../model/note-claim.ts";
import { parseCloudKey } from "../watch/dependents.ts";
import { isPresent } from "../model/environment.ts";
import { keyOf, keyOfObject, parseKey } from "../kind/resource.ts";
import type { Session } from "../model/environment.ts";
import { reconcileMirror } from "../shapes/mirror.ts";
import { reconcile } from "./reconcile.ts";
import { collectionOfIds } from "../model/referred.ts";
import { wakeConcerned } from "../watch/referrers.ts";
import { clearOrphanedCreate, noteLost, noteVanished } from "./orphaned-creates.ts";
import { times } from "../kind/times.ts";

/** Connects caches to the queue. Call before the caches start. */
export function watchChanges(environment: AccountEnvironment): void {
  for (const cache of environment.caches.values()) cache.onChange((change) => noteCacheChange(environment, change));
  environment.secretCache.onChange((change) => noteSecret(environment, change));
  environment.configMapCache.onChange((change) => noteConfigMap(environment, change));
  environment.memory.onEnded((object) => noteEnded(environment, object));
  // A missing definition must delay only its own catalog, so the operator waits for each cache separately.
  for (const kind of environment.catalogs?.mirrors.keys() ?? [])
    void environment.caches.get(kind)?.synced.then(() => {
      environment.enqueue(keyOf(kind, "", ""), { cause: "listed", urgency: "resync" });
    });
}

/** Handles one key of the queue. Throws only unexpected errors. */
export async function handleKey(environment: AccountEnvironment, key: string): Promise<Outcome> {
  const { kind: kindName, ...ref } = parseKey(key);
  const { catalogs } = environment;
  const mirror = catalogs?.mirrors.get(kindName);
  if (catalogs && mirror) return reconcileMirror({ environment, mirror, catalogs }, ref.name);
  const object = environment.caches.get(kindName)?.get(ref);
  const kind = environment.kinds.get(kindName);
  const [stray] = environment.memory.orphanedCreates(key, object?.metadata.uid);
  try {
    if (stray && kind) return await clearOrphanedCreate(environment, kind, stray, object);
    if (!object) return forget(environment, key);
    const ours = await takeCharge(environment, kind ?? environment.accountKind, object);
    if (!ours) return leave(environment, object);
    noteHeld(environment, ours);
    if (kind) return await reconcile(environment, kind, ours);
    const outcome = await reconcileAccount(environment, ours);
    wakeCatalogs(environment);
    return outcome;
  } catch (error) {
    // The object was deleted during its creation. The operator must delete the cloud object.
    if (object && isKubeError(error) && error.status === 404) {
      await noteVanished(environment, object);
      return environment.memory.orphanedCreates(key).length > 0
        ? { type: "later", afterMs: times.soon }
        : { type: "done" };
    }
    if (object) await readAfterConflict(environment, object, error);
    if (isKubeError(error) || isDecided(error)) return queueOutcome(verdictOf(error), environment.resyncMs());
    throw error;
  }
}

/**
 * Stops the work on an object that a second operator manages, and closes the session of its account. An open cleanup of
 * deleted objects keeps the session, because the second operator does not know their cloud objects.
 */
function leave({ accounts, memory, enqueue }: AccountEnvironment, object: KubeObject): Outcome {
  const { namespace, name } = object.metadata;
  const account = `${namespace}/${name}`;
  if (object.kind !== "CloudAccount") {
    // The manager of an object must manage the account first.
    enqueue(`CloudAccount/${accountOf(object)}`, { cause: "account", urgency: "resync" });
  } else if (!memory.orphanedCreates().some((stray) => accountOf(stray) === account)) {
    accounts.forget(account);
  }
  return { type: "later", afterMs: times.again };
}

/** Wakes the catalogs that wait for a connected account. */
function wakeCatalogs({ catalogs, enqueue }: AccountEnvironment): void {
  for (const kind of catalogs?.waiting ?? []) enqueue(keyOf(kind, "", ""), { cause: "account", urgency: "resync" });
  catalogs?.waiting.clear();
}

/** Wakes the account to check its token after a 401. A gateway can also answer 401. */
export function doubtToken(environment: AccountEnvironment, session: Session): void {
  const connection = environment.accounts.connection(session.account);
  if (connection?.session !== session) return;
  const now = environment.clock.now();
  const afterMs = Math.max(0, connection.doubtedAt + times.apply - now);
  // The last proof of the token no longer counts.
  if (afterMs === 0) Object.assign(connection, { doubtedAt: now, probedAt: -Infinity });
  environment.enqueue(`CloudAccount/${session.account}`, { cause: "cloud", urgency: "user", afterMs });
}

/** Updates the caches and claims after a write by the operator, as the later watch event would. */
export function noteStored(environment: AccountEnvironment, before: KubeObject, written: KubeObject): void {
  const key = keyOfObject(written);
  environment.caches.get(written.kind)?.written(written);
  // The watch can report the end of the object before the response to the write arrives. The watch reports the end only
  // once.
  if (!isPresent(environment, written)) return;
  noteClaim(environment, key);
  // After the operator recorded the ID, the object no longer holds the references that only the creation needs.
  const isRecorded = (one: KubeObject) => recordIn(one, environment.installationKey)?.id !== undefined;
  if (!isRecorded(before) && isRecorded(written)) wakeHeld(environment, environment.dependents.update(key, written));
  wakeConcerned(environment, key, before, written);
}

/** Wakes the account to check the cloud API. Many failed requests cause one check. */
export function doubtService(environment: AccountEnvironment, session: Session): void {
  const connection = environment.accounts.connection(session.account);
  if (connection?.session !== session || environment.clock.now() - connection.probedAt < times.apply) return;
  environment.enqueue(`CloudAccount/${session.account}`, { cause: "cloud", urgency: "user" });
}

function noteCacheChange(environment: AccountEnvironment, change: CacheChange): void {
  const { type, object, previous, initial } = change;
  const key = keyOfObject(object);
  const stored = type === "deleted" ? undefined : object;
  const ended = endedBy(change);
  environment.memory.seen(ended ?? object);
  if (ended) noteLost(environment, ended, initial);
  noteClaim(environment, key);
  const targets = environment.dependents.update(key, stored);
  const urgency = initial && environment.kinds.has(object.kind) ? "resync" : "user";
  const afterMs = isRecordAlone(change) ? times.soon : 0;
  environment.enqueue(key, { cause: initial ? "listed" : type, urgency, afterMs });
  if (ended) {
    noteLeftBehind(environment, ended);
    environment.memory.release(ended.metadata.uid);
    forgetHeld(environment, key, stored);
    // A user can have removed the finalizer.
    void environment.permissions?.release(ended.metadata.namespace ?? "");
  }
  if (type !== "added") wakeHeld(environment, targets);
  wakeConcerned(environment, key, previous, stored);
}

/** Forgets the holdings of a deleted object. A new object can already have the key. */
function forgetHeld({ changes, holdings }: AccountEnvironment, key: string, stored: KubeObject | undefined): void {
  holdings.forget(key);
  if (!stored) changes.forget(key);
}

/** Tests if a change concerns only the journal entry annotation, which operators write. */
function isRecordAlone({ type, object, previous }: CacheChange): boolean {
  if (type !== "modified" || previous === undefined) return false;
  // The cache has this version from the response to a write by the operator, which can include a change by a user.
  if (previous.metadata.resourceVersion === object.metadata.resourceVersion) return false;
  return isDeepStrictEqual(besidesEntry(previous), besidesEntry(object));
}

function besidesEntry({ metadata }: KubeObject) {
  const { resourceVersion: _, annotations = {}, ...rest } = metadata;
  return { ...rest, annotations: { ...annotations, [journalAnnotation]: undefined } };
}

/** Returns the deleted object. A list can show only a new object with the same name. */
function endedBy({ type, object, previous }: CacheChange): KubeObject | undefined {
  if (type === "deleted") return object;
  return previous && previous.metadata.uid !== object.metadata.uid ? previous : undefined;
}

/** Frees the claims of a deleted object after the cleanup of its cloud objects. */
function noteEnded(environment: AccountEnvironment, object: KubeObject): void {
  if (isPresent(environment, object)) return;
  noteClaim(environment, keyOfObject(object));
  environment.memory.release(object.metadata.uid);
}

/** Reconciles the deleting objects that waited for the targets. */
function wakeHeld(environment: AccountEnvironment, targets: string[]): void {
  for (const key of targets.flatMap((target) => managersOf(environment, target))) {
    const { kind, ...ref } = parseKey(key);
    if (environment.caches.get(kind)?.get(ref)?.metadata.deletionTimestamp !== undefined)
      environment.enqueue(key, { cause: "reference", urgency: "user" });
  }
}

/** Returns the objects behind a target: the managers of a cloud object, or the object itself. */
function managersOf({ kinds, claims }: AccountEnvironment, target: string): string[] {
  const cloud = parseCloudKey(target);
  if (!cloud) return [target];
  const kind = kinds.get(cloud.kind);
  const collection = kind && collectionOfIds(kind);
  return collection === undefined ? [] : claims.ofId(collection, cloud.id);
}

function noteSecret(environment: AccountEnvironment, { object, initial }: CacheChange): void {
  // At the start, the operator reconciles each object.
  if (initial) return;
  const { namespace = "", name, ownerReferences = [] } = object.metadata;
  wakeReaders(environment, keyOf("Secret", namespace, name));
  for (const owner of ownerReferences) {
    if (environment.kinds.has(owner.kind))
      environment.enqueue(keyOf(owner.kind, namespace, owner.name), { cause: "secret", urgency: "resync" });
  }
}

/**
 * Wakes the readers also for the first list. An object can have read an older version, because the start does not wait
 * for the list.
 */
function noteConfigMap(environment: AccountEnvironment, { object: { metadata } }: CacheChange): void {
  wakeReaders(environment, keyOf("ConfigMap", metadata.namespace ?? "", metadata.name));
}

function wakeReaders(environment: AccountEnvironment, key: string): void {
  for (const reader of environment.dependents.of(key))
    environment.enqueue(reader.key, { cause: "secret", urgency: "user" });
}

function forget(environment: AccountEnvironment, key: string): Outcome {
  environment.accounts.forgetKey(key);
  const { kind, namespace, name } = parseKey(key);
  if (kind === "CloudAccount") environment.accounts.forget(`${namespace}/${name}`);
  return { type: "done" };
}

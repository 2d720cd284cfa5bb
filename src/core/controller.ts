/**
 * From changes to keys, and from keys to looks.
 *
 * Handlers only enqueue. A change of an object wakes the object, those who refer to it, and what it held back from
 * being deleted; a change of a Secret wakes those who use it and the object that owns it.
 */
import type { CacheChange, KubeObject } from "../cluster/types.ts";
import type { Outcome } from "../queue/types.ts";
import type { AccountEnvironment } from "./account.ts";
import { reconcileAccount } from "./account.ts";
import { takeCharge } from "./custody.ts";
import { isKubeError, queueOutcome, verdictOf } from "./outcome.ts";
import { keyOf, keyOfObject, parseKey } from "./environment.ts";
import type { Session } from "./environment.ts";
import { reconcile } from "./reconcile.ts";
import { statusOf } from "./reconciliation.ts";

/** How long a proof of the token stands when objects meet faults of the service, milliseconds. */
const doubtMs = 10_000;

/** How often it is looked whether another operator still looks after an object, milliseconds. */
const elsewhereMs = 30_000;

/** Connects caches to the queue. Call before the caches start. */
export function watchChanges(environment: AccountEnvironment): void {
  for (const cache of environment.caches.values()) cache.onChange((change) => noteChange(environment, change));
  environment.secretCache.onChange((change) => noteSecret(environment, change));
}

/** Handles one key of the queue. Throws nothing but what is unexpected. */
export async function handleKey(environment: AccountEnvironment, key: string): Promise<Outcome> {
  const { kind: kindName, ...ref } = parseKey(key);
  const object = environment.caches.get(kindName)?.get(ref);
  if (!object) return forget(environment, key);
  const kind = environment.kinds.get(kindName);
  try {
    const ours = await takeCharge(environment, kind ?? environment.accountKind, object);
    if (!ours) return { type: "later", afterMs: elsewhereMs };
    if (kind) return await reconcile(environment, kind, ours);
    return await reconcileAccount(environment, ours);
  } catch (error) {
    if (isKubeError(error) && error.status === 404) return { type: "done" };
    if (isKubeError(error)) return queueOutcome(verdictOf(error), environment.slowPassMs());
    throw error;
  }
}

/** The service answered 401: the session is closed, and the account says why. */
export function rejectToken(environment: AccountEnvironment, session: Session): void {
  const connection = environment.accounts.connection(session.account);
  if (connection?.session !== session) return;
  const message = "the service does not accept the token (401)";
  environment.accounts.failed(session.account, {
    reason: "TokenRejected",
    message,
    token: connection.token,
    at: environment.clock.now(),
  });
  environment.enqueue(`CloudAccount/${session.account}`, { cause: "cloud", urgency: "user" });
}

/** Takes up our own write: what it means for others is the same as if the watch had told it. */
export function noteStored(environment: AccountEnvironment, before: KubeObject, written: KubeObject): void {
  const key = keyOfObject(written);
  environment.caches.get(written.kind)?.written(written);
  environment.recorded.update(key, written);
  if (concernsReferrers(before, written)) wakeReferrers(environment, key);
}

/** What many objects meet at once is asked of the account once. */
export function doubtService(environment: AccountEnvironment, session: Session): void {
  const connection = environment.accounts.connection(session.account);
  if (connection?.session !== session || environment.clock.now() - connection.probedAt < doubtMs) return;
  environment.enqueue(`CloudAccount/${session.account}`, { cause: "cloud", urgency: "user" });
}

function noteChange(environment: AccountEnvironment, { type, object, previous, initial }: CacheChange): void {
  const key = keyOfObject(object);
  const stored = type === "deleted" ? undefined : object;
  environment.recorded.update(key, stored);
  const targets = environment.dependents.update(key, stored);
  const urgency = initial && environment.kinds.has(object.kind) ? "resync" : "user";
  environment.enqueue(key, { cause: initial ? "listed" : type, urgency });
  if (type === "deleted") {
    environment.memory.forget(object.metadata.uid);
    // Also after somebody took our finalizer off.
    void environment.rights?.release(object.metadata.namespace ?? "");
  }
  if (type !== "added") wakeHeld(environment, targets);
  if (!previous || type === "deleted" || concernsReferrers(previous, object)) wakeReferrers(environment, key);
}

/** What waited for this object to let go of it. */
function wakeHeld(environment: AccountEnvironment, targets: string[]): void {
  for (const target of targets) {
    const { kind, ...ref } = parseKey(target);
    if (environment.caches.get(kind)?.get(ref)?.metadata.deletionTimestamp !== undefined)
      environment.enqueue(target, { cause: "reference", urgency: "user" });
  }
}

function concernsReferrers(before: KubeObject, after: KubeObject): boolean {
  // What an account shares is in its spec.
  if (after.kind === "CloudAccount" && before.metadata.generation !== after.metadata.generation) return true;
  if (before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp) return true;
  return (
    statusOf(before).id !== statusOf(after).id ||
    isReady(before) !== isReady(after) ||
    before.metadata.uid !== after.metadata.uid
  );
}

function isReady(object: KubeObject): boolean {
  return statusOf(object).conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

function wakeReferrers(environment: AccountEnvironment, key: string): void {
  const cause = parseKey(key).kind === "CloudAccount" ? "account" : "reference";
  for (const referrer of environment.dependents.of(key))
    environment.enqueue(referrer.key, { cause, urgency: "resync" });
}

function noteSecret(environment: AccountEnvironment, { object, initial }: CacheChange): void {
  // At the start every object is looked at anyway.
  if (initial) return;
  const { namespace = "", name, ownerReferences = [] } = object.metadata;
  for (const { key } of environment.dependents.of(keyOf("Secret", namespace, name)))
    environment.enqueue(key, { cause: "secret", urgency: "user" });
  for (const owner of ownerReferences) {
    if (environment.kinds.has(owner.kind))
      environment.enqueue(keyOf(owner.kind, namespace, owner.name), { cause: "secret", urgency: "resync" });
  }
}

function forget(environment: AccountEnvironment, key: string): Outcome {
  environment.accounts.forgetKey(key);
  const { kind, namespace, name } = parseKey(key);
  if (kind === "CloudAccount") environment.accounts.forget(`${namespace}/${name}`);
  return { type: "done" };
}

/**
 * Keeps the Secret with the token while objects need the token for their deletion. The Secret gets a finalizer at the
 * first use, and loses the finalizer with the account. If a user deletes only the Secret, the operator releases it
 * after a minute.
 */
import type { KubeObject, ObjectRef, Secret } from "../../cluster/types.ts";
import type { AccountSpec } from "../kind/account-spec.ts";
import { finalizer, keyOf, parseKey } from "../kind/resource.ts";
import type { Environment } from "../model/environment.ts";
import { Stalled } from "../kind/outcome.ts";
import { isHeldToken } from "./guarded-secrets.ts";
import type { TokenSecrets } from "./guarded-secrets.ts";
import { isEnding } from "../read/namespace.ts";
import { holdersIn, accountHolders } from "../read/users.ts";
import { times } from "../kind/times.ts";

type TokenEnvironment = Environment & { tokens: TokenSecrets };

interface TokenHolder {
  environment: TokenEnvironment;
  object: KubeObject;
}

/** Returns the Secret with the token. Throws `Stalled` if the Secret does not exist. */
export async function readTokenSecret(
  { environment, object }: TokenHolder,
  { tokenSecretRef }: AccountSpec,
): Promise<Secret> {
  const namespace = object.metadata.namespace ?? "";
  const secret = await environment.tokens.read({ namespace, name: tokenSecretRef.name });
  if (!secret)
    throw new Stalled(
      "TokenMissing",
      `spec.tokenSecretRef: Secret ${tokenSecretRef.name} does not exist in namespace ${namespace}. Create it with the token`,
    );
  return secret;
}

/** Returns the message of an account whose Secret is being deleted. */
export async function goingToken({ environment, object }: TokenHolder, { tokenSecretRef: { name } }: AccountSpec) {
  const { namespace = "" } = object.metadata;
  if (await isEnding(environment, namespace))
    return `Namespace ${namespace} is being deleted. Secret ${name} goes with the last deletion of the account's objects`;
  return `Secret ${name} is being deleted, and goes a minute after that began, or with the last deletion of the account's objects. Set spec.tokenSecretRef to another Secret, or create it again as soon as it is gone`;
}

export async function holdToken(ctx: TokenHolder, secret: Secret): Promise<void> {
  const ref = { namespace: secret.metadata.namespace ?? "", name: secret.metadata.name };
  const { clock, memory, tokens } = ctx.environment;
  if (secret.metadata.deletionTimestamp === undefined) {
    if (!isHeldToken(secret)) await hold(ctx.environment, ref);
    return;
  }
  const { uid } = secret.metadata;
  const leftMs = times.quiet - memory.deletingMs(uid, clock.now());
  if (!secret.metadata.finalizers?.includes(finalizer) || (await deletionUnderWay(ctx, ref.name))) return;
  if (leftMs <= 0) {
    memory.forget(uid);
    return tokens.release(ref);
  }
  ctx.environment.enqueue(keyOf("CloudAccount", ctx.object.metadata.namespace ?? "", ctx.object.metadata.name), {
    cause: "secret",
    afterMs: leftMs,
  });
}

/** Adds the finalizer. Updates the cache, because the write does not change the token and need not wake the account. */
async function hold({ tokens, secretCache }: TokenEnvironment, ref: ObjectRef): Promise<void> {
  const written = await tokens.hold(ref);
  if (!written) return;
  const { apiVersion, kind, metadata } = written;
  secretCache.written({ apiVersion, kind, metadata });
}

/** Releases the Secret, unless another account of the namespace needs the token. */
export async function releaseToken({ environment, object }: TokenHolder): Promise<void> {
  const { tokenSecretRef } = (object.spec ?? {}) as unknown as AccountSpec;
  const namespace = object.metadata.namespace ?? "";
  const isNeeded = accountsWith(environment, namespace, tokenSecretRef.name)
    .filter(({ metadata }) => metadata.name !== object.metadata.name)
    // If two accounts without holders are deleted together, each would wait for the other.
    .some((other) => other.metadata.deletionTimestamp === undefined || holdersIn(environment, other).length > 0);
  if (!isNeeded) await environment.tokens.release({ namespace, name: tokenSecretRef.name });
}

function accountsWith({ dependents, caches }: Environment, namespace: string, secretName: string): KubeObject[] {
  return dependents
    .of(keyOf("Secret", namespace, secretName))
    .map(({ key }) => parseKey(key))
    .flatMap((ref) => (ref.kind === "CloudAccount" ? (caches.get("CloudAccount")?.get(ref) ?? []) : []));
}

/** Releases the Secrets of the namespace that held a token and that no account names. */
export async function releaseFormerTokens({ environment, object }: TokenHolder): Promise<void> {
  const { namespace = "" } = object.metadata;
  const held = environment.secretCache
    .list(namespace)
    .filter(({ metadata }) => metadata.finalizers?.includes(finalizer))
    .filter(({ metadata }) => accountsWith(environment, namespace, metadata.name).length === 0);
  for (const { metadata } of held) await environment.tokens.release({ namespace, name: metadata.name });
}

/**
 * Tests if a deletion needs the token: the deletion of the namespace, of an account with the token, or of an object in
 * the account.
 */
async function deletionUnderWay({ environment, object }: TokenHolder, secretName: string): Promise<boolean> {
  const { namespace = "" } = object.metadata;
  for (const account of accountsWith(environment, namespace, secretName)) {
    const users = accountHolders(environment, account).map(parseKey);
    const those = [account, ...users.map((user) => environment.caches.get(user.kind)?.get(user))];
    // A missing object counts as deleting, because the operator still deletes the result of its creation.
    if (those.some((one) => one === undefined || one.metadata.deletionTimestamp !== undefined)) return true;
  }
  return isEnding(environment, namespace);
}

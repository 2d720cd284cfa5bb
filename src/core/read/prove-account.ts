/** Confirms the CloudAccount and the token of a request at the API server. */
import { tokenOf, versionOf } from "../account/token.ts";
import type { KubeObject, ObjectRef, Resource, Secret } from "../../cluster/types.ts";
import type { UsedAccount } from "../model/environment.ts";
import type { AccountSpec } from "../kind/account-spec.ts";
import { refOf, resourceOf } from "../kind/resource.ts";
import { isDecided, Waiting } from "../kind/outcome.ts";
import type { Since } from "./fresh.ts";
import type { AccountEnvironment } from "../lifecycle/reconcile-account.ts";
import type { Connection } from "../account/accounts.ts";
import { times } from "../kind/times.ts";

const secrets: Resource = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };

/** See `Environment.proveAccount`. */
export async function proveAccount(environment: AccountEnvironment, used: UsedAccount, since: Since): Promise<number> {
  const { session, cloudAccount } = used;
  const connection = environment.accounts.connection(session.account);
  if (!cloudAccount || connection?.session !== session) throw changedAccount("the account was connected anew");
  const answered = await Promise.all([
    requireSameAccount(environment, cloudAccount, since),
    requireSameToken(environment, { cloudAccount, connection }, since),
  ]);
  return Math.min(...answered);
}

/** The generation covers the sharing, the endpoint and the name of the Secret. */
async function requireSameAccount(
  { fresh, accountKind, caches }: AccountEnvironment,
  known: KubeObject,
  since: Since,
): Promise<number> {
  const { value: stored, at } = await fresh.get(resourceOf(accountKind), refOf(known), since);
  const { uid, generation } = known.metadata;
  if (stored?.metadata.uid === uid && stored.metadata.generation === generation) return at;
  // The next reconcile must not wait for the watch: a watch can be silent for a minute.
  if (stored) caches.get(accountKind.kind)?.noteRead(stored);
  throw changedAccount("the CloudAccount changed during the reconcile");
}

interface ConnectedAccount {
  cloudAccount: KubeObject;
  connection: Connection;
}

async function requireSameToken(environment: AccountEnvironment, of: ConnectedAccount, since: Since): Promise<number> {
  const { cloudAccount, connection } = of;
  const { tokenSecretRef } = cloudAccount.spec as unknown as AccountSpec;
  const ref = { namespace: cloudAccount.metadata.namespace ?? "", name: tokenSecretRef.name };
  const { value: stored, at } = await environment.fresh.getMetadata(secrets, ref, since);
  if (stored && versionOf(stored) === connection.secretVersion) return at;
  return requireSameValue(environment, of, ref, since);
}

/** Compares the token, because a label or a finalizer also changes the version of the Secret. */
async function requireSameValue(
  environment: AccountEnvironment,
  { cloudAccount, connection }: ConnectedAccount,
  ref: ObjectRef,
  since: Since,
): Promise<number> {
  const name = `token ${ref.namespace}/${ref.name}`;
  const { value: secret, at } = await environment.fresh.share(name, since, () => readToken(environment, ref));
  if (secret && holdsToken(secret, cloudAccount, connection.token)) {
    connection.secretVersion = versionOf(secret);
    return at;
  }
  environment.enqueue(`CloudAccount/${connection.session.account}`, { cause: "secret", urgency: "user" });
  throw changedAccount("the token of the account changed during the reconcile");
}

/** Returns undefined for a Secret with another credential. The reconcile of the account reports the reason. */
async function readToken({ tokens }: AccountEnvironment, ref: ObjectRef): Promise<Secret | undefined> {
  try {
    return await tokens.read(ref);
  } catch (error) {
    if (isDecided(error)) return undefined;
    throw error;
  }
}

function holdsToken(secret: Secret, { spec }: KubeObject, token: string): boolean {
  try {
    return tokenOf(secret, spec as unknown as AccountSpec) === token;
  } catch (error) {
    if (isDecided(error)) return false;
    throw error;
  }
}

function changedAccount(what: string): Waiting {
  return new Waiting("Updating", what, times.soon, { transient: true });
}

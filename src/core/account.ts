/**
 * Looking at a CloudAccount: find the token, prove whose it is, and open or close the session that objects use.
 *
 *   parse → [deleting?] → endpoint → token → probe → identity → session → report
 */
import type { z } from "zod";
import type { CloudClient } from "../api/types.ts";
import type { KubeObject, Secret } from "../cluster/types.ts";
import type { Outcome } from "../queue/types.ts";
import type { AccountSpec, AccountStatus, Identity } from "./account-spec.ts";
import type { Accounts, Connection } from "./accounts.ts";
import type { Described } from "./define-kind.ts";
import { assertionsOf, conditionsFrom } from "./conditions.ts";
import { mergePatch, plain } from "./differences.ts";
import type { Environment, Session } from "./environment.ts";
import { finalizer, keyOf, refOf, resourceOf } from "./environment.ts";
import type { Verdict } from "./outcome.ts";
import { isHttpError, queueOutcome, Stalled, verdictOf, Waiting } from "./outcome.ts";
import { probe } from "./probe.ts";
import type { Probe } from "./probe.ts";
import { holdToken, releaseToken } from "./token-secret.ts";

/** Opens a client and an observer for one token. */
export type Connect = (options: {
  account: string;
  endpoint: string;
  token: string;
  sweepSeconds: number | undefined;
}) => { client: CloudClient; session: (restricted: boolean) => Session; close: () => void };

export interface AccountEnvironment extends Environment {
  accounts: Accounts;
  accountKind: Described;
  /** Names of the endpoints in the configuration. */
  endpoints: string[];
  connect: Connect;
}

interface Look {
  environment: AccountEnvironment;
  object: KubeObject;
  /** `namespace/name`. */
  account: string;
  found?: Probe;
}

/** Looks at one account. Throws only what the closing patch throws (`KubeError`). */
export async function reconcileAccount(environment: AccountEnvironment, object: KubeObject): Promise<Outcome> {
  const at: Look = { environment, object, account: `${object.metadata.namespace}/${object.metadata.name}` };
  const before = environment.accounts.connection(at.account);
  let verdict: Verdict;
  try {
    verdict = await flow(at);
  } catch (error) {
    verdict = patient(verdictOf(error));
    closeAfter(at, error, verdict);
  }
  await report(at, verdict);
  if (environment.accounts.connection(at.account) !== before || verdict.state === "stalled") wakeUsers(at);
  return queueOutcome(verdict, environment.slowPassMs());
}

/** All objects of the account wait for it, so that it is asked steadily and not with growing delay. */
function patient(verdict: Verdict): Verdict {
  return verdict.state === "waiting" && verdict.transient && verdict.afterMs === undefined
    ? { ...verdict, afterMs: 15_000 }
    : verdict;
}

async function flow(at: Look): Promise<Verdict> {
  const { environment, object } = at;
  if (object.metadata.deletionTimestamp !== undefined) return letGo(at);
  const spec = parseSpec(environment.accountKind, object);
  const endpoint = spec.endpoint ?? "default";
  if (!environment.endpoints.includes(endpoint)) {
    throw new Stalled(
      "UnknownEndpoint",
      `spec.endpoint: the operator has no endpoint ${endpoint}; it has ${environment.endpoints.join(", ")}`,
    );
  }
  const secret = await readTokenSecret(at, spec);
  const token = tokenOf(secret, spec);
  if (rejectedLately(at, token)) throw rejected();
  await keepFinalizer(at);
  await holdToken(at, secret);
  await connect(at, { spec, endpoint, token });
  return { state: "ready", reason: "Connected", message: `connected as ${at.found?.username}` };
}

function parseSpec(kind: Described, object: KubeObject): AccountSpec {
  const parsed = kind.spec.safeParse(object.spec ?? {});
  if (parsed.success) return parsed.data as unknown as AccountSpec;
  const issues = parsed.error.issues.map(
    ({ path, message }: z.core.$ZodIssue) => `${["spec", ...path].join(".")}: ${message}`,
  );
  throw new Stalled("InvalidSpec", issues.join("; "));
}

async function readTokenSecret({ environment, object }: Look, { tokenSecretRef }: AccountSpec): Promise<Secret> {
  const namespace = object.metadata.namespace ?? "";
  const secret = await environment.secrets.read({ namespace, name: tokenSecretRef.name });
  if (!secret)
    throw new Stalled(
      "TokenMissing",
      `spec.tokenSecretRef: Secret ${tokenSecretRef.name} does not exist in namespace ${namespace}`,
    );
  return secret;
}

function tokenOf(secret: Secret, { tokenSecretRef }: AccountSpec): string {
  const key = tokenSecretRef.key ?? "token";
  // A line break at the end is what `echo` leaves and never part of a token.
  const token = secret.data[key]?.replace(/\r?\n$/, "");
  if (token === undefined || token === "")
    throw new Stalled(
      "TokenMissing",
      `spec.tokenSecretRef: Secret ${secret.metadata.name} has no key ${key}, or it is empty`,
    );
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new Stalled(
      "TokenMalformed",
      `spec.tokenSecretRef: the value of key ${key} in Secret ${secret.metadata.name} is no token: it holds blanks, line breaks or other characters that no token has`,
    );
  return token;
}

async function connect(
  at: Look,
  { spec, endpoint, token }: { spec: AccountSpec; endpoint: string; token: string },
): Promise<void> {
  const { accounts } = at.environment;
  const open = accounts.connection(at.account);
  const same =
    open?.token === token &&
    open.endpoint === endpoint &&
    open.sweepSeconds === spec.sweepSeconds &&
    open.uid === at.object.metadata.uid;
  if (same) {
    open.probedAt = at.environment.clock.now();
    at.found = await probe(open.session.client);
    refuseOtherAccount(at, spec, at.found);
    open.session.restricted = at.found.restricted;
    return;
  }
  const opened = at.environment.connect({ account: at.account, endpoint, token, sweepSeconds: spec.sweepSeconds });
  try {
    at.found = await probe(opened.client);
    refuseOtherAccount(at, spec, at.found);
  } catch (error) {
    opened.close();
    if (isHttpError(error) && error.status === 401)
      accounts.failed(at.account, {
        reason: "TokenRejected",
        message: rejected().message,
        token,
        at: at.environment.clock.now(),
      });
    throw error;
  }
  const connection: Connection = {
    session: opened.session(at.found.restricted),
    uid: at.object.metadata.uid,
    endpoint,
    token,
    sweepSeconds: spec.sweepSeconds,
    probedAt: at.environment.clock.now(),
    close: opened.close,
  };
  accounts.connected(at.account, connection);
}

function rejectedLately({ environment, account }: Look, token: string): boolean {
  const failure = environment.accounts.failure(account);
  return failure?.token === token && environment.clock.now() - failure.at < environment.slowPassMs() / 2;
}

function rejected(): Stalled {
  return new Stalled("TokenRejected", "the service does not accept the token (401)");
}

/** The identity is pinned when a token is first accepted: another account would look as if everything were gone. */
function refuseOtherAccount({ object }: Look, { expectedAccount }: AccountSpec, { identity }: Probe): void {
  const names = [identity.euuid, String(identity.uid)];
  if (expectedAccount !== undefined) {
    if (names.includes(expectedAccount)) return;
    throw new Stalled(
      "AccountChanged",
      `the token belongs to ${names.filter(Boolean).join(" / ")}, not to spec.expectedAccount ${expectedAccount}`,
    );
  }
  const { identity: pinned } = (object.status ?? {}) as AccountStatus;
  if (pinned && !sameIdentity(pinned, identity)) {
    const now = identity.euuid ?? identity.uid;
    throw new Stalled(
      "AccountChanged",
      `the token belongs to another account than before; if that is meant, set spec.expectedAccount: "${now}"`,
    );
  }
}

function sameIdentity(a: Identity, b: Identity): boolean {
  return a.euuid !== undefined && b.euuid !== undefined ? a.euuid === b.euuid : a.uid === b.uid;
}

async function keepFinalizer(at: Look): Promise<void> {
  const { uid, resourceVersion, finalizers = [] } = at.object.metadata;
  if (!finalizers.includes(finalizer))
    await writeFinalizers(at, { uid, resourceVersion, finalizers: [...finalizers, finalizer] });
}

async function letGo(at: Look): Promise<Verdict> {
  const { environment, object, account } = at;
  const { uid, resourceVersion, finalizers = [], name, namespace = "" } = object.metadata;
  if (!finalizers.includes(finalizer)) return { state: "gone" };
  const users = environment.dependents.of(keyOf("CloudAccount", namespace, name));
  if (users.length > 0)
    throw new Waiting(
      "WaitingForDependents",
      `still used by ${users
        .slice(0, 5)
        .map(({ key }) => key)
        .join(", ")}`,
      30_000,
    );
  await releaseToken(at);
  await writeFinalizers(at, { uid, resourceVersion, finalizers: finalizers.filter((one) => one !== finalizer) });
  environment.accounts.forget(account);
  return { state: "gone" };
}

async function writeFinalizers(
  at: Look,
  metadata: { uid: string; resourceVersion: string; finalizers: string[] },
): Promise<void> {
  const { kube, accountKind, stored } = at.environment;
  const written = await kube.patch(resourceOf(accountKind), refOf(at.object), { metadata });
  stored(at.object, written);
  at.object = written;
}

/** A service that does not answer closes no session: objects wait on their own calls. What cannot be used is closed. */
function closeAfter({ environment, account }: Look, error: unknown, verdict: Verdict): void {
  if (verdict.state === "waiting" && verdict.unexpected)
    environment.log.error({ account, error: verdict.unexpected }, "unexpected error");
  if (verdict.state !== "stalled") return;
  const connection = environment.accounts.connection(account);
  const failure = environment.accounts.failure(account);
  if (failure?.reason === verdict.reason && failure.token !== undefined) return;
  const token = isHttpError(error) && error.status === 401 ? connection?.token : undefined;
  environment.accounts.failed(account, {
    reason: verdict.reason,
    message: verdict.message,
    token,
    at: environment.clock.now(),
  });
}

function wakeUsers({ environment, object }: Look): void {
  const { namespace = "", name } = object.metadata;
  for (const { key } of environment.dependents.of(keyOf("CloudAccount", namespace, name)))
    environment.enqueue(key, { urgency: "resync" });
}

async function report(at: Look, verdict: Verdict): Promise<void> {
  if (verdict.state === "gone" || verdict.state === "superseded") return;
  const before = plain(at.object.status ?? {}) as AccountStatus;
  const generation = at.object.metadata.generation ?? 0;
  const after: AccountStatus = {
    ...before,
    ...(at.found && { ...at.found, identity: { ...before.identity, ...at.found.identity } }),
    observedGeneration: generation,
    conditions: conditionsFrom(before.conditions ?? [], assertionsOf(verdict), generation, at.environment.clock.date()),
  };
  const status = mergePatch(before as never, plain(after) as never);
  if (!status) return;
  const { uid } = at.object.metadata;
  const { kube, accountKind, stored } = at.environment;
  const written = await kube.patch(
    resourceOf(accountKind),
    refOf(at.object),
    { metadata: { uid }, status },
    { subresource: "status" },
  );
  stored(at.object, written);
  at.object = written;
}

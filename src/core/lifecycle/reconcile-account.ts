/**
 * Reconciles a CloudAccount: finds the token, proves whose token it is, and opens or closes the session that objects use.
 *
 *   parse → [deleting and unused?] → endpoint → token → probe → identity → brand word → session → [deleting?] → report
 */
import { isReady } from "../kind/object.ts";
import { tokenOf, versionOf } from "../account/token.ts";
import type { CloudClient, JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Outcome } from "../../queue/types.ts";
import type { AccountSpec, AccountStatus, Identity } from "../kind/account-spec.ts";
import type { Accounts, Connection } from "../account/accounts.ts";
import type { Described } from "../kind/described.ts";
import { announce, announceVerdict } from "../store/announce.ts";
import { assertionsOf, conditionsFrom } from "../store/conditions.ts";
import { mergePatch, plain } from "../kind/differences.ts";
import { fitted } from "../kind/fitting.ts";
import { dropFinalizer, putFinalizer } from "../store/finalizer.ts";
import { requireBrandWord } from "../account/brand-word.ts";
import type { BrandWords } from "../account/brand-word.ts";
import { pinned, refuseOtherAccount } from "../account/identity.ts";
import type { Environment, Session } from "../model/environment.ts";
import { fitToNamespace } from "./ending-namespace.ts";
import { finalizer, resourceOf } from "../kind/resource.ts";
import type { Verdict } from "../kind/outcome.ts";
import { queueOutcome, Stalled, verdictOf } from "../kind/outcome.ts";
import { parseSpec } from "../kind/parse-spec.ts";
import type { TokenSecrets } from "../secrets/guarded-secrets.ts";
import { isRejection, probe, rejectionOf } from "../account/probe.ts";
import type { Probe } from "../account/probe.ts";
import { goingToken, holdToken, readTokenSecret, releaseFormerTokens, releaseToken } from "../secrets/token-secret.ts";
import { holdersIn, stillUsed, wakeUsers } from "../read/users.ts";
import { times } from "../kind/times.ts";

export type Connect = (options: {
  account: string;
  endpoint: string;
  token: string;
  pollSeconds: number | undefined;
}) => { client: CloudClient; session: (found: Pick<Probe, "restricted" | "identity">) => Session } & Pick<
  Connection,
  "pollEvery" | "retire" | "close"
>;

export interface AccountEnvironment extends Environment {
  accounts: Accounts;
  tokens: TokenSecrets;
  accountKind: Described;
  /** URLs of the endpoints in the configuration, by name. */
  endpoints: ReadonlyMap<string, string>;
  brandWords: BrandWords;
  connect: Connect;
}

interface AccountContext {
  environment: AccountEnvironment;
  object: KubeObject;
  /** `namespace/name`. */
  account: string;
  found?: Probe;
}

/** Reconciles one account. Throws only what the closing patch throws (`KubeError`). */
export async function reconcileAccount(environment: AccountEnvironment, object: KubeObject): Promise<Outcome> {
  const ctx: AccountContext = { environment, object, account: `${object.metadata.namespace}/${object.metadata.name}` };
  const before = environment.accounts.connection(ctx.account);
  let verdict: Verdict;
  try {
    verdict = await reconcilePhases(ctx);
  } catch (error) {
    verdict = withoutBackoff(verdictOf(error));
    closeAfter(ctx, error, verdict);
    verdict = await fitToNamespace(environment, object, verdict);
  }
  await report(ctx, verdict);
  const now = environment.accounts.connection(ctx.account);
  if (now !== before || now === undefined) await wakeUsers(environment, object);
  return queueOutcome(verdict, environment.resyncMs());
}

/** Replaces the backoff by a fixed interval, because all objects of the account wait. */
function withoutBackoff(verdict: Verdict): Verdict {
  return verdict.state === "waiting" && verdict.transient && verdict.afterMs === undefined
    ? { ...verdict, afterMs: times.apply }
    : verdict;
}

async function reconcilePhases(ctx: AccountContext): Promise<Verdict> {
  const { environment, object } = ctx;
  const deleting = object.metadata.deletionTimestamp !== undefined;
  const held = deleting ? holdersIn(environment, object) : [];
  if (deleting && (held.length === 0 || !object.metadata.finalizers?.includes(finalizer))) return releaseAccount(ctx);
  const spec = parseSpec(environment.accountKind, object.spec) as unknown as AccountSpec;
  const endpoint = spec.endpoint ?? "default";
  if (!environment.endpoints.has(endpoint)) {
    throw new Stalled(
      "UnknownEndpoint",
      `spec.endpoint: "${endpoint}" is not an endpoint of the operator. The account is not connected. Use one of: ${[...environment.endpoints.keys()].join(", ")}`,
    );
  }
  const secret = await readTokenSecret(ctx, spec);
  const token = tokenOf(secret, spec);
  if (rejectedLately(ctx, token)) throw rejectionOf(spec, object.metadata.namespace ?? "");
  if (!deleting) await keepFinalizer(ctx);
  await holdToken(ctx, secret);
  await releaseFormerTokens(ctx);
  await connectToken(ctx, { spec, endpoint, token, secretVersion: versionOf(secret) });
  // The holders need the connection for their deletion.
  if (deleting) throw stillUsed(held);
  const message = `connected as ${ctx.found?.username}`;
  const isGoing = secret.metadata.deletionTimestamp !== undefined;
  const going = isGoing ? `. ${await goingToken(ctx, spec)}` : "";
  return { state: "ready", reason: "Connected", message: `${message}${going}` };
}

async function connectToken(
  ctx: AccountContext,
  {
    spec,
    endpoint,
    token,
    secretVersion,
  }: { spec: AccountSpec } & Pick<Connection, "endpoint" | "token" | "secretVersion">,
): Promise<void> {
  const { accounts } = ctx.environment;
  const open = accounts.connection(ctx.account);
  const same = open?.token === token && open.endpoint === endpoint && open.uid === ctx.object.metadata.uid;
  if (same) {
    if (open.pollSeconds !== spec.pollSeconds) open.pollEvery(spec.pollSeconds);
    Object.assign(open, { pollSeconds: spec.pollSeconds, secretVersion });
    open.found = await provenLately(ctx, spec, open);
    Object.assign(open.session, { restricted: open.found.restricted, identity: open.found.identity });
    return;
  }
  const opened = ctx.environment.connect({ account: ctx.account, endpoint, token, pollSeconds: spec.pollSeconds });
  const found = await proveNew(ctx, spec, { endpoint, client: opened.client }).catch((error: unknown) => {
    opened.close();
    if (isRejection(error)) accounts.failed(ctx.account, error, { token, at: ctx.environment.clock.now() });
    throw error;
  });
  accounts.connected(ctx.account, {
    session: opened.session(found),
    uid: ctx.object.metadata.uid,
    endpoint,
    token,
    secretVersion,
    pollSeconds: spec.pollSeconds,
    probedAt: ctx.environment.clock.now(),
    found,
    doubtedAt: -Infinity,
    pollEvery: opened.pollEvery,
    retire: opened.retire,
    close: opened.close,
  });
}

/**
 * Returns a recent successful probe, otherwise probes again. Writes by the operator and deletions of objects wake the
 * account often.
 */
async function provenLately(ctx: AccountContext, spec: AccountSpec, open: Connection): Promise<Probe> {
  const now = ctx.environment.clock.now();
  const { found } = open;
  if (found && now - open.probedAt < times.apply) return own(ctx, spec, found, open.session.identity);
  Object.assign(open, { probedAt: now, found: undefined });
  return probeOwn(ctx, spec, open.session.client, open.session.identity);
}

/** Checks the brand word after the probe, because a rejected token is the more frequent mistake. */
async function proveNew(
  ctx: AccountContext,
  spec: AccountSpec,
  { endpoint, client }: { endpoint: string; client: CloudClient },
): Promise<Probe> {
  const found = await probeOwn(ctx, spec, client);
  await requireBrandWord(ctx.environment.brandWords, endpoint);
  return found;
}

async function probeOwn(ctx: AccountContext, spec: AccountSpec, client: CloudClient, shown?: Identity): Promise<Probe> {
  return own(ctx, spec, await probe(client, spec, ctx.object.metadata.namespace ?? ""), shown);
}

/** Checks the account before the report, because the report pins the identity. */
function own(ctx: AccountContext, spec: AccountSpec, found: Probe, shown?: Identity): Probe {
  refuseOtherAccount(ctx.object, spec, found.identity, shown);
  ctx.found = { ...found, identity: pinned(shown, found.identity) };
  return ctx.found;
}

function rejectedLately({ environment, account }: AccountContext, token: string): boolean {
  const failure = environment.accounts.failure(account);
  return failure?.token === token && environment.clock.now() - failure.at < environment.resyncMs() / 2;
}

async function keepFinalizer(ctx: AccountContext): Promise<void> {
  if (ctx.object.metadata.finalizers?.includes(finalizer)) return;
  ctx.object = await putFinalizer(ctx.environment, ctx.environment.accountKind, ctx.object);
}

/**
 * Closes the session before the first write. The operator must not create a cloud object in an account that can end at
 * any moment.
 */
async function releaseAccount(ctx: AccountContext): Promise<Verdict> {
  const { environment, object, account } = ctx;
  environment.accounts.forget(account);
  if (!object.metadata.finalizers?.includes(finalizer)) return { state: "gone" };
  await releaseToken(ctx);
  ctx.object = await dropFinalizer(environment, environment.accountKind, object);
  return { state: "gone" };
}

/**
 * Closes the session after a `Stalled` verdict. A cloud API that does not answer closes no session: objects wait in
 * their own requests.
 */
function closeAfter({ environment, account }: AccountContext, error: unknown, verdict: Verdict): void {
  if (verdict.state === "waiting" && verdict.unexpected)
    environment.log.error({ account, error: verdict.unexpected }, "Reconciler error");
  const connection = environment.accounts.connection(account);
  if (verdict.state === "waiting" && !connection) environment.accounts.delayed(account, verdict.message);
  if (verdict.state !== "stalled") return;
  const failure = environment.accounts.failure(account);
  if (failure?.reason === verdict.reason && failure.token !== undefined) return;
  const token = isRejection(error) ? connection?.token : undefined;
  environment.accounts.failed(account, verdict, { token, at: environment.clock.now() });
}

async function report(ctx: AccountContext, verdict: Verdict): Promise<void> {
  if (verdict.state === "gone" || verdict.state === "superseded") return;
  const before = plain(ctx.object.status ?? {}) as AccountStatus;
  const generation = ctx.object.metadata.generation ?? 0;
  const after: AccountStatus = {
    ...before,
    ...(ctx.found && {
      ...fitted(ctx.environment.accountKind.status, plain(ctx.found) as unknown as JsonObject),
      identity: pinned(before.identity, ctx.found.identity),
      endpoint: addressOf(ctx),
    }),
    observedGeneration: generation,
    conditions: conditionsFrom(
      before.conditions ?? [],
      assertionsOf(verdict),
      generation,
      ctx.environment.clock.date(),
    ),
  };
  const status = mergePatch(before as never, plain(after) as never);
  if (!status) return;
  const { kube, accountKind, stored } = ctx.environment;
  const written = await kube.patchStatus(resourceOf(accountKind), ctx.object, status);
  stored(ctx.object, written);
  ctx.object = written;
  announceVerdict(ctx.environment, ctx.object, { verdict, before: before.conditions, id: undefined });
  if (verdict.state === "ready") announceConnection(ctx, before, verdict);
}

/** Returns the address of the cloud API, so that other programs reach the account of a user who may read the token. */
function addressOf({ environment, object }: AccountContext): NonNullable<AccountStatus["endpoint"]> {
  const { endpoint = "default" } = (object.spec ?? {}) as Partial<AccountSpec>;
  const url = environment.endpoints.get(endpoint);
  return { ...(url !== undefined && { url }), brandWord: environment.brandWords.configured };
}

/** Emits an event for a new connection, or for a new user of the token. */
function announceConnection(
  { environment, object, found }: AccountContext,
  { conditions, username }: AccountStatus,
  { reason, message: note }: Pick<Stalled, "reason" | "message">,
): void {
  if (isReady({ conditions }) && username === found?.username) return;
  announce(environment, object, { type: "Normal", reason, action: "Connect", note, id: undefined });
}

/** Creates the environment of reconciles for one process. */
import { createSecretKey } from "node:crypto";
import { createBrand } from "../api/brand.ts";
import type { JsonObject } from "../api/types.ts";
import type { Cache, Leadership, ObjectRef } from "../cluster/types.ts";
import type { AccountEnvironment } from "../core/lifecycle/reconcile-account.ts";
import { createAccounts } from "../core/account/accounts.ts";
import { proveAccount } from "../core/read/prove-account.ts";
import { createMemory } from "../core/model/memory.ts";
import { createClaims } from "../core/watch/claims.ts";
import { wakeRefused } from "../core/send/refusals.ts";
import { createChanges } from "../core/watch/changes.ts";
import { createHoldings } from "../core/watch/holdings.ts";
import { doubtService, doubtToken, handleKey, noteStored } from "../core/lifecycle/controller.ts";
import { createDependents } from "../core/watch/dependents.ts";
import { createDefinitions } from "../core/read/definition.ts";
import { createFreshReads } from "../core/read/fresh.ts";
import type { Cause } from "../core/model/environment.ts";
import type { Log } from "../queue/log.ts";
import type { Request } from "../core/kind/call.ts";
import type { Neutral } from "../core/kind/neutral.ts";
import { guardSecrets } from "../core/secrets/guarded-secrets.ts";
import { cloudAccount } from "../kinds/account/cloud-account.ts";
import { kinds } from "../kinds/registry.ts";
import scopes from "../kinds/scopes.json" with { type: "json" };
import type { Clock } from "../queue/clock.ts";
import type { Outcome, Queue } from "../queue/types.ts";
import { catalogsOf } from "./catalogs.ts";
import type { CatalogOptions } from "./catalogs.ts";
import type { Connecting, Endpoint } from "./cloud.ts";
import type { ClusterSide } from "./cluster.ts";

export interface EnvironmentOptions {
  clock: Clock;
  log: Log;
  endpoints: Endpoint[];
  brandWord: string;
  /** Signs journal entries. */
  installationKey: Uint8Array;
  installationKeySince?: string | undefined;
  /** The Secret with the key. The operator uses the Secret only for the key. */
  installationKeySecret?: ObjectRef | undefined;
  /** Permits AccountActions. Default: false. */
  allowAccountActions?: boolean | undefined;
  /** Sends no request that changes the cloud. Default: false. */
  readOnly?: boolean | undefined;
  /** Protects objects with data in the cloud unless `spec.management.protect` is false. Default: false. */
  protectByDefault?: boolean | undefined;
  /** Origins from which the operator may read image data. Default: none. */
  imageSources?: readonly string[] | undefined;
  /** Most bytes of one value of a Secret or a ConfigMap. Default 65,536. */
  secretValueBytes?: number | undefined;
  settle: { freeMs: number; billableMs: number };
  /** Namespaces to watch; undefined for the whole cluster. */
  namespaces?: string[] | undefined;
  disabledKinds?: readonly string[] | undefined;
  catalogs?: CatalogOptions | undefined;
  pollMs: number;
  resyncMs: number;
  /** Returns a number from 0 to 1 for jitter. Defaults to Math.random. */
  random?: (() => number) | undefined;
  measures?: {
    caused?: (key: string, cause: Cause) => void;
    drifted?: (kind: string, what: "detected" | "corrected") => void;
    leftBehind?: (kind: string) => void;
    leaving?: (key: string, request: Request) => void;
  };
}

export interface EnvironmentCluster extends Pick<
  ClusterSide,
  "kube" | "secrets" | "configMaps" | "events" | "operators" | "permissions"
> {
  leadership: Pick<Leadership, "epoch">;
  /** Caches by kind, including `CloudAccount`. */
  caches: ReadonlyMap<string, Cache>;
  /** Metadata of objects of disabled kinds, by kind. */
  disabled: ReadonlyMap<string, Cache>;
  accountCache: Cache;
  /** Metadata only. */
  secretCache: Cache;
  configMapCache: Cache;
}

export interface EnvironmentParts {
  options: EnvironmentOptions;
  cluster: EnvironmentCluster;
  connect: Pick<Connecting, "anybody" | "readSource" | "isServed"> & AccountEnvironment["connect"];
  installationTag: string | undefined;
  /** A function, because the queue needs the environment first. */
  queue: () => Pick<Queue, "add">;
}

/** Handles one key. Logs an unexpected error with the fields of the reconcile, and retries. */
export async function handleSafely(environment: AccountEnvironment, key: string): Promise<Outcome> {
  try {
    return await handleKey(environment, key);
  } catch (error) {
    environment.log.error({ key, error }, "Reconciler error");
    return { type: "backoff", failed: "unexpected" };
  }
}

const scopesOf = new Map<string, string[]>(Object.entries(scopes));

function neutralOf(brandWord: string): Neutral {
  const brand = createBrand(brandWord);
  return (fields) => brand.fromWire(fields, "") as JsonObject;
}

function secretsOf(
  { installationKeySecret: installationKey }: EnvironmentParts["options"],
  { secrets: store, accountCache: accounts }: EnvironmentParts["cluster"],
) {
  return guardSecrets({ store, accounts, installationKey });
}

/** Creates the environment. Starts no work. */
export function createEnvironment({
  options,
  cluster,
  connect,
  installationTag,
  queue,
}: EnvironmentParts): AccountEnvironment {
  const { clock, log, settle, measures, random = Math.random } = options;
  const { kube, configMaps, events, leadership } = cluster;
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const neutral = neutralOf(options.brandWord);
  const accounts = createAccounts(cluster.accountCache);
  const environment: AccountEnvironment = {
    clock,
    log,
    kinds: byName,
    catalogs: catalogsOf(options, connect),
    ...readsOf(options, cluster),
    kube,
    ...secretsOf(options, cluster),
    configMaps,
    events,
    epoch: () => leadership.epoch(),
    stored: (before, written) => noteStored(environment, before, written),
    enqueue(key, { cause, ...how }) {
      measures?.caused?.(key, cause);
      queue().add(key, how);
    },
    drifted: (kind, what) => measures?.drifted?.(kind, what),
    leftBehind: (kind) => measures?.leftBehind?.(kind),
    leaving: (key, request) => measures?.leaving?.(key, request),
    proveAccount: (used, since) => proveAccount(environment, used, since),
    openAccount: (object, ref) => accounts.open(object, ref),
    unfollow: (key) => accounts.forgetKey(key),
    doubtToken: (session) => doubtToken(environment, session),
    doubtService: (session) => doubtService(environment, session),
    ...provenBy(options, byName, neutral),
    ...indexesOf(clock, () => environment),
    operators: cluster.operators,
    permissions: cluster.permissions,
    memory: createMemory(),
    neutral,
    installationTag,
    imageSources: options.imageSources ?? [],
    readSource: connect.readSource,
    secretValueBytes: options.secretValueBytes ?? 65_536,
    uploads: new Map(),
    scopesOf: (kind) => scopesOf.get(kind) ?? [],
    settings: settingsOf(options),
    settle,
    pollMs: options.pollMs,
    resyncMs: () => options.resyncMs * (0.9 + 0.2 * random()),
    accounts,
    accountKind: cloudAccount,
    endpoints: new Map(options.endpoints.map(({ name, url }) => [name, url])),
    brandWords: { configured: options.brandWord, isServed: connect.isServed },
    connect,
  };
  return environment;
}

function settingsOf(options: EnvironmentOptions): AccountEnvironment["settings"] {
  const { allowAccountActions = false, readOnly = false, protectByDefault = false } = options;
  return { allowAccountActions, readOnly, protectByDefault };
}

/** The key of the installation, and the index that reads records with the key. */
function provenBy(
  { installationKey: bytes, installationKeySince }: EnvironmentOptions,
  kinds: AccountEnvironment["kinds"],
  neutral: Neutral,
) {
  // A key object is prepared once. Raw bytes would be prepared for every signature.
  const installationKey = createSecretKey(bytes);
  const dependents = createDependents({ kinds, neutral, installationKey });
  return { installationKey, installationKeySince, dependents };
}

/** Creates the indexes of claims, changes and exclusive cloud objects. `environment`: called after the start. */
function indexesOf(clock: Clock, environment: () => AccountEnvironment) {
  return {
    claims: createClaims((key) => environment().enqueue(key, { cause: "reference", urgency: "resync" })),
    changes: createChanges(clock, (key) => wakeRefused(environment(), key)),
    holdings: createHoldings(),
  };
}

/** Returns the readers of the API server: caches from watches, and fresh reads before requests. */
function readsOf(
  { clock, namespaces }: EnvironmentOptions,
  { kube, caches, disabled, secretCache, configMapCache, permissions }: EnvironmentCluster,
) {
  const fresh = createFreshReads({ kube, clock });
  const definitions = createDefinitions({ kube, fresh, isNamespaced: permissions !== undefined });
  return { caches, disabled, secretCache, configMapCache, namespaces, fresh, definitions };
}

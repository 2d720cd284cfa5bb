/** The environment in which objects are looked at: the rooms, put together for one process. */
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
  /** What intents are signed with. */
  installationKey: Uint8Array;
  installationKeySince?: string | undefined;
  /** The Secret with that key, which the operator uses for nothing else. */
  installationKeySecret?: ObjectRef | undefined;
  /** AccountActions may run; false if not given. */
  allowAccountActions?: boolean | undefined;
  /** Origins that data of images may be read from; none if not given. */
  imageSources?: readonly string[] | undefined;
  /** Bytes that one value of a Secret or a ConfigMap may have. Default 65,536. */
  secretValueBytes?: number | undefined;
  settle: { freeMs: number; billableMs: number };
  /** Just these are watched; undefined: all. */
  namespaces?: string[] | undefined;
  /** Kinds that are not managed. */
  disabledKinds?: readonly string[] | undefined;
  /** Of catalogs that are kept as objects. */
  catalogs?: CatalogOptions | undefined;
  sweepMs: number;
  slowPassMs: number;
  /** Returns a number from 0 to 1 for jitter. Defaults to Math.random. */
  random?: (() => number) | undefined;
  measures?: {
    caused?: (key: string, cause: Cause) => void;
    drifted?: (kind: string, what: "detected" | "corrected") => void;
    leftBehind?: (kind: string) => void;
  };
}

/** What is needed of the Kubernetes side. */
export interface EnvironmentCluster extends Pick<
  ClusterSide,
  "kube" | "secrets" | "configMaps" | "events" | "custody" | "permissions"
> {
  leadership: Pick<Leadership, "epoch">;
  /** By kind; `CloudAccount` among them. */
  caches: ReadonlyMap<string, Cache>;
  /** Metadata of the objects of kinds that are switched off, by kind. */
  disabled: ReadonlyMap<string, Cache>;
  accountCache: Cache;
  /** Metadata only. */
  secretCache: Cache;
  configMapCache: Cache;
}

export interface EnvironmentParts {
  options: EnvironmentOptions;
  cluster: EnvironmentCluster;
  connect: Pick<Connecting, "anybody" | "readSource"> & AccountEnvironment["connect"];
  installationTag: string | undefined;
  /** Asked when a key is added, since the queue needs the environment first. */
  queue: () => Pick<Queue, "add">;
}

/** Handles one key. What nothing expected is told, with what the log knows of the reconcile, and tried again. */
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

/** Puts the environment together; nothing runs before a key is handled. */
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
    proveAccount: (used, since) => proveAccount(environment, used, since),
    openAccount: (object, ref) => accounts.open(object, ref),
    unfollow: (key) => accounts.forgetKey(key),
    doubtToken: (session) => doubtToken(environment, session),
    doubtService: (session) => doubtService(environment, session),
    ...provenBy(options, byName, neutral),
    ...indexesOf(clock, () => environment),
    custody: cluster.custody,
    permissions: cluster.permissions,
    memory: createMemory(),
    neutral,
    installationTag,
    imageSources: options.imageSources ?? [],
    readSource: connect.readSource,
    secretValueBytes: options.secretValueBytes ?? 65_536,
    uploads: new Map(),
    scopesOf: (kind) => scopesOf.get(kind) ?? [],
    settings: { allowAccountActions: options.allowAccountActions === true },
    settle,
    sweepMs: options.sweepMs,
    slowPassMs: () => options.slowPassMs * (0.9 + 0.2 * random()),
    accounts,
    accountKind: cloudAccount,
    endpoints: options.endpoints.map(({ name }) => name),
    connect,
  };
  return environment;
}

/** The key of the installation, and the index that reads records with the key. */
function provenBy(
  { installationKey: bytes, installationKeySince }: EnvironmentOptions,
  kinds: AccountEnvironment["kinds"],
  neutral: Neutral,
) {
  // As an object it is prepared once: bytes would be with every signature.
  const installationKey = createSecretKey(bytes);
  const dependents = createDependents({ kinds, neutral, installationKey });
  return { installationKey, installationKeySince, dependents };
}

/** What one process knows of claims, of changes and of exclusive cloud objects. `environment`: called after the start. */
function indexesOf(clock: Clock, environment: () => AccountEnvironment) {
  return {
    claims: createClaims((key) => environment().enqueue(key, { cause: "reference", urgency: "resync" })),
    changes: createChanges(clock, (key) => wakeRefused(environment(), key)),
    holdings: createHoldings(),
  };
}

/** Reads of the API server: caches that watches fill, and fresh reads before requests. */
function readsOf(
  { clock, namespaces }: EnvironmentOptions,
  { kube, caches, disabled, secretCache, configMapCache, permissions }: EnvironmentCluster,
) {
  const fresh = createFreshReads({ kube, clock });
  const definitions = createDefinitions({ kube, fresh, isNamespaced: permissions !== undefined });
  return { caches, disabled, secretCache, configMapCache, namespaces, fresh, definitions };
}

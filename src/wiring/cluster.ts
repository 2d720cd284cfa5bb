/**
 * Room `wiring`: connects the rooms, and is the only room that imports values of all others.
 * Guarantees the order of start and stop: caches before reconciles, and the end of reconciles before the release of the
 * lease.
 * Makes no decisions: the caller passes everything that depends on a setting or on the cluster. May import every room
 * except `process` (src/main.ts passes clock, log and settings), `simulator`, `generate` and `cli`.
 */
import { createHash, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { createCache } from "../cluster/cache.ts";
import type { ReflectedCache } from "../cluster/cache.ts";
import { createKubeClient } from "../cluster/client.ts";
import { loadKubeConfig, namespaceOf } from "../cluster/credentials.ts";
import type { KubeConfigSource } from "../cluster/credentials.ts";
import { createEventRecorder } from "../cluster/events.ts";
import type { DropReason } from "../cluster/events.ts";
import { createLeadership, leaseCallMs, leases } from "../cluster/lease.ts";
import { createOtherLeases } from "../cluster/other-leases.ts";
import { createRewindCheck } from "../cluster/rewind.ts";
import { configMaps, createConfigMapStore } from "../cluster/config-maps.ts";
import { followConfigMaps, followSecrets } from "../cluster/named-values.ts";
import { createSecretStore, secrets } from "../cluster/secrets.ts";
import { createTransport } from "../cluster/transport.ts";
import type { RequestReport, Transport } from "../cluster/transport.ts";
import type {
  Cache,
  ConfigMapStore,
  EventRecorder,
  KubeClient,
  Leadership,
  Resource,
  SecretStore,
} from "../cluster/types.ts";
import type { Operators } from "../core/model/environment.ts";
import { keptOfDisabled, keptOfObjects, keptOfValues } from "../core/model/kept.ts";
import type { Mirror } from "../core/kind/mirror.ts";
import type { Kind } from "../core/kind/owned.ts";
import { readsConfigMaps } from "../core/kind/reference.ts";
import { resourceOf } from "../core/kind/resource.ts";
import type { Log } from "../queue/log.ts";
import { createPermissions } from "../core/store/permissions.ts";
import type { Permissions } from "../core/store/permissions.ts";
import { tagPrefix } from "../core/kind/tags.ts";
import { cloudAccount } from "../kinds/account/cloud-account.ts";
import type { Clock } from "../queue/clock.ts";

export interface ClusterOptions {
  kubeConfig: KubeConfigSource;
  /** Namespaces to watch; undefined for the whole cluster. */
  namespaces: string[] | undefined;
  /** Undefined: a single replica leads without a lease. `namespace` undefined: from the kubeconfig, or `default`. */
  leaderElection: { namespace: string | undefined; name: string; leaseSeconds?: number } | undefined;
  /** Runs leader election elsewhere, such as in a separate thread. Default: this thread. */
  openLeadership?: ((lease: LeaseAsked) => Leadership) | undefined;
  /** Name of the Role and RoleBinding with the permissions in each namespace, unless other roles give them. */
  roleName?: string | undefined;
  /** Kinds to watch, without CloudAccount. */
  kinds: Kind[];
  /** Disabled kinds. The operator watches only metadata of their objects. */
  disabled: Kind[];
  /** Cluster-scoped kinds to watch. Startup does not wait for these caches. */
  mirrors: Mirror[];
  /** Set if the operator does not watch Secrets and ConfigMaps: the interval of reads, milliseconds. */
  secretsByGet?: { everyMs: number; forgetMs: number } | undefined;
  clock: Clock;
  log: Log;
  onRequest: ((report: RequestReport) => void) | undefined;
  onEventDropped: ((why: DropReason) => void) | undefined;
}

export interface ClusterSide {
  transport: Transport;
  kube: KubeClient;
  leadership: Leadership;
  /** Undefined without leader election: no other operator runs then. */
  operators: Operators | undefined;
  permissions: Permissions | undefined;
  /** Caches by kind, including `CloudAccount`. */
  caches: ReadonlyMap<string, ReflectedCache>;
  /** Metadata of objects of disabled kinds, by kind. */
  disabled: ReadonlyMap<string, ReflectedCache>;
  accountCache: ReflectedCache;
  /** Metadata only. */
  secretCache: Cache;
  /** Metadata only; empty if no kind refers to a ConfigMap. Startup does not wait for this cache. */
  configMapCache: Cache;
  events: EventRecorder;
  secrets: SecretStore;
  configMaps: ConfigMapStore;
  synced: Promise<unknown>;
  /** Lists every object again, kind by kind, because a list doubles the memory of its kind. */
  refresh: () => Promise<void>;
  close: () => Promise<void>;
}

/**
 * Opens transport, leadership and caches. The caches list after the first read of the lease: if the lease is free, the
 * lists show every change of a former leader.
 */
export async function openCluster(options: ClusterOptions): Promise<ClusterSide> {
  const { clock, log, onRequest, onEventDropped } = options;
  const identity = `${hostname()}_${randomUUID()}`;
  let mayWrite = (): boolean => true;
  const transport = createTransport({
    config: () => loadKubeConfig(options.kubeConfig),
    clock,
    // A process learns from the lease that another process leads.
    mayWrite: (resource) => resource === leases.plural || mayWrite(),
    onWarning: once((text, request) => log.warn({ ...request, warning: text }, "warning of the API server")),
    ...(onRequest && { onRequest }),
  });
  const kube = createKubeClient(transport);
  const lease = leaseOf(options);
  const leadership = lease ? openLeadership(options, transport, { ...lease, identity }) : alone();
  mayWrite = () => clock.now() < leadership.recordsUntil();
  const controller = "cloudplatform.dev/operator";
  const events = createEventRecorder({
    client: kube,
    clock,
    log,
    controller,
    instance: identity,
    onDropped: onEventDropped,
  });
  const store = createSecretStore(kube);
  const maps = createConfigMapStore(kube);
  const how = options.secretsByGet && { clock, log, ...options.secretsByGet };
  const followed = how && { secrets: followSecrets(store, how), configMaps: followConfigMaps(maps, how) };
  await leadership.asked;
  const reflected = openCaches(options, transport, followed);
  return {
    transport,
    kube,
    leadership,
    operators: lease && {
      own: `${lease.namespace}/${lease.name}`,
      others: createOtherLeases({ client: kube, clock }),
    },
    permissions: permissionsOf(options, kube, new Map([...reflected.caches, ...reflected.disabled])),
    ...reflected,
    events,
    secrets: followed?.secrets.store ?? store,
    configMaps: followed?.configMaps.store ?? maps,
    async close() {
      followed?.secrets.close();
      followed?.configMaps.close();
      await events.flush();
      await leadership.release();
      reflected.close();
      await transport.close();
    },
  };
}

function permissionsOf(
  { clock, log, roleName: name }: ClusterOptions,
  kube: KubeClient,
  caches: ReadonlyMap<string, Cache>,
): Permissions | undefined {
  return name === undefined ? undefined : createPermissions({ kube, clock, log, caches, name });
}

function openCaches(
  { clock, log, namespaces, kinds, disabled: off, mirrors }: ClusterOptions,
  transport: Transport,
  followed: Record<"secrets" | "configMaps", { cache: Cache }> | undefined,
) {
  const shared = { transport, clock, log, onReconnect, ...(namespaces && { namespaces }) };
  const cacheOf = (resource: Resource, metadataOnly: boolean): ReflectedCache =>
    createCache({ ...shared, resource, metadataOnly, kept: metadataOnly ? keptOfValues : keptOfObjects });
  // The signed journal entry in the metadata shows the cloud object of a disabled kind.
  const leftOf = (kind: Kind): ReflectedCache =>
    createCache({
      ...shared,
      resource: resourceOf(kind),
      metadataOnly: true,
      kept: keptOfDisabled,
      mayBeMissing: true,
    });
  const accountCache = cacheOf(resourceOf(cloudAccount), false);
  const ofKinds = kinds.map((kind) => [kind.kind, cacheOf(resourceOf(kind), false)] as const);
  const ofMirrors = mirrors.map((mirror) => [mirror.kind, cacheOf(resourceOf(mirror), false)] as const);
  const disabled = new Map(off.map((kind) => [kind.kind, leftOf(kind)]));
  const caches = new Map([...ofKinds, ...ofMirrors, [cloudAccount.kind, accountCache]]);
  const watched: ReflectedCache[] = [];
  const reflected = (resource: Resource): ReflectedCache => {
    const cache = cacheOf(resource, true);
    watched.push(cache);
    return cache;
  };
  const secretCache = followed?.secrets.cache ?? reflected(secrets);
  const configMapCache = kinds.some(readsConfigMaps) ? (followed?.configMaps.cache ?? reflected(configMaps)) : nothing;
  const awaited = [...ofKinds.map(([, cache]) => cache), ...disabled.values(), accountCache, secretCache];
  const every = [...caches.values(), ...disabled.values(), ...watched];
  const [namespace] = namespaces ?? [];
  const measured = {
    resource: accountCache.resource,
    caches: () => every,
    ...(namespace !== undefined && { namespace }),
  };
  const rewind = createRewindCheck({ transport, clock, log, ...measured });
  function onReconnect(): void {
    void rewind.check();
  }
  const close = (): void => {
    rewind.close();
    for (const cache of every) cache.close();
  };
  const synced = Promise.all(awaited.map((cache) => cache.synced));
  const refresh = async (): Promise<void> => {
    for (const cache of [...ofKinds.map(([, one]) => one), ...disabled.values(), accountCache]) await cache.refresh();
  };
  return { accountCache, caches, disabled, secretCache, configMapCache, synced, refresh, close };
}

/** The cache for resources that no kind refers to. */
const nothing: Cache = {
  get: () => undefined,
  list: () => [],
  objects: () => [],
  written: () => undefined,
  noteRead: () => undefined,
  onChange: () => undefined,
  synced: Promise.resolve(),
};

interface Lease {
  namespace: string;
  name: string;
  leaseSeconds?: number;
}

function leaseOf({ leaderElection, kubeConfig }: ClusterOptions): Lease | undefined {
  if (!leaderElection) return undefined;
  return { ...leaderElection, namespace: leaderElection.namespace ?? namespaceOf(loadKubeConfig(kubeConfig)) };
}

export interface LeaseAsked extends Lease {
  identity: string;
  namespaces?: string[] | undefined;
}

function openLeadership(
  { clock, log, namespaces, openLeadership: elsewhere }: ClusterOptions,
  transport: Transport,
  lease: LeaseAsked,
): Leadership {
  if (elsewhere) return elsewhere({ ...lease, namespaces });
  const client = createKubeClient(transport, { deadlineMs: leaseCallMs });
  return createLeadership({ client, clock, log, namespaces, ...lease });
}

function alone(): Leadership {
  const epoch = randomUUID();
  return {
    acquired: Promise.resolve(),
    asked: Promise.resolve(),
    tookOver: () => false,
    lost: new AbortController().signal,
    deadline: () => Number.POSITIVE_INFINITY,
    recordsUntil: () => Number.POSITIVE_INFINITY,
    epoch: () => epoch,
    release: () => Promise.resolve(),
  };
}

/**
 * Returns the tag for cloud objects of this installation, from `installationId` or from the UID of kube-system. Returns
 * undefined if the UID is not readable.
 */
export async function installationTagOf(
  kube: Pick<KubeClient, "get">,
  installationId: string | undefined,
  log: Log,
): Promise<string | undefined> {
  if (installationId !== undefined) return `${tagPrefix}${installationId}`;
  try {
    const namespaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };
    const system = await kube.get(namespaces, { name: "kube-system" });
    if (system) return `${tagPrefix}${createHash("sha256").update(system.metadata.uid).digest("hex").slice(0, 8)}`;
  } catch (error) {
    log.warn(
      { error },
      "cannot read the UID of kube-system: new cloud objects get no tag of the installation. Set --installation-id",
    );
  }
  return undefined;
}

/** Logs each warning once: the API server repeats a warning with every request. */
function once(say: (text: string, request: object) => void): (text: string, request: object) => void {
  const said = new Set<string>();
  return (text, request) => {
    if (said.has(text) || said.size > 1_000) return;
    said.add(text);
    say(text, request);
  };
}

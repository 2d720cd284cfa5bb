/** Wiring of the operator: caches, queue, accounts and leadership, started and stopped in order. */
import { createHash, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { createCache } from "./cluster/cache.ts";
import type { ReflectedCache } from "./cluster/cache.ts";
import { createKubeClient } from "./cluster/client.ts";
import { loadKubeConfig } from "./cluster/credentials.ts";
import type { KubeConfigSource } from "./cluster/credentials.ts";
import { createEventRecorder } from "./cluster/events.ts";
import { createLeadership } from "./cluster/lease.ts";
import { createRewindCheck } from "./cluster/rewind.ts";
import { createSecretStore, secrets } from "./cluster/secrets.ts";
import { createTransport } from "./cluster/transport.ts";
import type { RequestReport } from "./cluster/transport.ts";
import type { KubeClient, Leadership } from "./cluster/types.ts";
import { createConnect } from "./connect.ts";
import type { ConnectOptions } from "./connect.ts";
import type { AccountEnvironment } from "./core/account.ts";
import { createAccounts } from "./core/accounts.ts";
import { doubtService, handleKey, noteStored, rejectToken, watchChanges } from "./core/controller.ts";
import { createDependents } from "./core/dependents.ts";
import { resourceOf } from "./core/environment.ts";
import type { Log } from "./core/environment.ts";
import { createMemory } from "./core/memory.ts";
import { createRecorded } from "./core/ownership.ts";
import { statusOf } from "./core/reconciliation.ts";
import { cloudAccount } from "./kinds/account/cloud-account.ts";
import { kinds } from "./kinds/registry.ts";
import { createQueue } from "./queue/queue.ts";
import type { Handled } from "./queue/queue.ts";
import type { Queue } from "./queue/types.ts";

export interface OperatorOptions extends Omit<ConnectOptions, "deadline" | "signal" | "wake"> {
  kubeConfig: KubeConfigSource;
  /** Just these; undefined: all. */
  namespaces: string[] | undefined;
  /** Undefined: from the UID of kube-system. */
  installationId: string | undefined;
  workers: number;
  settle: { freeMs: number; billableMs: number };
  /** Undefined: this process leads without asking, which only a single replica may. `namespace` undefined: that of the kubeconfig, else `default`. */
  leaderElection: { namespace: string | undefined; name: string } | undefined;
  measures?: {
    kubeRequest?: (report: RequestReport) => void;
    handled?: (measure: Handled) => void;
    added?: (key: string) => void;
  };
}

export interface Operator {
  /** Resolves when this process leads and its caches are filled. */
  ready: Promise<void>;
  /** Aborts when the lease is lost: the process must end. */
  lost: AbortSignal;
  /** True when every cache is filled. */
  synced: () => boolean;
  queue: Pick<Queue, "depth">;
  /** How many objects have which status of which condition, for metrics. */
  conditions: () => { kind: string; condition: string; status: string; count: number }[];
  snapshots: () => { account: string; collection: string; ageSeconds: number }[];
  rateLimits: () => { account: string; limit: string; remaining: number }[];
  connectionsOpened: () => number;
  /** Ends in order: no new look begins, what runs may finish for ten seconds, events are sent, the lease is given back. */
  stop: () => Promise<void>;
}

/** A hung connection must leave time for a second try before the lease ends, milliseconds. */
const leaseCallMs = 4_000;
/** How long looks may go on after a stop was asked for, milliseconds. */
const drainMs = 10_000;

export async function startOperator(options: OperatorOptions): Promise<Operator> {
  const { clock, log } = options;
  const stopping = new AbortController();
  const identity = `${hostname()}_${randomUUID()}`;
  const config = loadKubeConfig(options.kubeConfig);
  const transport = createTransport({
    config: () => loadKubeConfig(options.kubeConfig),
    clock,
    onWarning: once((text, request) => log.warn({ ...request, warning: text }, "warning of the API server")),
    ...(options.measures?.kubeRequest && { onRequest: options.measures.kubeRequest }),
  });
  const kube = createKubeClient(transport);
  const installationTag = await tagOf(kube, options.installationId, log);
  const leadership = options.leaderElection
    ? createLeadership({
        client: createKubeClient(transport, { deadlineMs: leaseCallMs }),
        clock,
        log,
        namespace:
          options.leaderElection.namespace ??
          config.getContextObject(config.getCurrentContext())?.namespace ??
          "default",
        name: options.leaderElection.name,
        identity,
      })
    : alone();

  const checks: { run: () => void } = { run: () => undefined };
  const cacheOf = (resource: Parameters<typeof createCache>[0]["resource"], metadataOnly = false): ReflectedCache =>
    createCache({
      transport,
      clock,
      log,
      resource,
      onReconnect: () => checks.run(),
      ...(metadataOnly && { metadataOnly }),
      ...(options.namespaces && { namespaces: options.namespaces }),
    });
  const caches = new Map([...kinds, cloudAccount].map((kind) => [kind.kind, cacheOf(resourceOf(kind))]));
  const secretCache = cacheOf(secrets, true);
  const accountCache = caches.get(cloudAccount.kind) ?? secretCache;
  const everyCache = [...caches.values(), secretCache];
  const rewind = createRewindCheck({
    transport,
    clock,
    log,
    measure: accountCache,
    caches: () => everyCache,
    ...(options.namespaces?.[0] !== undefined && { namespace: options.namespaces[0] }),
  });
  checks.run = () => void rewind.check();

  const accounts = createAccounts(accountCache);
  const events = createEventRecorder({
    client: kube,
    clock,
    log,
    controller: "cloudplatform.dev/operator",
    instance: identity,
  });
  const connect = createConnect({
    ...options,
    deadline: () => leadership.deadline(),
    signal: AbortSignal.any([stopping.signal, leadership.lost]),
    wake: (keys) => keys.forEach((key) => queue.add(key, { urgency: "resync" })),
  });
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const environment: AccountEnvironment = {
    clock,
    log,
    kinds: byName,
    caches,
    secretCache,
    kube,
    secrets: createSecretStore(kube),
    events,
    epoch: () => leadership.epoch(),
    stored: (before, written) => noteStored(environment, before, written),
    enqueue(key, how) {
      options.measures?.added?.(key);
      queue.add(key, how);
    },
    openAccount: (object, ref) => accounts.open(object, ref),
    rejectToken: (session) => rejectToken(environment, session),
    doubtService: (session) => doubtService(environment, session),
    dependents: createDependents(byName),
    recorded: createRecorded(),
    memory: createMemory(),
    installationTag,
    settle: options.settle,
    slowPassMs: () => options.slowPassMs * (0.9 + 0.2 * Math.random()),
    accounts,
    accountKind: cloudAccount,
    endpoints: options.endpoints.map(({ name }) => name),
    connect,
  };
  const queue = createQueue({
    clock,
    workers: options.workers,
    handle: (key) => handleKey(environment, key),
    onError: (key, error) => log.error({ key, error }, "a look failed"),
    ...(options.measures?.handled && { onHandled: options.measures.handled }),
  });
  watchChanges(environment);

  let synced = false;
  const ready = (async () => {
    await Promise.all(everyCache.map((cache) => cache.synced));
    synced = true;
    await leadership.acquired;
    if (!stopping.signal.aborted) queue.start();
  })();

  return {
    ready,
    lost: leadership.lost,
    queue,
    synced: () => synced,
    conditions: () => countConditions(caches),
    snapshots: () =>
      accounts.sessions().flatMap(({ account, observer }) => observer.ages().map((age) => ({ account, ...age }))),
    rateLimits: () =>
      accounts.sessions().flatMap(({ account, client }) => client.limits().map((limit) => ({ account, ...limit }))),
    connectionsOpened: () => transport.connectionsOpened(),
    async stop() {
      const cancel = clock.schedule(drainMs, () => stopping.abort(new Error("shutting down")));
      await queue.stop();
      cancel();
      stopping.abort(new Error("shutting down"));
      accounts.closeAll();
      await events.flush();
      await leadership.release();
      rewind.close();
      everyCache.forEach((cache) => cache.close());
      await connect.close();
      await transport.close();
    },
  };
}

/** The tag on what this installation makes; none where its id is not to be had. */
async function tagOf(kube: KubeClient, installationId: string | undefined, log: Log): Promise<string | undefined> {
  if (installationId !== undefined) return `cpo-${installationId}`;
  try {
    const namespaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };
    const system = await kube.get(namespaces, { name: "kube-system" });
    if (system) return `cpo-${createHash("sha256").update(system.metadata.uid).digest("hex").slice(0, 8)}`;
  } catch (error) {
    log.warn(
      { error },
      "the UID of kube-system cannot be read; set --installation-id to have what is made here tagged",
    );
  }
  return undefined;
}

function countConditions(caches: ReadonlyMap<string, ReflectedCache>): ReturnType<Operator["conditions"]> {
  const counts = new Map<string, { kind: string; condition: string; status: string; count: number }>();
  for (const object of [...caches.values()].flatMap((cache) => cache.list())) {
    for (const { type, status } of statusOf(object).conditions ?? []) {
      const label = `${object.kind}/${type}/${status}`;
      const entry = counts.get(label) ?? { kind: object.kind, condition: type, status, count: 0 };
      entry.count += 1;
      counts.set(label, entry);
    }
  }
  return [...counts.values()];
}

/** The API server repeats a warning with every request; it is worth saying once. */
function once(say: (text: string, request: object) => void): (text: string, request: object) => void {
  const said = new Set<string>();
  return (text, request) => {
    if (said.has(text) || said.size > 1_000) return;
    said.add(text);
    say(text, request);
  };
}

function alone(): Leadership {
  const epoch = randomUUID();
  return {
    acquired: Promise.resolve(),
    lost: new AbortController().signal,
    deadline: () => Number.POSITIVE_INFINITY,
    epoch: () => epoch,
    release: () => Promise.resolve(),
  };
}

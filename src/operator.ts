/** The operator: caches, queue, accounts and leadership, started and stopped in order. */
import type { DropReason } from "./cluster/events.ts";
import type { RequestReport } from "./cluster/transport.ts";
import type { AccountEnvironment } from "./core/account.ts";
import { createAccounts } from "./core/accounts.ts";
import { doubtService, handleKey, noteStored, rejectToken, watchChanges } from "./core/controller.ts";
import { createDependents } from "./core/dependents.ts";
import type { Cause } from "./core/environment.ts";
import { createMemory } from "./core/memory.ts";
import { createRecorded } from "./core/ownership.ts";
import { cloudAccount } from "./kinds/account/cloud-account.ts";
import { kinds } from "./kinds/registry.ts";
import { createQueue } from "./queue/queue.ts";
import type { Handled } from "./queue/queue.ts";
import type { Outcome, Queue } from "./queue/types.ts";
import { createConnect } from "./wiring/cloud.ts";
import type { ConnectOptions } from "./wiring/cloud.ts";
import { installationTagOf, openCluster } from "./wiring/cluster.ts";
import type { ClusterOptions, ClusterSide } from "./wiring/cluster.ts";
import { figuresOf } from "./wiring/figures.ts";
import type { Figures } from "./wiring/figures.ts";

export interface OperatorOptions
  extends Omit<ConnectOptions, "deadline" | "signal" | "wake">, Omit<ClusterOptions, "onRequest" | "onEventDropped"> {
  /** Undefined: from the UID of kube-system. */
  installationId: string | undefined;
  workers: number;
  settle: { freeMs: number; billableMs: number };
  measures?: Measures;
}

/** Told what happens, for metrics, traces and the log. */
export interface Measures {
  kubeRequest?: (report: RequestReport) => void;
  eventDropped?: (why: DropReason) => void;
  /** Something happened for which a key is to be looked at. */
  caused?: (key: string, cause: Cause) => void;
  added?: (key: string) => void;
  /** Runs the look, and whatever it does, in the name of its key. */
  look?: (key: string, run: () => Promise<Outcome>) => Promise<Outcome>;
  handled?: (measure: Handled) => void;
  drifted?: (kind: string, what: "detected" | "corrected") => void;
}

export interface Operator extends Figures {
  /** Resolves when this process leads and its caches are filled. */
  ready: Promise<void>;
  /** True when every cache is filled. */
  synced: () => boolean;
  /** Aborts when the lease is lost: the process must end. */
  lost: AbortSignal;
  queue: Pick<Queue, "depth" | "keys">;
  connectionsOpened: () => number;
  /** Ends in order: no new look begins, what runs may finish for ten seconds, events are sent, the lease is given back. */
  stop: () => Promise<void>;
}

/** How long looks may go on after a stop was asked for, milliseconds. */
const drainMs = 10_000;

/** Starts the operator. Throws where the cluster's description cannot be loaded. */
export async function startOperator(options: OperatorOptions): Promise<Operator> {
  const { clock, log, measures } = options;
  const cluster = openCluster({
    ...options,
    onRequest: measures?.kubeRequest,
    onEventDropped: measures?.eventDropped,
  });
  const stopping = new AbortController();
  const connect = createConnect({
    ...options,
    deadline: () => cluster.leadership.deadline(),
    signal: AbortSignal.any([stopping.signal, cluster.leadership.lost]),
    wake: (keys) => keys.forEach((key) => environment.enqueue(key, { cause: "cloud", urgency: "resync" })),
  });
  const installationTag = await installationTagOf(cluster.kube, options.installationId, log);
  const environment = createEnvironment({ options, cluster, connect, installationTag, queue: () => queue });
  const queue = createQueue({
    clock,
    workers: options.workers,
    handle: (key) => look(key, () => handleSafely(environment, key)),
    onError: (key, error) => log.error({ key, error }, "Reconciler error"),
    ...(measures?.added && { onAdded: measures.added }),
    ...(measures?.handled && { onHandled: measures.handled }),
  });
  const look = measures?.look ?? ((_key, run) => run());
  watchChanges(environment);

  let synced = false;
  const ready = (async () => {
    await cluster.synced;
    synced = true;
    await cluster.leadership.acquired;
    await cluster.rights?.resume(options.namespaces ?? []);
    if (!stopping.signal.aborted) queue.start();
  })();

  return {
    ready,
    synced: () => synced,
    lost: cluster.leadership.lost,
    queue,
    ...figuresOf(cluster.caches, environment.accounts),
    connectionsOpened: () => cluster.transport.connectionsOpened(),
    async stop() {
      const cancel = clock.schedule(drainMs, () => stopping.abort(new Error("shutting down")));
      await queue.stop();
      cancel();
      stopping.abort(new Error("shutting down"));
      environment.accounts.closeAll();
      await connect.close();
      await cluster.close();
    },
  };
}

/** What nothing expected is told, with what the log knows of the look, and tried again. */
async function handleSafely(environment: AccountEnvironment, key: string): Promise<Outcome> {
  try {
    return await handleKey(environment, key);
  } catch (error) {
    environment.log.error({ key, error }, "Reconciler error");
    return { type: "backoff", failed: "unexpected" };
  }
}

interface Parts {
  options: OperatorOptions;
  cluster: ClusterSide;
  connect: AccountEnvironment["connect"];
  installationTag: string | undefined;
  queue: () => Queue;
}

function createEnvironment({ options, cluster, connect, installationTag, queue }: Parts): AccountEnvironment {
  const { clock, log, settle, measures } = options;
  const { caches, secretCache, kube, secrets, events, leadership, custody, rights } = cluster;
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const accounts = createAccounts(cluster.accountCache);
  const environment: AccountEnvironment = {
    clock,
    log,
    kinds: byName,
    caches,
    secretCache,
    kube,
    secrets,
    events,
    epoch: () => leadership.epoch(),
    stored: (before, written) => noteStored(environment, before, written),
    enqueue(key, { cause, ...how }) {
      measures?.caused?.(key, cause);
      queue().add(key, how);
    },
    drifted: (kind, what) => measures?.drifted?.(kind, what),
    openAccount: (object, ref) => accounts.open(object, ref),
    rejectToken: (session) => rejectToken(environment, session),
    doubtService: (session) => doubtService(environment, session),
    dependents: createDependents(byName),
    recorded: createRecorded(),
    custody,
    rights,
    memory: createMemory(),
    installationTag,
    settle,
    slowPassMs: () => options.slowPassMs * (0.9 + 0.2 * Math.random()),
    accounts,
    accountKind: cloudAccount,
    endpoints: options.endpoints.map(({ name }) => name),
    connect,
  };
  return environment;
}

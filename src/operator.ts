/** The operator: caches, queue, accounts and leadership, started and stopped in order. */
import type { DropReason } from "./cluster/events.ts";
import type { RequestReport } from "./cluster/transport.ts";
import type { ObjectRef } from "./cluster/types.ts";
import { watchChanges } from "./core/lifecycle/controller.ts";
import type { Cause } from "./core/model/environment.ts";
import { laneOf } from "./core/model/ownership.ts";
import { createQueue } from "./queue/queue.ts";
import type { Handled } from "./queue/queue.ts";
import type { Outcome, Queue } from "./queue/types.ts";
import { mirrorsOf } from "./wiring/catalogs.ts";
import type { CatalogOptions } from "./wiring/catalogs.ts";
import { createConnect } from "./wiring/cloud.ts";
import type { ConnectOptions } from "./wiring/cloud.ts";
import { installationTagOf, openCluster } from "./wiring/cluster.ts";
import type { ClusterOptions } from "./wiring/cluster.ts";
import { enabledKinds } from "./wiring/enabled.ts";
import { createEnvironment, handleSafely } from "./wiring/environment.ts";
import { figuresOf } from "./wiring/figures.ts";
import type { Figures } from "./wiring/figures.ts";

export interface OperatorOptions
  extends
    Omit<ConnectOptions, "deadline" | "signal" | "wake">,
    Omit<ClusterOptions, "onRequest" | "onEventDropped" | "kinds" | "disabled" | "mirrors"> {
  /** Kinds that are not managed; see `enabledKinds`, which names all kinds. */
  disabledKinds?: readonly string[] | undefined;
  /** Undefined: from the UID of kube-system. */
  installationId: string | undefined;
  installationKey: Uint8Array;
  /** When the key's Secret was created, RFC 3339; undefined: not known. */
  installationKeySince?: string | undefined;
  /** The Secret with that key, which the operator uses for nothing else. */
  installationKeySecret?: ObjectRef | undefined;
  /** Objects of one namespace in one account that are handled at the same time. */
  workers: number;
  /** AccountActions may run; false if not given. */
  allowAccountActions?: boolean | undefined;
  /** Origins that data of images may be read from; none if not given. */
  imageSources?: readonly string[] | undefined;
  /** Bytes that one value of a Secret or a ConfigMap may have. Default 65,536. */
  secretValueBytes?: number | undefined;
  settle: { freeMs: number; billableMs: number };
  /** Undefined: catalogs of the cloud are not kept as objects. */
  catalogs?: CatalogOptions | undefined;
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
  leftBehind?: (kind: string) => void;
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

/**
 * Reconciles at the same time, of all accounts. One that waits for an answer holds its object, a promise and a
 * connection, so that the bound guards memory and not the work: tenants that hang leave room for others.
 */
export const mostReconciles = 512;

/** Starts the operator. Throws where the cluster's description cannot be loaded. */
export async function startOperator(options: OperatorOptions): Promise<Operator> {
  const { clock, log, measures } = options;
  tellDisabled(options);
  const { kinds, disabled } = enabledKinds(options.disabledKinds);
  const cluster = await openCluster({
    ...options,
    kinds,
    disabled,
    mirrors: mirrorsOf(options),
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
    workers: Math.max(mostReconciles, options.workers),
    workersPerLane: options.workers,
    laneOf: (key) => laneOf(environment, key),
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
    // What the former leader did by a newer spec must not be undone by an older one.
    if (cluster.leadership.tookOver()) await cluster.refresh();
    await cluster.permissions?.resume(options.namespaces ?? []);
    if (!stopping.signal.aborted) queue.start();
  })();

  return {
    ready,
    synced: () => synced,
    lost: cluster.leadership.lost,
    queue,
    ...figuresOf(cluster.caches, environment),
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

function tellDisabled({ log, disabledKinds: kinds = [] }: OperatorOptions): void {
  const meaning =
    "kinds are disabled: their objects are not reconciled. Objects with the finalizer of the operator still hold what they may need";
  if (kinds.length > 0) log.info({ kinds }, meaning);
}

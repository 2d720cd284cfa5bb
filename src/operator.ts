/** Starts and stops caches, queue, accounts and leadership in order. */
import type { DropReason } from "./cluster/events.ts";
import type { RequestReport } from "./cluster/transport.ts";
import type { ObjectRef } from "./cluster/types.ts";
import type { Cause } from "./core/model/environment.ts";
import type { Handled } from "./queue/queue.ts";
import type { Outcome, Queue } from "./queue/types.ts";
import { mirrorsOf } from "./wiring/catalogs.ts";
import type { CatalogOptions } from "./wiring/catalogs.ts";
import type { ConnectOptions } from "./wiring/cloud.ts";
import { installationTagOf, openCluster } from "./wiring/cluster.ts";
import type { ClusterOptions } from "./wiring/cluster.ts";
import { enabledKinds } from "./wiring/enabled.ts";
import { createEngine } from "./wiring/engine.ts";
import { figuresOf } from "./wiring/figures.ts";
import type { Figures } from "./wiring/figures.ts";

export interface OperatorOptions
  extends
    Omit<ConnectOptions, "deadline" | "signal" | "wake">,
    Omit<ClusterOptions, "onRequest" | "onEventDropped" | "kinds" | "disabled" | "mirrors"> {
  /** Kinds that the operator does not manage; see `enabledKinds`. */
  disabledKinds?: readonly string[] | undefined;
  /** Undefined: derived from the UID of kube-system. */
  installationId: string | undefined;
  installationKey: Uint8Array;
  /** Creation time of the key's Secret, RFC 3339; undefined if not known. */
  installationKeySince?: string | undefined;
  /** The Secret with the key. The operator uses the Secret only for the key. */
  installationKeySecret?: ObjectRef | undefined;
  /** Objects of one namespace and one account handled at the same time. */
  workers: number;
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
  /** Undefined: the operator does not write catalogs. */
  catalogs?: CatalogOptions | undefined;
  measures?: Measures;
}

/** Callbacks for metrics, traces and the log. */
export interface Measures {
  kubeRequest?: (report: RequestReport) => void;
  eventDropped?: (why: DropReason) => void;
  /** Called with the cause of a reconcile. */
  caused?: (key: string, cause: Cause) => void;
  added?: (key: string) => void;
  /** Runs the reconcile of a key, to attribute its work. */
  look?: (key: string, run: () => Promise<Outcome>) => Promise<Outcome>;
  handled?: (measure: Handled) => void;
  drifted?: (kind: string, what: "detected" | "corrected") => void;
  leftBehind?: (kind: string) => void;
}

export interface Operator extends Figures {
  /** Resolves when this process leads and the caches are complete. */
  ready: Promise<void>;
  /** Returns true when every cache is complete. */
  synced: () => boolean;
  /** Aborts when the lease is lost. The process must then exit. */
  lost: AbortSignal;
  queue: Pick<Queue, "depth" | "keys">;
  connectionsOpened: () => number;
  /** Stops in order: waits ten seconds for running reconciles, sends events, releases the lease. */
  stop: () => Promise<void>;
}

/** Longest time for running reconciles after a stop, milliseconds. */
const drainMs = 10_000;

/** Starts the operator. Throws if the kubeconfig cannot be loaded. */
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
  const { queue, environment, connect } = createEngine({
    ...options,
    cluster,
    installationTag: await installationTagOf(cluster.kube, options.installationId, log),
    deadline: () => cluster.leadership.deadline(),
    signal: AbortSignal.any([stopping.signal, cluster.leadership.lost]),
    look: measures?.look,
    onAdded: measures?.added,
    onHandled: measures?.handled,
  });

  let synced = false;
  const ready = (async () => {
    await cluster.synced;
    synced = true;
    await cluster.leadership.acquired;
    // The former leader may have applied a newer spec. An outdated cache would revert the change.
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
    "kinds are disabled: the operator does not reconcile their objects. Objects with the finalizer of the operator still block the deletion of objects that they may need";
  if (kinds.length > 0) log.info({ kinds }, meaning);
}

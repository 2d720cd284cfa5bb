/** Connects queue, core, client and observer of one process, on any cluster side. */
import { watchChanges } from "../core/lifecycle/controller.ts";
import { laneOf } from "../core/model/owners.ts";
import type { AccountEnvironment } from "../core/lifecycle/reconcile-account.ts";
import { createQueue } from "../queue/queue.ts";
import type { Handled } from "../queue/queue.ts";
import type { Outcome, Queue } from "../queue/types.ts";
import { createConnect } from "./cloud.ts";
import type { Connecting, ConnectOptions } from "./cloud.ts";
import { createEnvironment, handleSafely } from "./environment.ts";
import type { EnvironmentCluster, EnvironmentOptions } from "./environment.ts";

export interface EngineOptions extends EnvironmentOptions, Omit<ConnectOptions, "wake"> {
  cluster: EnvironmentCluster;
  /** Tag of the cloud objects of this installation; undefined for no tag. */
  installationTag: string | undefined;
  /** Objects of one namespace and one account handled at the same time. */
  workers: number;
  /** Called for every key that begins to wait. */
  onAdded?: ((key: string) => void) | undefined;
  /** Called after every handled key. */
  onHandled?: ((measure: Handled) => void) | undefined;
  /** Runs the reconcile of a key, to attribute its work. */
  look?: ((key: string, run: () => Promise<Outcome>) => Promise<Outcome>) | undefined;
}

export interface Engine {
  queue: Queue;
  environment: AccountEnvironment;
  connect: Connecting;
}

/**
 * Most reconciles at the same time. A waiting reconcile needs memory for its object and a connection, but no CPU. The
 * limit protects memory, and is high: hanging tenants leave capacity for other tenants.
 */
export const mostReconciles = 512;

/** Creates the engine. The caller starts the queue. */
export function createEngine(options: EngineOptions): Engine {
  const { clock, log, cluster, installationTag, workers, random, onAdded, onHandled } = options;
  const { look = (_key, run) => run() } = options;
  const connect = createConnect({
    ...options,
    wake: (keys) => keys.forEach((key) => environment.enqueue(key, { cause: "cloud", urgency: "resync" })),
  });
  const environment = createEnvironment({ options, cluster, connect, installationTag, queue: () => queue });
  const queue = createQueue({
    clock,
    workers: Math.max(mostReconciles, workers),
    workersPerLane: workers,
    laneOf: (key) => laneOf(environment, key),
    handle: (key) => look(key, () => handleSafely(environment, key)),
    onError: (key, error) => log.error({ key, error }, "Reconciler error"),
    ...(random && { random }),
    ...(onAdded && { onAdded }),
    ...(onHandled && { onHandled }),
  });
  watchChanges(environment);
  return { queue, environment, connect };
}

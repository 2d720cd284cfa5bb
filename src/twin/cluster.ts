/** The Kubernetes side of a run: client, caches and Secrets on objects in memory. */
import { configMaps, createConfigMapStore } from "../cluster/config-maps.ts";
import { keyOf } from "../cluster/paths.ts";
import { createSecretStore, secrets } from "../cluster/secrets.ts";
import type { EventNote, Resource } from "../cluster/types.ts";
import { cloudAccount } from "../kinds/account/cloud-account.ts";
import type { EnvironmentCluster } from "../wiring/environment.ts";
import type { RunClock } from "./clock.ts";
import { resources } from "./definitions.ts";
import { openFeed } from "./feed.ts";
import { createMemoryClient } from "./kube-client.ts";
import type { Objects } from "./objects.ts";

/** An event of the operator about an object. */
export interface NotedEvent extends EventNote {
  kind: string;
  key: string;
}

export interface RunClusterOptions {
  objects: Objects;
  clock: RunClock;
  onEvent: (event: NotedEvent) => void;
}

export function openRunCluster({ objects, clock, onEvent }: RunClusterOptions): EnvironmentCluster {
  const run = <T>(call: () => T): Promise<T> => new Promise((resolve) => resolve(call()));
  const kube = createMemoryClient({ objects, read: run, write: (_call, write) => run(() => write()) });
  const feedOf = (resource: Resource) => openFeed({ objects, clock }, resource).cache;
  const caches = new Map([...resources].map(([kind, resource]) => [kind, feedOf(resource)]));
  const secretCache = feedOf(secrets);
  return {
    kube,
    secrets: createSecretStore(kube),
    configMaps: createConfigMapStore(kube),
    caches,
    disabled: new Map(),
    secretCache,
    configMapCache: feedOf(configMaps),
    accountCache: caches.get(cloudAccount.kind) ?? secretCache,
    leadership: { epoch: () => "plan" },
    operators: undefined,
    permissions: undefined,
    events: {
      emit: ({ kind, metadata }, note) => onEvent({ kind, key: keyOf(metadata), ...note }),
      flush: () => Promise.resolve(),
    },
  };
}

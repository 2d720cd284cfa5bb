import type { Clock } from "../queue/clock.ts";
import type { Log } from "../queue/log.ts";
import { keyOf } from "./paths.ts";
import { createReflector } from "./reflector.ts";
import type { ReflectorOptions } from "./reflector.ts";
import type { Kept } from "./shelf.ts";
import { createStore } from "./store.ts";
import type { Transport } from "./transport.ts";
import type { Cache, CacheChange, Resource } from "./types.ts";

export interface CacheOptions {
  transport: Transport;
  clock: Clock;
  log: Log;
  resource: Resource;
  /** Namespaces to watch, each with a separate watch. Unset: watch the whole cluster. */
  namespaces?: string[];
  /** Keep only the metadata that identifies an object, for Secrets. */
  metadataOnly?: boolean;
  /** Annotations and labels to keep. Default: none. `all` is for a test tool. */
  kept?: Kept | "all" | undefined;
  /** The cluster may have no definition of the resource. The cache is then empty. */
  mayBeMissing?: boolean;
  onReconnect?: () => void;
  readDeadlineMs?: number;
  random?: () => number;
}

export interface ReflectedCache extends Cache {
  readonly resource: Resource;
  /** Returns the newest resourceVersion of a list, a watch or an own write; undefined before the first. */
  version(): string | undefined;
  /**
   * Discards remembered writes and lists again, because resourceVersions ran backwards. Serves the old objects until
   * the list is complete, because an empty cache would look like missing references. Then announces every object.
   */
  discard(): void;
  /** Lists again. Resolves when the cache has the state of the API server at the call, or a newer state. */
  refresh(): Promise<void>;
  close(): void;
}

/**
 * Creates a cache.
 * Guarantees: `get` and `list` never return a state older than an own write. The cache announces every change by other
 * clients, even if an own write followed. The cache announces a version once, except after a restore of etcd.
 * Assumes that a handler only enqueues. Objects keep only the annotations and labels in `kept`, and no `managedFields`.
 */
export function createCache(options: CacheOptions): ReflectedCache {
  const { resource, log } = options;
  const handlers: ((change: CacheChange) => void)[] = [];
  const announce = (change: CacheChange): void => {
    for (const handler of handlers) guarded(log, resource, handler, change);
  };
  const store = createStore(options, announce);
  const scopes = resource.namespaced && options.namespaces !== undefined ? options.namespaces : [undefined];
  const awaited = new Set(scopes);
  const { promise: synced, resolve } = Promise.withResolvers<void>();
  const reflectors = scopes.map((namespace) => {
    const sink = store.sink(namespace, () => {
      awaited.delete(namespace);
      if (awaited.size === 0) resolve();
    });
    return createReflector({ ...reflectorOptions(options), ...(namespace === undefined ? {} : { namespace }), sink });
  });
  if (scopes.length === 0) resolve();
  return {
    resource,
    get: (ref) => store.get(keyOf(ref)),
    list: (namespace) => store.list(namespace),
    objects: () => store.objects(),
    written: (object) => store.written(object),
    noteRead: (object) => store.noteRead(object),
    onChange(handler) {
      handlers.push(handler);
      for (const object of store.list()) guarded(log, resource, handler, { type: "added", object, initial: true });
    },
    synced,
    version: () => store.version(),
    discard() {
      store.distrust();
      for (const reflector of reflectors) void reflector.relist();
    },
    async refresh() {
      await Promise.all(reflectors.map((reflector) => reflector.relist()));
    },
    close: () => reflectors.forEach((reflector) => reflector.close()),
  };
}

function reflectorOptions(options: CacheOptions): Omit<ReflectorOptions, "sink"> {
  const { namespaces: _, ...rest } = options;
  return rest;
}

function guarded(log: Log, resource: Resource, handler: (change: CacheChange) => void, change: CacheChange): void {
  try {
    handler(change);
  } catch (error) {
    log.error(
      { resource: resource.plural, key: keyOf(change.object.metadata), error },
      "a handler of cache changes failed",
    );
  }
}

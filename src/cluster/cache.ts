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
  /** Follow just these, each by a watch of its own; all when unset. */
  namespaces?: string[];
  /** Keep of the metadata alone what says whose it is; for Secrets. */
  metadataOnly?: boolean;
  /** Annotations and labels that are kept; none if not given, `all` for a test tool. */
  kept?: Kept | "all" | undefined;
  /** The definition of the resource may be missing in the cluster. Then there are no objects. */
  mayBeMissing?: boolean;
  onReconnect?: () => void;
  readDeadlineMs?: number;
  random?: () => number;
}

export interface ReflectedCache extends Cache {
  readonly resource: Resource;
  /** The newest resourceVersion that a list, a watch or an own write brought; undefined before the first. */
  version(): string | undefined;
  /**
   * resourceVersions ran backwards: forgets remembered writes and lists anew. Until that list is in, objects are served
   * as they were (an empty cache would say that nothing refers to anything); then every object is announced.
   */
  discard(): void;
  /** Lists anew. Resolves once it holds what the API server had when this was called, or something newer. */
  refresh(): Promise<void>;
  close(): void;
}

/**
 * Guarantees: `get` and `list` never go back behind an own write; every change made by others is announced, also one
 * that an own write has overtaken; nothing is announced twice for one version, except after a restored etcd.
 * Assumes that a handler only enqueues. Kept objects have only the annotations and labels in `kept`, and no `managedFields`.
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
    log.error({ resource: resource.plural, key: keyOf(change.object.metadata), error }, "a handler of changes failed");
  }
}

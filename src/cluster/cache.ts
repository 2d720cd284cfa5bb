import type { Clock } from "../queue/clock.ts";
import type { Log } from "./log.ts";
import { apiVersionOf, keyOf } from "./paths.ts";
import { createReflector } from "./reflector.ts";
import type { ReflectorOptions, Sink } from "./reflector.ts";
import type { Transport } from "./transport.ts";
import type { Cache, CacheChange, KubeObject, ObjectMeta, Resource } from "./types.ts";
import { compareVersions, newerVersion } from "./versions.ts";

export interface CacheOptions {
  transport: Transport;
  clock: Clock;
  log: Log;
  resource: Resource;
  /** Follow just these, each by a watch of its own; all when unset. */
  namespaces?: string[];
  /** Keep metadata alone; for Secrets. */
  metadataOnly?: boolean;
  onReconnect?: () => void;
  readDeadlineMs?: number;
  random?: () => number;
}

export interface ReflectedCache extends Cache {
  readonly resource: Resource;
  /** The newest resourceVersion heard of from the API server; undefined before the first list. */
  version(): string | undefined;
  /**
   * resourceVersions ran backwards: forgets remembered writes and lists anew. Until that list is in, objects are served
   * as they were (an empty cache would say that nothing refers to anything); then every object is announced.
   */
  discard(): void;
  close(): void;
}

/**
 * Guarantees: `get` and `list` never go back behind an own write; every change made by others is announced, also one
 * that an own write has overtaken; nothing is announced twice for one version, except after a restored etcd.
 * Assumes that a handler only enqueues. Kept objects carry neither `managedFields` nor kubectl's copy of the manifest.
 */
export function createCache(options: CacheOptions): ReflectedCache {
  const { resource, log } = options;
  const handlers: ((change: CacheChange) => void)[] = [];
  const store = createStore(resource, (change) => {
    for (const handler of handlers) guarded(log, resource, handler, change);
  });
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
    list: store.list,
    written: store.written,
    onChange(handler) {
      handlers.push(handler);
      for (const object of store.list()) guarded(log, resource, handler, { type: "added", object, initial: true });
    },
    synced,
    version: store.version,
    discard() {
      store.distrust();
      for (const reflector of reflectors) reflector.relist();
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

interface Scope {
  namespace: string | undefined;
  version: string | undefined;
  /** The next list is announced whole. */
  distrusted: boolean;
}

/** What an own write answered, and the versions of own writes that the watch has yet to bring. */
interface Own {
  object: KubeObject;
  versions: Set<string>;
}

interface Store {
  sink(namespace: string | undefined, listed: () => void): Sink;
  get(key: string): KubeObject | undefined;
  list(namespace?: string): KubeObject[];
  written(object: KubeObject): void;
  version(): string | undefined;
  distrust(): void;
}

/** What the API server told (`told`) under what own writes answered (`own`, until the watch has passed it). */
function createStore(resource: Resource, announce: (change: CacheChange) => void): Store {
  const told = new Map<string, KubeObject>();
  const own = new Map<string, Own>();
  const scopes: Scope[] = [];

  function view(key: string): KubeObject | undefined {
    const object = own.get(key)?.object ?? told.get(key);
    return object === undefined || isGone(object) ? undefined : object;
  }

  function tell(key: string, object: KubeObject, initial: boolean, distrusted: boolean): void {
    const previous = view(key);
    const before = told.get(key);
    told.set(key, object);
    const mine = own.get(key);
    const returning = mine?.versions.delete(versionOf(object)) === true;
    if (mine !== undefined && compareVersions(versionOf(object), versionOf(mine.object)) >= 0) own.delete(key);
    const seen = before !== undefined && versionOf(before) === versionOf(object) && !distrusted;
    // A list skips versions, so somebody's change may hide behind our own write in it.
    if (seen || (returning && !initial)) return;
    const now = view(key);
    if (now === undefined) return;
    if (previous === undefined) announce({ type: "added", object: now, initial });
    else announce({ type: "modified", object: now, previous, initial });
  }

  function remove(key: string, object: KubeObject, initial: boolean): void {
    const mine = own.get(key)?.object;
    const overtaken = mine !== undefined && compareVersions(versionOf(mine), versionOf(object)) > 0;
    const existed = told.delete(key) || mine !== undefined;
    if (overtaken && !isGone(mine)) return;
    own.delete(key);
    if (existed) announce({ type: "deleted", object, initial });
  }

  function replace(scope: Scope, objects: KubeObject[], version: string): void {
    const distrusted = scope.distrusted || (scope.version !== undefined && compareVersions(version, scope.version) < 0);
    if (distrusted) forgetWrites(scope);
    scope.version = version;
    scope.distrusted = false;
    const listed = new Set<string>();
    for (const raw of objects) {
      const object = slim(resource, raw);
      const key = keyOf(object.metadata);
      listed.add(key);
      tell(key, object, true, distrusted);
    }
    for (const key of new Set([...told.keys(), ...own.keys()])) {
      const object = own.get(key)?.object ?? told.get(key);
      if (object === undefined || listed.has(key) || !within(scope, object)) continue;
      const newer = own.has(key) && compareVersions(versionOf(object), version) > 0;
      if (newer) told.delete(key);
      else remove(key, object, true);
    }
  }

  function forgetWrites(scope: Scope): void {
    for (const [key, { object }] of own) if (within(scope, object)) own.delete(key);
  }

  return {
    sink(namespace, listed) {
      const scope: Scope = { namespace, version: undefined, distrusted: false };
      scopes.push(scope);
      return {
        replace(objects, version) {
          replace(scope, objects, version);
          listed();
        },
        apply(type, raw) {
          const object = slim(resource, raw);
          scope.version = newerVersion(scope.version, versionOf(object));
          if (type === "DELETED") remove(keyOf(object.metadata), object, false);
          else tell(keyOf(object.metadata), object, false, false);
        },
        progress(version) {
          scope.version = newerVersion(scope.version, version);
        },
      };
    },
    get: view,
    list(namespace) {
      const keys = own.size === 0 ? told.keys() : new Set([...told.keys(), ...own.keys()]);
      const objects: KubeObject[] = [];
      for (const key of keys) {
        const object = view(key);
        if (object !== undefined && (namespace === undefined || object.metadata.namespace === namespace))
          objects.push(object);
      }
      return objects;
    },
    written(raw) {
      const object = slim(resource, raw);
      const key = keyOf(object.metadata);
      const heard = scopes.find((scope) => within(scope, object))?.version;
      // The watch is past it: what came of the object, perhaps its end, is known already.
      if (heard !== undefined && compareVersions(versionOf(object), heard) <= 0) return;
      const mine = own.get(key);
      const versions = (mine?.versions ?? new Set()).add(versionOf(object));
      const newer = mine === undefined || compareVersions(versionOf(object), versionOf(mine.object)) > 0;
      own.set(key, { object: newer ? object : mine.object, versions });
    },
    version: () => scopes.reduce<string | undefined>((newest, scope) => newerVersion(newest, scope.version), undefined),
    distrust() {
      for (const scope of scopes) {
        scope.distrusted = true;
        scope.version = undefined;
        forgetWrites(scope);
      }
    },
  };
}

function versionOf(object: KubeObject): string {
  return object.metadata.resourceVersion;
}

function within(scope: Scope, object: KubeObject): boolean {
  return scope.namespace === undefined || object.metadata.namespace === scope.namespace;
}

/** The write that removed the last finalizer answers with the object it ended. */
function isGone({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
}

const manifestCopy = "kubectl.kubernetes.io/last-applied-configuration";

/** The object as it is kept. Lists and metadata-only answers carry no kind of their own, so it is put back. */
function slim(resource: Resource, object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata as ObjectMeta & { managedFields?: unknown };
  if (metadata.annotations?.[manifestCopy] !== undefined) {
    const { [manifestCopy]: __, ...annotations } = metadata.annotations;
    metadata.annotations = annotations;
  }
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
}

import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../queue/clock.ts";
import { keyOf } from "./paths.ts";
import type { Sink } from "./reflector.ts";
import { complete, createMetadataShelf, slimmed, slimmest } from "./shelf.ts";
import type { Kept, Shelf } from "./shelf.ts";
import type { CacheChange, KubeObject, Resource } from "./types.ts";
import { compareVersions, newerVersion } from "./versions.ts";

/** The objects of one resource: the state of the API server, overlaid by own writes that the watch has not reached. */
export interface Store {
  /** Returns the sink for the reflector of a namespace, or of the whole cluster. Calls `listed` after each list. */
  sink(namespace: string | undefined, listed: () => void): Sink;
  get(key: string): KubeObject | undefined;
  list(namespace?: string): KubeObject[];
  /** Yields the objects one by one, so that a long loop can give other work a turn. */
  objects(): Iterable<KubeObject>;
  written(object: KubeObject): void;
  /** Stores the object of a read, and announces the object, if the object is newer. */
  noteRead(object: KubeObject): void;
  /** Returns the newest resourceVersion of a list, a watch or an own write. */
  version(): string | undefined;
  /** Forgets own writes. The next list announces every object. */
  distrust(): void;
}

export interface StoreOptions {
  resource: Resource;
  clock: Clock;
  /** Keep only the metadata that identifies an object: a cluster has thousands of foreign objects. */
  metadataOnly?: boolean;
  /** Annotations and labels to keep. Default: none. `all` is for a test tool. */
  kept?: Kept | "all" | undefined;
}

const nothing: Kept = { annotations: [], labels: [] };

export function createStore(
  { resource, clock, metadataOnly = false, kept = nothing }: StoreOptions,
  announce: (change: CacheChange) => void,
): Store {
  const slim = kept === "all" ? complete(resource) : (metadataOnly ? slimmest : slimmed)(resource, kept);
  const told = metadataOnly ? createMetadataShelf(resource) : new Map<string, KubeObject>();
  const state: State = { told, own: new Map(), scopes: [], newestWrite: undefined, announce, clock };
  return {
    sink(namespace, listed) {
      const scope: Scope = { namespace, version: undefined, distrusted: false };
      state.scopes.push(scope);
      return {
        async replace(objects, version) {
          await replace(state, scope, objects, version);
          listed();
        },
        slim,
        apply(type, object) {
          scope.version = newerVersion(scope.version, versionOf(object));
          if (type === "DELETED") remove(state, object, false);
          else tell(state, object, { initial: false, distrusted: false });
        },
        progress(version) {
          scope.version = newerVersion(scope.version, version);
        },
      };
    },
    get: (key) => view(state, key),
    list: (namespace) => [...objectsOf(state, namespace)],
    objects: () => objectsOf(state),
    written(object) {
      state.newestWrite = newerVersion(state.newestWrite, versionOf(object));
      remember(state, slim(object));
    },
    noteRead: (object) => noteRead(state, slim(object)),
    version: () => [...state.scopes.map(({ version }) => version), state.newestWrite].reduce(newerVersion, undefined),
    distrust() {
      for (const scope of state.scopes) {
        scope.distrusted = true;
        scope.version = undefined;
        forgetWrites(state, scope);
      }
      state.newestWrite = undefined;
    },
  };
}

interface State {
  told: Shelf;
  own: Map<string, Own>;
  scopes: Scope[];
  newestWrite: string | undefined;
  announce: (change: CacheChange) => void;
  clock: Clock;
}

/** The object of an own write, and the versions of own writes that the watch has not delivered. */
interface Own {
  object: KubeObject;
  versions: Set<string>;
}

interface Scope {
  namespace: string | undefined;
  version: string | undefined;
  /** The next list announces every object. */
  distrusted: boolean;
}

function* keysOf({ told, own }: State): Generator<string> {
  yield* told.keys();
  for (const key of own.keys()) if (!told.has(key)) yield key;
}

function* objectsOf(state: State, namespace?: string): Generator<KubeObject> {
  for (const key of keysOf(state)) {
    if (namespace !== undefined && !key.startsWith(`${namespace}/`)) continue;
    const object = view(state, key);
    if (object) yield object;
  }
}

function view({ told, own }: State, key: string): KubeObject | undefined {
  const object = own.get(key)?.object ?? told.get(key);
  return object === undefined || isGone(object) ? undefined : object;
}

function tell(state: State, object: KubeObject, from: { initial: boolean; distrusted: boolean }): void {
  const { told, own, announce } = state;
  const key = keyOf(object.metadata);
  const previous = view(state, key);
  const before = told.get(key);
  shareSpec(object, previous);
  told.set(key, object);
  const mine = own.get(key);
  const returning = mine?.versions.delete(versionOf(object)) === true;
  if (mine !== undefined && !isNewer(mine.object, object)) own.delete(key);
  const known = before !== undefined && versionOf(before) === versionOf(object) && !from.distrusted;
  // A list skips versions: a change by another client may hide behind an own write.
  if (known || (returning && !from.initial)) return;
  const now = view(state, key);
  if (now === undefined) return;
  if (previous === undefined) announce({ type: "added", object: now, initial: from.initial });
  else announce({ type: "modified", object: now, previous, initial: from.initial });
}

function remove({ told, own, announce }: State, object: KubeObject, initial: boolean): void {
  const key = keyOf(object.metadata);
  const mine = own.get(key)?.object;
  const existed = told.delete(key) || mine !== undefined;
  // An own write newer than the deletion created the object again.
  if (mine !== undefined && isNewer(mine, object) && !isGone(mine)) return;
  own.delete(key);
  if (existed) announce({ type: "deleted", object, initial });
}

/** Objects announced in one turn of the event loop: some milliseconds. */
const perTurn = 10;

/** Keys compared with the list in one turn. */
const lookedUpPerTurn = 2_000;

/**
 * Applies a list. A long list takes several turns of the event loop; until its turn, an object keeps the old state. A
 * list of one turn is complete when the function returns.
 */
async function replace(state: State, scope: Scope, objects: KubeObject[], version: string): Promise<void> {
  const { told, own } = state;
  const distrusted = scope.distrusted || (scope.version !== undefined && compareVersions(version, scope.version) < 0);
  if (distrusted) forgetWrites(state, scope);
  scope.version = version;
  scope.distrusted = false;
  const listed = new Set<string>();
  for (const [index, object] of objects.entries()) {
    if (index > 0 && index % perTurn === 0) await state.clock.turn();
    listed.add(keyOf(object.metadata));
    tell(state, object, { initial: true, distrusted });
  }
  let lookedUp = 0;
  for (const key of keysOf(state)) {
    lookedUp += 1;
    if (lookedUp % lookedUpPerTurn === 0) await state.clock.turn();
    const object = own.get(key)?.object ?? told.get(key);
    if (object === undefined || listed.has(key) || !within(scope, object)) continue;
    const madeSince = own.has(key) && compareVersions(versionOf(object), version) > 0;
    if (madeSince) told.delete(key);
    else remove(state, object, true);
  }
}

function remember({ told, own, scopes }: State, object: KubeObject): void {
  const key = keyOf(object.metadata);
  const known = told.get(key);
  if (isGone(object) && known?.metadata.uid === object.metadata.uid) return end(own, key, object);
  const heard = scopes.find((scope) => within(scope, object))?.version;
  // The watch has passed this version: the store already has the result, perhaps a deletion.
  if (heard !== undefined && compareVersions(versionOf(object), heard) <= 0) return;
  const mine = own.get(key);
  const before = mine?.object ?? known;
  shareSpec(object, before);
  const versions = (mine?.versions ?? new Set()).add(versionOf(object));
  own.set(key, { object: before === undefined || isNewer(object, before) ? object : before, versions });
}

/**
 * Stores the object of a read. The watch later delivers the version, and the store does not announce the version again.
 */
function noteRead(state: State, object: KubeObject): void {
  const { own, scopes, announce } = state;
  const key = keyOf(object.metadata);
  const heard = scopes.find((scope) => within(scope, object))?.version;
  const previous = view(state, key);
  if (isGone(object) || (heard !== undefined && compareVersions(versionOf(object), heard) <= 0)) return;
  if (previous && !isNewer(object, previous)) return;
  shareSpec(object, previous);
  own.set(key, { object, versions: own.get(key)?.versions ?? new Set() });
  const change = { object, initial: false };
  announce(previous ? { ...change, type: "modified", previous } : { ...change, type: "added" });
}

/**
 * Replaces an equal spec by the spec of the earlier version. Memory then has one copy, and parsed results stay valid.
 */
function shareSpec(object: KubeObject, earlier: KubeObject | undefined): void {
  const { generation } = object.metadata;
  if (earlier?.spec === undefined || generation === undefined || generation !== earlier.metadata.generation) return;
  if (isDeepStrictEqual(object.spec, earlier.spec)) object.spec = earlier.spec;
}

/** Ends an object. The response has the old version: the versions do not show the deletion. */
function end(own: State["own"], key: string, object: KubeObject): void {
  const { versions } = own.get(key) ?? { versions: new Set<string>() };
  own.set(key, { object, versions });
}

function forgetWrites({ own }: State, scope: Scope): void {
  for (const [key, { object }] of own) if (within(scope, object)) own.delete(key);
}

function versionOf(object: KubeObject): string {
  return object.metadata.resourceVersion;
}

function isNewer(a: KubeObject, b: KubeObject): boolean {
  return compareVersions(versionOf(a), versionOf(b)) > 0;
}

function within(scope: Scope, object: KubeObject): boolean {
  return scope.namespace === undefined || object.metadata.namespace === scope.namespace;
}

/** Returns true for the response to the write that removed the last finalizer. */
function isGone({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
}

/**
 * Follows Secrets and ConfigMaps without the verbs `list` and `watch`. Reads each object that a caller has requested
 * again at intervals, and announces changes with that delay. Keeps only metadata. Forgets objects that no caller has
 * requested for a long time.
 */
import type { Clock } from "../queue/clock.ts";
import type { Log } from "../queue/log.ts";
import { keyOf } from "./paths.ts";
import type { Cache, CacheChange, ConfigMapStore, KubeObject, ObjectRef, SecretStore } from "./types.ts";

export interface FollowOptions {
  clock: Clock;
  log: Log;
  /** Milliseconds between two reads of an object. */
  everyMs: number;
  /** Milliseconds after the last request until an object is forgotten. */
  forgetMs: number;
}

export interface Followed<Store> {
  cache: Cache;
  /** The store, which records requests. */
  store: Store;
  close: () => void;
}

interface Named {
  ref: ObjectRef;
  /** Metadata; undefined if the object does not exist. */
  object: KubeObject | undefined;
  askedAt: number;
  readAt: number;
}

interface State extends FollowOptions {
  read: (ref: ObjectRef) => Promise<KubeObject | undefined>;
  named: Map<string, Named>;
  handlers: ((change: CacheChange) => void)[];
  timer: (() => void) | undefined;
  closed: boolean;
}

export function followSecrets(store: SecretStore, options: FollowOptions): Followed<SecretStore> {
  const { noting, ...followed } = follow((ref) => store.read(ref), options);
  return {
    ...followed,
    store: {
      ...store,
      read: (ref) => noting(ref, store.read(ref)),
      write: (ref, secret) => noting(ref, store.write(ref, secret)),
      addFinalizer: (ref, finalizer, annotations) => noting(ref, store.addFinalizer(ref, finalizer, annotations)),
    },
  };
}

export function followConfigMaps(store: ConfigMapStore, options: FollowOptions): Followed<ConfigMapStore> {
  const { noting, ...followed } = follow((ref) => store.read(ref), options);
  return { ...followed, store: { read: (ref) => noting(ref, store.read(ref)) } };
}

function follow(read: State["read"], options: FollowOptions) {
  const state: State = { ...options, read, named: new Map(), handlers: [], timer: undefined, closed: false };
  plan(state);
  const list = (namespace?: string): KubeObject[] =>
    [...state.named.values()].flatMap(({ object }) =>
      object && (namespace === undefined || object.metadata.namespace === namespace) ? [object] : [],
    );
  const cache: Cache = {
    isPartial: true,
    get: (ref) => state.named.get(keyOf(ref))?.object,
    list,
    objects: () => list(),
    written: (object) => keep(state, refOf(object), object),
    noteRead: (object) => tell(state, refOf(object), object),
    onChange: (handler) => void state.handlers.push(handler),
    synced: Promise.resolve(),
  };
  const noting = async <T extends KubeObject | undefined>(ref: ObjectRef, answer: Promise<T>): Promise<T> => {
    const object = await answer;
    tell(state, ref, object);
    const entry = state.named.get(keyOf(ref));
    if (entry) entry.askedAt = state.clock.now();
    return object;
  };
  const close = (): void => {
    state.closed = true;
    state.timer?.();
  };
  return { cache, noting, close };
}

/** Announces a difference. Does not announce the first read, because the caller has the result. */
function tell(state: State, ref: ObjectRef, found: KubeObject | undefined): void {
  const known = state.named.get(keyOf(ref));
  const before = known?.object;
  const object = found && metadataOf(found);
  keep(state, ref, object);
  if (!known || before?.metadata.resourceVersion === object?.metadata.resourceVersion) return;
  const change = object ?? before;
  if (change === undefined) return;
  const type = object === undefined ? "deleted" : before === undefined ? "added" : "modified";
  for (const handler of state.handlers)
    handler({ type, object: change, initial: false, ...(before && { previous: before }) });
}

/** Stores the result and moves the object to the end of the line. */
function keep({ named, clock }: State, ref: ObjectRef, object: KubeObject | undefined): void {
  const { askedAt = clock.now() } = named.get(keyOf(ref)) ?? {};
  named.delete(keyOf(ref));
  named.set(keyOf(ref), { ref, object, askedAt, readAt: clock.now() });
}

function metadataOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata };
}

function refOf({ metadata: { namespace, name } }: KubeObject): ObjectRef {
  return { name, ...(namespace !== undefined && { namespace }) };
}

/** Longest interval between checks. */
const mostMs = 1_000;

/** Schedules the next read. Reads run one after another, spread over half of the interval. */
function plan(state: State): void {
  const { clock, everyMs, named } = state;
  state.timer = clock.schedule(Math.min(mostMs, everyMs / 2 / Math.max(1, named.size)), () => {
    void readNext(state).finally(() => {
      if (!state.closed) plan(state);
    });
  });
}

/** Reads the object at the front of the line. */
async function readNext(state: State): Promise<void> {
  const { named, clock, everyMs, forgetMs, read, log } = state;
  const now = clock.now();
  const [next] = named;
  if (!next) return;
  const [key, entry] = next;
  if (now - entry.readAt < everyMs * 0.9) return;
  named.delete(key);
  if (now - entry.askedAt > forgetMs) return;
  named.set(key, { ...entry, readAt: now });
  try {
    tell(state, entry.ref, await read(entry.ref));
  } catch (error) {
    log.debug({ key, error }, "could not read a referenced Secret or ConfigMap again");
  }
}

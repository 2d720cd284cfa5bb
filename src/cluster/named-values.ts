/**
 * Secrets and ConfigMaps without `list` and `watch`: those that were asked for by name are followed, by reading each again once in a while.
 * A change is announced that late. Only metadata is kept; who has not asked for one for long does not follow it any more.
 */
import type { Clock } from "../queue/clock.ts";
import type { Log } from "../queue/log.ts";
import { keyOf } from "./paths.ts";
import type { Cache, CacheChange, ConfigMapStore, KubeObject, ObjectRef, SecretStore } from "./types.ts";

export interface FollowOptions {
  clock: Clock;
  log: Log;
  /** Milliseconds between two reads of each. */
  everyMs: number;
  /** Milliseconds after which one that nobody has asked for is forgotten. */
  forgetMs: number;
}

export interface Followed<Store> {
  cache: Cache;
  /** The store, which notes what it is asked for. */
  store: Store;
  close: () => void;
}

interface Named {
  ref: ObjectRef;
  /** Metadata; undefined while there is none. */
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

/** Announces what differs from what was known; the first read of one is its reader's own. */
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

/** The last read is the last in turn. */
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

/** So often, at least, it is checked whether one is due. */
const mostMs = 1_000;

/** One after the other; what was read together is spread over half of the interval. */
function plan(state: State): void {
  const { clock, everyMs, named } = state;
  state.timer = clock.schedule(Math.min(mostMs, everyMs / 2 / Math.max(1, named.size)), () => {
    void readNext(state).finally(() => {
      if (!state.closed) plan(state);
    });
  });
}

/** The one whose turn was longest ago. */
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
    log.debug({ key, error }, "what an object names could not be read again");
  }
}

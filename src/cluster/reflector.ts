import type { Clock } from "../queue/clock.ts";
import { delay } from "./delay.ts";
import { KubeError } from "./errors.ts";
import { listAll, listRequest, partial } from "./list.ts";
import type { Log } from "../queue/log.ts";
import { collectionPath, withQuery } from "./paths.ts";
import type { Transport } from "./transport.ts";
import type { KubeObject, Resource } from "./types.ts";
import { watch } from "./watch.ts";
import type { WatchEvent } from "./watch.ts";

/** Receives the objects of a reflector. Must not throw. */
export interface Sink {
  /** Replaces the collection as of `version`. If the function returns a promise, the reflector waits. */
  replace(objects: KubeObject[], version: string): unknown;
  /** Returns the part of an object to keep. Called for each object on arrival, to save memory. */
  slim?: (object: KubeObject) => KubeObject;
  apply(type: "ADDED" | "MODIFIED" | "DELETED", object: KubeObject): void;
  /** Notes that the watch has reached `version`. */
  progress(version: string): void;
}

export interface ReflectorOptions {
  transport: Transport;
  clock: Clock;
  log: Log;
  resource: Resource;
  /** Unset for the whole cluster. */
  namespace?: string;
  /** Requests only metadata: the values of Secrets never reach this process. */
  metadataOnly?: boolean;
  /** The API server may not know the resource. The collection is then empty, and the reflector tries again. */
  mayBeMissing?: boolean;
  sink: Sink;
  /** Called after the reflector opened a watch again. */
  onReconnect?: () => void;
  /** Milliseconds without data until the reflector abandons a watch; above the bookmark interval of a minute. */
  readDeadlineMs?: number;
  random?: () => number;
}

export interface Reflector {
  /** Forgets the version and lists again. Resolves after a list that began later. */
  relist(): Promise<void>;
  close(): void;
}

const defaultReadDeadlineMs = 75_000;
const shortestWatchSeconds = 300;
const relistJitterMs = 100;
const firstBackoffMs = 250;
const longestBackoffMs = 30_000;
const reconnectJitterMs = 100;
/** A shorter watch counts as a failure, so that the reflector never retries in a tight loop. */
const shortWatchMs = 1_000;
const unpermitted =
  "the operator lacks the permission for a watch, and retries without limit. Startup waits for the watch. Give the operator its Role in the namespace. If the namespace is being deleted, you cannot create a Role: remove the namespace from the namespaces of the operator, and remove the finalizer from the remaining objects";

/**
 * Follows a collection until `close`: lists the objects (with WatchList if the server supports WatchList), then
 * receives every change.
 *
 * Guarantees: no change is lost. The reflector resumes from the last version, and lists again after compaction. The
 * reflector retries after any error, and notices a hung connection after `readDeadlineMs`. After a lost connection,
 * reflectors share one probe, and resume a second or two after the API server is back.
 */
export function createReflector(options: ReflectorOptions): Reflector {
  const { clock, log, transport, resource } = options;
  const random = options.random ?? Math.random;
  const closed = new AbortController();
  const state: State = {
    version: undefined,
    watchList: true,
    failures: 0,
    opened: 0,
    session: new AbortController(),
    listed: [],
  };

  async function run(): Promise<void> {
    while (!closed.signal.aborted) {
      state.session = new AbortController();
      const signal = AbortSignal.any([closed.signal, state.session.signal]);
      try {
        await follow(options, state, signal);
      } catch (error) {
        if (closed.signal.aborted) return;
        if (!state.session.signal.aborted) await recover(error).catch(() => undefined);
      }
    }
  }

  async function recover(error: unknown): Promise<void> {
    const fields = { resource: resource.plural, namespace: options.namespace, error };
    const isMissing = options.mayBeMissing === true && error instanceof KubeError && error.notFound;
    if (isMissing) {
      state.version = undefined;
      await options.sink.replace([], "0");
      log.debug(fields, "the API server does not know the resource");
    } else if (!(error instanceof KubeError)) log.error(fields, "unexpected error in a watch; opening the watch again");
    else if (state.failures === 3)
      log.warn(fields, error.status === 403 ? unpermitted : "the watch fails repeatedly; retrying without limit");
    else log.debug(fields, "the watch ended; opening the watch again");
    const kubeError = error instanceof KubeError ? error : undefined;
    if (kubeError?.stale === true && state.version !== undefined) {
      state.version = undefined;
      return delay(clock, relistJitterMs * random(), closed.signal);
    }
    if (kubeError?.reason === "ConnectionFailed") await transport.reachable(closed.signal);
    const backoff = state.failures === 0 ? reconnectJitterMs : firstBackoffMs * 2 ** state.failures;
    state.failures++;
    const wait = Math.max(kubeError?.retryAfterMs ?? 0, Math.min(longestBackoffMs, backoff) * random());
    return delay(clock, wait, closed.signal);
  }

  void run();
  return {
    relist() {
      const { promise, resolve } = Promise.withResolvers<void>();
      state.listed.push(resolve);
      state.version = undefined;
      state.session.abort(new KubeError("listing the collection again", { reason: "Aborted" }));
      return promise;
    },
    close: () => closed.abort(new KubeError("closed", { reason: "Aborted" })),
  };
}

interface State {
  version: string | undefined;
  /** True until the server rejects WatchList. */
  watchList: boolean;
  /** Failures since the last event. */
  failures: number;
  opened: number;
  session: AbortController;
  /** Callbacks for the next complete list. */
  listed: (() => void)[];
}

/** Completes a list. Throws if a relist has ended the session: the list is then too old. */
function noteListed(state: State, signal: AbortSignal, version: string): void {
  signal.throwIfAborted();
  state.version = version;
  for (const listed of state.listed.splice(0)) listed();
}

/** Runs one session: a list, if no version is known, then one watch until the watch ends. */
async function follow(options: ReflectorOptions, state: State, signal: AbortSignal): Promise<void> {
  const { transport, sink, clock } = options;
  if (state.version === undefined && !state.watchList) {
    const { objects, resourceVersion } = await listAll(transport, listRequest(options), sink.slim);
    signal.throwIfAborted();
    await sink.replace(objects, resourceVersion);
    noteListed(state, signal, resourceVersion);
  }
  const opened = clock.now();
  try {
    await consume(options, state, signal);
  } catch (error) {
    if (state.version !== undefined || !isWatchListRefused(error)) throw error;
    state.watchList = false;
    return;
  }
  if (clock.now() - opened >= shortWatchMs) state.failures = 0;
  else throw new KubeError("the watch ended immediately", { status: 503 });
}

/** Reads one watch. Without a version the watch sends the objects first, and then a bookmark. */
async function consume(options: ReflectorOptions, state: State, signal: AbortSignal): Promise<void> {
  const { sink, readDeadlineMs = defaultReadDeadlineMs, transport, clock } = options;
  let initial = state.version === undefined ? new Map<string, KubeObject>() : undefined;
  const request = { ...watchRequest(options, state.version), signal };
  const onOpen = () => {
    if (state.opened++ > 0) options.onReconnect?.();
  };
  for await (const event of watch(request, { transport, clock, readDeadlineMs, onOpen })) {
    signal.throwIfAborted();
    state.failures = 0;
    const { resourceVersion } = event.object.metadata;
    if (initial === undefined) {
      if (event.type === "BOOKMARK") sink.progress(resourceVersion);
      else sink.apply(event.type, sink.slim?.(event.object) ?? event.object);
      state.version = resourceVersion;
    } else if (isEndOfInitial(event)) {
      await sink.replace([...initial.values()], resourceVersion);
      noteListed(state, signal, resourceVersion);
      initial = undefined;
    } else collect(initial, event, sink);
  }
}

function collect(objects: Map<string, KubeObject>, { type, object }: WatchEvent, { slim }: Sink): void {
  const key = `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
  if (type === "DELETED") objects.delete(key);
  else if (type !== "BOOKMARK") objects.set(key, slim?.(object) ?? object);
}

function isEndOfInitial({ type, object }: WatchEvent): boolean {
  return type === "BOOKMARK" && object.metadata.annotations?.["k8s.io/initial-events-end"] === "true";
}

function isWatchListRefused(error: unknown): boolean {
  return error instanceof KubeError && (error.status === 400 || error.status === 422);
}

function watchRequest(options: ReflectorOptions, version: string | undefined) {
  const { resource, namespace, metadataOnly, random = Math.random } = options;
  const seconds = Math.round(shortestWatchSeconds * (1 + random()));
  const initial = { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" };
  return {
    path: withQuery(collectionPath(resource, namespace), {
      watch: "true",
      allowWatchBookmarks: "true",
      timeoutSeconds: String(seconds),
      ...(version === undefined ? initial : { resourceVersion: version }),
    }),
    resource: resource.plural,
    ...(metadataOnly === true ? { accept: partial("PartialObjectMetadata") } : {}),
  };
}

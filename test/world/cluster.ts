/** The Kubernetes side of one process: client, caches and Secrets on the model of the API server. */
import { journalAnnotation } from "../../src/core/kind/annotations.ts";
import { patchStatus } from "../../src/cluster/patch-status.ts";
import { keyOf } from "../../src/cluster/paths.ts";
import { configMaps, createConfigMapStore } from "../../src/cluster/config-maps.ts";
import { followConfigMaps, followSecrets } from "../../src/cluster/named-values.ts";
import { createSecretStore, secrets } from "../../src/cluster/secrets.ts";
import { KubeError } from "../../src/cluster/errors.ts";
import { createStore } from "../../src/cluster/store.ts";
import type { Cache, CacheChange, EventNote, KubeClient, KubeObject, Resource } from "../../src/cluster/types.ts";
import type { Described } from "../../src/core/kind/described.ts";
import { memoize } from "../../src/core/kind/memoize.ts";
import { resourceOf } from "../../src/core/kind/resource.ts";
import type { Operators } from "../../src/core/model/environment.ts";
import { keptOfDisabled, keptOfObjects, keptOfValues } from "../../src/core/model/kept.ts";
import { customResourceDefinition, resourceOf as definitionOf } from "../../src/generate/crd.ts";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { kinds, mirrors } from "../../src/kinds/registry.ts";
import type { EnvironmentCluster } from "../../src/wiring/environment.ts";
import type { Gate } from "./gate.ts";
import type { Objects, WatchEvent } from "./objects.ts";

export const resources: ReadonlyMap<string, Resource> = new Map(
  [...kinds, cloudAccount].map((kind) => [kind.kind, resourceOf(kind)]),
);

/** Of kinds that the operator writes from catalogs. */
export const catalogResources: ReadonlyMap<string, Resource> = new Map(
  mirrors.map((mirror) => [mirror.kind, resourceOf(mirror)]),
);

/** What the watches of one process make of events; a test may change it at any time. */
export interface WatchSettings {
  /** How late events come. */
  delayMs: number;
  /** Each comes twice, as after a reconnection. */
  repeated: boolean;
  /** They wait for `releaseWatches`. */
  held: boolean;
  /** Kinds whose own watch is silent until `releaseWatches` names the kind. */
  stalled: Set<string>;
}

export interface KubeWrite {
  process: number;
  verb: "create" | "patch" | "patch-status" | "delete";
  resource: string;
  key: string;
  /** Undefined where it succeeded. */
  error: string | undefined;
  atMs: number;
  body?: object;
}

export interface EventNoted extends EventNote {
  process: number;
  kind: string;
  key: string;
}

/** What a policy takes out of a write; with `record`, what stood there before as well. */
type Taken = "finalizers" | "annotations" | "record";

/**
 * What goes wrong with the next writes of one sort: answered with 500, or not at all, and then carried out all the same; or
 * somebody's admission policy takes finalizers, or annotations, out of what is stored.
 */
export interface WriteFault {
  verb: KubeWrite["verb"];
  how: "refused" | "lostAfter" | Taken | "recordLost";
  times: number;
}

export interface ClusterOptions {
  objects: Objects;
  gate: Gate;
  epoch: string;
  watch: WatchSettings;
  latencyMs: () => number;
  /** How long the answer to a write takes after it was applied, milliseconds: the watch may tell of it first. */
  answerMs: () => number;
  operators?: Operators | undefined;
  /** Kinds that are installed; undefined: all. */
  installed: ReadonlySet<string> | undefined;
  /** Kinds that this process does not manage, and so does not watch, as `--disabled-kind` names them. */
  disabledKinds: readonly string[];
  /** Namespaces that this process watches, as `--namespace` names them; undefined: all. */
  namespaces?: readonly string[] | undefined;
  /** Catalogs are kept as objects. */
  catalogs: boolean;
  /** Secrets are neither listed nor watched, and read so often, milliseconds. */
  secretsEveryMs: number | undefined;
  /** Changed as they are met. */
  writeFaults: WriteFault[];
  onWrite: (write: KubeWrite) => void;
  onEvent: (event: EventNoted) => void;
}

export interface FakeCluster extends EnvironmentCluster {
  /** Brings the events that wait, of one kind or of all: one by one, or as a list that shows just what came of them. */
  releaseWatches: (how?: "each" | "list", kind?: string) => void;
}

/** Resources by kind; `undefined`: of all kinds. */
export function installedOf(installed: ReadonlySet<string> | undefined): ReadonlyMap<string, Resource> {
  return installed ? new Map([...resources].filter(([kind]) => installed.has(kind))) : resources;
}

/** Opens client and caches; the caches are filled at once. */
export function openFakeCluster(options: ClusterOptions): FakeCluster {
  const { gate, epoch, operators } = options;
  const kube = clientOf(options);
  const here = installedOf(options.installed);
  const isOn = ([kind]: [string, Resource]) => !options.disabledKinds.includes(kind);
  const watched = [...[...here].filter(isOn), ...(options.catalogs ? catalogResources : [])];
  const left = [...here].filter((one) => !isOn(one));
  const leftFeeds = new Map(left.map(([kind, resource]) => [kind, openCache(options, resource, true)]));
  const feeds = new Map(watched.map(([kind, resource]) => [kind, openCache(options, resource)]));
  const secretFeed = openCache(options, secrets);
  const configMapFeed = openCache(options, configMaps);
  const followed = options.secretsEveryMs === undefined ? undefined : follow(options, kube, options.secretsEveryMs);
  const caches = new Map([...feeds].map(([kind, { cache }]) => [kind, cache]));
  const own: [string, Feed][] = [
    [secrets.kind, secretFeed],
    [configMaps.kind, configMapFeed],
  ];
  const every = new Map([...feeds, ...leftFeeds, ...own]);
  return {
    kube,
    secrets: followed?.secrets.store ?? createSecretStore(kube),
    configMaps: followed?.configMaps.store ?? createConfigMapStore(kube),
    caches,
    disabled: new Map([...leftFeeds].map(([kind, { cache }]) => [kind, cache])),
    secretCache: followed?.secrets.cache ?? secretFeed.cache,
    configMapCache: followed?.configMaps.cache ?? configMapFeed.cache,
    accountCache: caches.get(cloudAccount.kind) ?? secretFeed.cache,
    leadership: { epoch: () => epoch },
    operators,
    permissions: undefined,
    events: {
      emit({ kind, metadata }, note) {
        if (gate.alive()) options.onEvent({ process: gate.process, kind, key: keyOf(metadata), ...note });
      },
      flush: () => Promise.resolve(),
    },
    releaseWatches(how = "each", kind) {
      for (const [own, feed] of every) if (kind === undefined || kind === own) feed.release(how);
    },
  };
}

function follow({ gate }: ClusterOptions, kube: KubeClient, everyMs: number) {
  const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const options = { clock: gate.clock, log: quiet, everyMs, forgetMs: 1_800_000 };
  return {
    secrets: followSecrets(createSecretStore(kube), options),
    configMaps: followConfigMaps(createConfigMapStore(kube), options),
  };
}

function clientOf({ objects, gate, latencyMs, answerMs, writeFaults, onWrite }: ClusterOptions): KubeClient {
  const write = async <T>(
    about: Pick<KubeWrite, "verb" | "resource" | "key" | "body">,
    run: (without?: Taken) => T,
  ): Promise<T> => {
    const noted = () => {
      let error: string | undefined;
      const fault = writeFaults.find(({ verb, times }) => verb === about.verb && times > 0);
      if (fault) fault.times -= 1;
      try {
        const { how } = fault ?? {};
        if (how === "refused") throw new KubeError("an error on the server", { status: 500 });
        const isLost = how === "lostAfter" || how === "recordLost";
        const written = run(how === "recordLost" ? "record" : isLost ? undefined : how);
        if (isLost) throw new KubeError("no answer came", { reason: "Timeout" });
        return written;
      } catch (thrown) {
        error = (thrown as Error).message;
        throw thrown;
      } finally {
        onWrite({ process: gate.process, ...about, error, atMs: gate.clock.now() });
      }
    };
    const answer = await gate.call(latencyMs(), noted);
    return answerMs() > 0 ? gate.call(answerMs(), () => answer) : answer;
  };
  const client: KubeClient = {
    get: (resource, ref, { metadataOnly = false } = {}) =>
      gate.call(latencyMs(), () => {
        const found = servedOf(resource, objects.get(resource, ref));
        return found && metadataOnly ? metadataOf(found) : found;
      }),
    list: (resource, options) =>
      gate.call(latencyMs(), () =>
        objects.list(resource, options).map((one) => (options.metadataOnly ? metadataOf(one) : one)),
      ),
    create: (resource, object, { dryRun = false } = {}) => {
      const run = () => objects.create(resource, object, dryRun);
      if (dryRun) return gate.call(latencyMs(), run);
      const { namespace, name } = object["metadata"] as { namespace?: string; name: string };
      const key = namespace === undefined ? name : `${namespace}/${name}`;
      return write({ verb: "create", resource: resource.plural, key, body: object }, run);
    },
    async patch(resource, ref, patch, options) {
      await options?.beforeBody?.();
      if (options?.dryRun)
        return gate.call(latencyMs(), () => objects.patch(resource, ref, patch, undefined, options.dryRun));
      const status = options?.subresource;
      const verb = status ? "patch-status" : "patch";
      return write({ verb, resource: resource.plural, key: keyOf(ref), body: patch }, (without) =>
        objects.patch(resource, ref, without ? lacking(patch, without) : patch, status),
      );
    },
    patchStatus: (resource, object, status) => patchStatus(client, resource, object, status),
    delete: (resource, ref, preconditions) =>
      write({ verb: "delete", resource: resource.plural, key: keyOf(ref) }, () => {
        if (objects.get(resource, ref)) objects.beginDelete(resource, ref, preconditions)();
      }),
    raw: (path) => gate.call(latencyMs(), () => rawOf(path)),
  };
  return client;
}

/** A definition that a test did not change has the generated schema. */
function servedOf(resource: Resource, found: KubeObject | undefined): KubeObject | undefined {
  if (!found || resource.plural !== "customresourcedefinitions" || found.spec) return found;
  const kind = [...kinds, cloudAccount].find(({ plural }) => found.metadata.name.startsWith(`${plural}.`));
  return kind ? { ...found, spec: generated(kind) } : found;
}

export const generated = memoize(
  (kind: Described) => customResourceDefinition(definitionOf(kind)).spec as unknown as Record<string, unknown>,
);

/** Discovery, and the published schemas. */
function rawOf(path: string): unknown {
  if (path === "/openapi/v3")
    return { paths: { "apis/cloudplatform.dev/v1alpha1": { serverRelativeURL: "/openapi/v3/apis?hash=1" } } };
  if (path.startsWith("/openapi/v3/")) return { components: { schemas: published() } };
  return { resources: [...resources.values()].map(({ plural }) => ({ name: plural, verbs: ["create"] })) };
}

function published(): Record<string, object> {
  const of = { group: "cloudplatform.dev", version: "v1alpha1" };
  return Object.fromEntries(
    [...kinds, cloudAccount].map((kind) => {
      const { versions } = generated(kind) as { versions: { schema: { openAPIV3Schema: object } }[] };
      const schema = versions[0]?.schema.openAPIV3Schema;
      return [kind.kind, { ...schema, "x-kubernetes-group-version-kind": [{ ...of, kind: kind.kind }] }];
    }),
  );
}

function metadataOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata };
}

function lacking(patch: object, what: Taken): Record<string, unknown> {
  const { finalizers, annotations, ...metadata } = ("metadata" in patch ? patch.metadata : {}) as MetadataWrite;
  if (what === "record")
    return {
      ...patch,
      metadata: { ...metadata, finalizers, annotations: { ...annotations, [journalAnnotation]: null } },
    };
  return { ...patch, metadata: { ...metadata, ...(what === "finalizers" ? { annotations } : { finalizers }) } };
}

interface MetadataWrite {
  finalizers?: string[];
  annotations?: Record<string, string | null>;
}

interface Feed {
  cache: Cache;
  release: (how: "each" | "list") => void;
}

/** The real store, fed by the model's events. */
function openCache({ objects, gate, watch, namespaces }: ClusterOptions, resource: Resource, isOff = false): Feed {
  const handlers: ((change: CacheChange) => void)[] = [];
  const metadataOnly = isOff || ["secrets", "configmaps"].includes(resource.plural);
  const kept = isOff ? keptOfDisabled : metadataOnly ? keptOfValues : keptOfObjects;
  const announce = (change: CacheChange) => handlers.forEach((handler) => handler(change));
  const store = createStore({ resource, clock: gate.clock, metadataOnly, kept }, announce);
  const sink = store.sink(undefined, () => undefined);
  const slim = (object: KubeObject) => sink.slim?.(object) ?? object;
  const isWatched = ({ metadata: { namespace } }: KubeObject) =>
    namespaces === undefined || namespace === undefined || namespaces.includes(namespace);
  const replace = () => sink.replace(objects.list(resource).filter(isWatched).map(slim), objects.version());
  const waiting: WatchEvent[] = [];
  const bringNext = () => {
    const event = waiting.shift();
    if (event === undefined || !gate.alive()) return;
    sink.apply(event.type, slim(event.object));
    if (watch.repeated) sink.apply(event.type, slim(event.object));
  };
  replace();
  objects.watch(resource, (event) => {
    if (!gate.alive() || !isWatched(event.object)) return;
    waiting.push(event);
    if (watch.held || watch.stalled.has(resource.kind)) return;
    if (watch.delayMs > 0) gate.clock.schedule(watch.delayMs, bringNext);
    else queueMicrotask(bringNext);
  });
  return {
    cache: {
      get: (ref) => store.get(keyOf(ref)),
      list: (namespace) => store.list(namespace),
      objects: () => store.objects(),
      written: (object) => store.written(object),
      noteRead: (object) => store.noteRead(object),
      onChange(handler) {
        handlers.push(handler);
        for (const object of store.list()) handler({ type: "added", object, initial: true });
      },
      synced: Promise.resolve(),
    },
    release(how) {
      if (how === "list") {
        waiting.length = 0;
        replace();
      }
      while (waiting.length > 0) bringNext();
    },
  };
}

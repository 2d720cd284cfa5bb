/** The Kubernetes side of one process: client, caches and Secrets on the model of the API server. */
import { journalAnnotation } from "../../src/core/kind/annotations.ts";
import { keyOf } from "../../src/cluster/paths.ts";
import { configMaps, createConfigMapStore } from "../../src/cluster/config-maps.ts";
import { followConfigMaps, followSecrets } from "../../src/cluster/named-values.ts";
import { createSecretStore, secrets } from "../../src/cluster/secrets.ts";
import { KubeError } from "../../src/cluster/errors.ts";
import type { EventNote, KubeClient, Resource } from "../../src/cluster/types.ts";
import type { Operators } from "../../src/core/model/environment.ts";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { catalogResources, installedOf } from "../../src/twin/definitions.ts";
import { openFeed } from "../../src/twin/feed.ts";
import type { Feed } from "../../src/twin/feed.ts";
import { createMemoryClient } from "../../src/twin/kube-client.ts";
import type { KubeClientOptions, WriteCall } from "../../src/twin/kube-client.ts";
import type { Objects } from "../../src/twin/objects.ts";
import type { EnvironmentCluster } from "../../src/wiring/environment.ts";
import type { Gate } from "./gate.ts";

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

export interface KubeWrite extends WriteCall {
  process: number;
  /** Undefined where it succeeded. */
  error: string | undefined;
  atMs: number;
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
  const write: KubeClientOptions["write"] = async (call, run) => {
    const noted = () => {
      let error: string | undefined;
      const fault = writeFaults.find(({ verb, times }) => verb === call.verb && times > 0);
      if (fault) fault.times -= 1;
      try {
        const { how } = fault ?? {};
        if (how === "refused") throw new KubeError("an error on the server", { status: 500 });
        const isLost = how === "lostAfter" || how === "recordLost";
        const taken = how === "recordLost" ? "record" : isLost ? undefined : how;
        const written = run(taken && call.body && lacking(call.body, taken));
        if (isLost) throw new KubeError("no answer came", { reason: "Timeout" });
        return written;
      } catch (thrown) {
        error = (thrown as Error).message;
        throw thrown;
      } finally {
        onWrite({ process: gate.process, ...call, error, atMs: gate.clock.now() });
      }
    };
    const answer = await gate.call(latencyMs(), noted);
    return answerMs() > 0 ? gate.call(answerMs(), () => answer) : answer;
  };
  return createMemoryClient({ objects, write, read: (run) => gate.call(latencyMs(), run) });
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

/** A cache that is fed as the watch settings say. */
function openCache({ objects, gate, watch, namespaces }: ClusterOptions, resource: Resource, isDisabled = false): Feed {
  return openFeed(
    {
      objects,
      clock: gate.clock,
      isDisabled,
      isAlive: gate.alive,
      isWatched: ({ metadata: { namespace } }) =>
        namespaces === undefined || namespace === undefined || namespaces.includes(namespace),
      isRepeated: () => watch.repeated,
      deliver({ kind }, bring) {
        if (watch.held || watch.stalled.has(kind)) return;
        if (watch.delayMs > 0) gate.clock.schedule(watch.delayMs, bring);
        else queueMicrotask(bring);
      },
    },
    resource,
  );
}

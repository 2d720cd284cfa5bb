import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCache } from "../../src/cluster/cache.ts";
import type { CacheOptions, ReflectedCache } from "../../src/cluster/cache.ts";
import type { CacheChange } from "../../src/cluster/types.ts";
import { createMovedClock, settle } from "../support/clock.ts";
import type { MovedClock } from "../support/clock.ts";
import { createFakeTransport, refusal } from "./fake-transport.ts";
import type { FakeTransport, FakeWatch } from "./fake-transport.ts";
import { configMaps } from "../../src/cluster/config-maps.ts";
import { configMap, createLog } from "./support.ts";

let clock: MovedClock;
let transport: FakeTransport;
let cache: ReflectedCache;
let changes: string[];
let log: ReturnType<typeof createLog>;
const a = { namespace: "here", name: "a" };

beforeEach(() => {
  clock = createMovedClock();
  transport = createFakeTransport();
  changes = [];
  log = createLog();
});
afterEach(() => cache.close());

async function open(more: Partial<CacheOptions> = {}): Promise<FakeWatch> {
  cache = createCache({ transport, clock, log, resource: configMaps, random: () => 0, ...more });
  cache.onChange(note);
  await settle();
  return watchAt(-1);
}

function note({ type, object, initial }: CacheChange): void {
  const { name, resourceVersion } = object.metadata;
  changes.push(`${type} ${name}@${resourceVersion}${initial ? " initial" : ""}`);
}

function watchAt(index: number): FakeWatch {
  const watch = transport.watches.at(index);
  if (watch === undefined) throw new Error("no such watch");
  return watch;
}

/** A cache that holds `a` at version 5, as of version 10. */
async function holding(): Promise<FakeWatch> {
  const watch = await open();
  watch.sendInitial([configMap("a", 5)], 10);
  await cache.synced;
  changes.length = 0;
  return watch;
}

/** The watch breaks off with a 410 and the list that follows says this. */
async function relisted(watch: FakeWatch, objects: ReturnType<typeof configMap>[], version: number): Promise<void> {
  watch.fail(refusal(410));
  await clock.advance(1_000);
  watchAt(-1).sendInitial(objects, version);
  await settle();
}

it("keeps of metadata alone what says whose the object is, and what for", async () => {
  cache = createCache({
    transport,
    clock,
    log,
    resource: configMaps,
    metadataOnly: true,
    kept: { annotations: [], labels: ["a.test/label"] },
  });
  await settle();
  const { metadata } = configMap("a", 5);
  const owner = { apiVersion: "v1", kind: "Widget", name: "w", uid: "u-1", controller: true };
  const whose = { finalizers: ["a.test/f"], ownerReferences: [owner] };
  const labels = { "a.test/label": "x" };
  const rest = { labels, annotations: { "a.test/note": "long" }, generation: 3 };
  const nobodys = { ...configMap("b", 6), metadata: { ...configMap("b", 6).metadata, ...rest } };
  watchAt(0).sendInitial([{ ...configMap("a", 5), metadata: { ...metadata, ...whose, ...rest } }, nobodys], 10);
  await settle();
  const kept = ({ name, uid, resourceVersion, creationTimestamp, namespace }: typeof metadata) => ({
    name,
    namespace,
    uid,
    resourceVersion,
    creationTimestamp,
  });
  expect(cache.list()).toEqual([
    { apiVersion: "v1", kind: "ConfigMap", metadata: { ...kept(metadata), ...whose, labels } },
    { apiVersion: "v1", kind: "ConfigMap", metadata: kept(nobodys.metadata) },
  ]);
});

describe("what it tells", () => {
  it("announces the first list as initial and what follows as it happens", async () => {
    const watch = await open();
    watch.sendInitial([configMap("a", 5)], 10);
    watch.send("MODIFIED", configMap("a", 11));
    watch.send("ADDED", configMap("b", 12));
    watch.send("DELETED", configMap("a", 13));
    await settle();
    expect(changes).toEqual(["added a@5 initial", "modified a@11", "added b@12", "deleted a@13"]);
    expect(cache.list().map(({ metadata }) => metadata.name)).toEqual(["b"]);
  });

  it("announces after a new list just what differs", async () => {
    const watch = await open();
    watch.sendInitial([configMap("same", 1), configMap("changed", 2), configMap("gone", 3)], 10);
    await cache.synced;
    changes.length = 0;
    await relisted(watch, [configMap("same", 1), configMap("changed", 20), configMap("new", 21)], 30);
    expect(changes).toEqual(["modified changed@20 initial", "added new@21 initial", "deleted gone@3 initial"]);
  });

  it("looks for what a long list lacks in several turns, and keeps what was made meanwhile", async () => {
    const all = Array.from({ length: 5_000 }, (_, index) => configMap(`c-${index}`, 5));
    const watch = await open();
    watch.sendInitial(all, 10);
    await cache.synced;
    let turns = 0;
    clock.turn = () => {
      turns += 1;
      if (turns === 500) cache.written(configMap("made", 40));
      return Promise.resolve();
    };
    changes.length = 0;
    await relisted(watch, all.slice(0, -2), 30);
    expect(changes).toEqual(["deleted c-4998@5 initial", "deleted c-4999@5 initial"]);
    expect(turns).toBeGreaterThan(499);
    expect(cache.get({ namespace: "here", name: "made" })?.metadata.resourceVersion).toBe("40");
    expect([...cache.objects()].map(({ metadata }) => metadata.name)).toEqual(
      cache.list().map(({ metadata }) => metadata.name),
    );
  });

  it("logs a handler that throws, and calls the others", async () => {
    cache = createCache({ transport, clock, log, resource: configMaps });
    cache.onChange(() => {
      throw new Error("a bug");
    });
    cache.onChange(note);
    await settle();
    watchAt(0).sendInitial([configMap("a", 5)], 10);
    await settle();
    expect(changes).toEqual(["added a@5 initial"]);
    expect(log.error).toHaveBeenCalledOnce();
  });

  it("tells a handler that comes late what is there already", async () => {
    await holding();
    cache.onChange(note);
    expect(changes).toEqual(["added a@5 initial"]);
  });

  it("is synced when every namespace is, and replaces just the namespace that was listed", async () => {
    await open({ namespaces: ["here", "there"] });
    let synced = false;
    void cache.synced.then(() => (synced = true));
    watchAt(0).sendInitial([configMap("a", 5)], 10);
    await settle();
    expect(synced).toBe(false);
    watchAt(1).sendInitial([configMap("b", 6, { namespace: "there" })], 10);
    await settle();
    expect(synced).toBe(true);
    expect(cache.list("there").map(({ metadata }) => metadata.name)).toEqual(["b"]);
    expect(cache.list()).toHaveLength(2);
  });

  it("keeps the named annotations and no managedFields, and adds the kind and the version to each object", async () => {
    const watch = await open({ kept: { annotations: ["kept"], labels: [] } });
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "{}", kept: "yes" };
    const { metadata } = configMap("a", 5, { annotations, labels: { app: "web" } });
    const { labels: _, ...others } = metadata;
    watch.sendInitial([{ metadata: { ...metadata, managedFields: [{}] } } as never], 10);
    await settle();
    expect(cache.get(a)).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { ...others, annotations: { kept: "yes" }, othersDigest: expect.any(String) as string },
    });
  });
});

describe("own writes", () => {
  it("are seen at once, and not announced when they come back", async () => {
    const watch = await holding();
    cache.written(configMap("a", 11));
    expect(cache.get(a)?.metadata.resourceVersion).toBe("11");
    expect(cache.list()).toHaveLength(1);
    watch.send("MODIFIED", configMap("a", 11));
    await settle();
    expect(changes).toEqual([]);
    expect(cache.get(a)?.metadata.resourceVersion).toBe("11");
  });

  it("are not announced when two came back one after the other", async () => {
    const watch = await holding();
    cache.written(configMap("a", 11));
    cache.written(configMap("a", 12));
    watch.send("MODIFIED", configMap("a", 11));
    watch.send("MODIFIED", configMap("a", 12));
    await settle();
    expect(changes).toEqual([]);
  });

  it("do not hide the change of another that they have overtaken", async () => {
    const watch = await holding();
    cache.written(configMap("a", 12));
    watch.send("MODIFIED", configMap("a", 11));
    await settle();
    expect(changes).toEqual(["modified a@12"]);
    expect(cache.get(a)?.metadata.resourceVersion).toBe("12");
  });

  it("do not hide it either when a new list skips it", async () => {
    const watch = await holding();
    cache.written(configMap("a", 12));
    await relisted(watch, [configMap("a", 12)], 20);
    expect(changes).toEqual(["modified a@12 initial"]);
  });

  it("give way to what is newer", async () => {
    const watch = await holding();
    cache.written(configMap("a", 11));
    watch.send("MODIFIED", configMap("a", 12));
    await settle();
    expect(cache.get(a)?.metadata.resourceVersion).toBe("12");
    expect(changes).toEqual(["modified a@12"]);
  });

  it("compare versions as numbers of any length", async () => {
    const watch = await open();
    watch.sendInitial([configMap("a", 9)], 9);
    await cache.synced;
    cache.written(configMap("a", 10));
    expect(cache.get(a)?.metadata.resourceVersion).toBe("10");
  });

  it("survive a list that was begun before them", async () => {
    const watch = await holding();
    cache.written(configMap("new", 21));
    await relisted(watch, [configMap("a", 5)], 20);
    expect(cache.get({ namespace: "here", name: "new" })).toBeDefined();
  });

  it("do not bring back an object whose deletion is known", async () => {
    const watch = await holding();
    watch.send("DELETED", configMap("a", 12));
    await settle();
    cache.written(configMap("a", 11));
    expect(cache.get(a)).toBeUndefined();
  });

  it("that took the last finalizer of a deleted object end it", async () => {
    const watch = await holding();
    cache.written(configMap("a", 11, { deletionTimestamp: "2026-01-01T00:00:00Z" }));
    expect(cache.get(a)).toBeUndefined();
    expect(cache.list()).toEqual([]);
    watch.send("DELETED", configMap("a", 11, { deletionTimestamp: "2026-01-01T00:00:00Z" }));
    await settle();
    expect(changes).toEqual(["deleted a@11"]);
  });

  it("that took the last finalizer end it also under the version that the watch has told already", async () => {
    const watch = await holding();
    const ended = configMap("a", 11, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["ours"] });
    watch.send("MODIFIED", ended);
    await settle();
    cache.written({ ...ended, metadata: { ...ended.metadata, finalizers: [] } });
    expect(cache.get(a)).toBeUndefined();
    watch.send("DELETED", configMap("a", 12));
    await settle();
    expect(changes.at(-1)).toBe("deleted a@12");
  });
});

it("is refreshed when each of its namespaces was listed anew, and tells just what has changed", async () => {
  await open({ namespaces: ["here", "there"] });
  watchAt(0).sendInitial([configMap("a", 5)], 10);
  watchAt(1).sendInitial([configMap("b", 6, { namespace: "there" })], 10);
  await settle();
  changes.length = 0;
  let refreshed = false;
  void cache.refresh().then(() => (refreshed = true));
  await settle();
  watchAt(-2).sendInitial([configMap("a", 15)], 20);
  await settle();
  expect(refreshed).toBe(false);
  watchAt(-1).sendInitial([configMap("b", 6, { namespace: "there" })], 20);
  await settle();
  expect(refreshed).toBe(true);
  expect(changes).toEqual(["modified a@15 initial"]);
});

describe("after a restored etcd", () => {
  it("serves what it had until the new list is in, then announces every object, also at an equal version", async () => {
    const watch = await holding();
    cache.written(configMap("a", 500));
    cache.discard();
    await settle();
    expect(watch.left).toBe(true);
    expect(cache.get(a)?.metadata.resourceVersion).toBe("5");
    watchAt(-1).sendInitial([configMap("a", 5)], 7);
    await settle();
    expect(changes).toEqual(["modified a@5 initial"]);
    expect(cache.version()).toBe("7");
  });

  it("notices it by itself when a new list is older than what it knew", async () => {
    const watch = await holding();
    cache.written(configMap("a", 500));
    await relisted(watch, [configMap("a", 5)], 7);
    expect(changes).toEqual(["modified a@5 initial"]);
    expect(cache.get(a)?.metadata.resourceVersion).toBe("5");
  });
});

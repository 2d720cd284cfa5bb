import { afterEach, beforeEach, expect, it } from "vitest";
import { createReflector } from "../../src/cluster/reflector.ts";
import type { Reflector, ReflectorOptions } from "../../src/cluster/reflector.ts";
import { createMovedClock, settle } from "../support/clock.ts";
import type { MovedClock } from "../support/clock.ts";
import { connectionLost, createFakeTransport, refusal } from "./fake-transport.ts";
import type { FakeTransport, FakeWatch } from "./fake-transport.ts";
import { configMaps } from "../../src/cluster/config-maps.ts";
import type { KubeObject } from "../../src/cluster/types.ts";
import { configMap, createLog } from "./support.ts";

let clock: MovedClock;
let transport: FakeTransport;
let reflector: Reflector;
let told: string[];
let log: ReturnType<typeof createLog>;

beforeEach(() => {
  clock = createMovedClock();
  transport = createFakeTransport();
  told = [];
  log = createLog();
});
afterEach(() => reflector.close());

async function start(more: Partial<ReflectorOptions> = {}): Promise<FakeWatch> {
  reflector = createReflector({
    transport,
    clock,
    log,
    resource: configMaps,
    random: () => 0.5,
    sink: {
      replace: (objects, version) => told.push(`replace ${objects.map((o) => o.metadata.name).join()} @${version}`),
      apply: (type, object) => told.push(`${type} ${object.metadata.name} @${object.metadata.resourceVersion}`),
      progress: (version) => told.push(`progress @${version}`),
    },
    ...more,
  });
  await settle();
  return lastWatch();
}

function lastWatch(): FakeWatch {
  const watch = transport.watches.at(-1);
  if (watch === undefined) throw new Error("no watch was opened");
  return watch;
}

async function started(more: Partial<ReflectorOptions> = {}): Promise<FakeWatch> {
  const watch = await start(more);
  watch.sendInitial([configMap("a", 5)], 10);
  await settle();
  return watch;
}

it("asks for the first state within the watch, and hands it over when it is whole", async () => {
  const watch = await start();
  expect(watch.path).toBe("/api/v1/configmaps");
  expect(Object.fromEntries(watch.query)).toMatchObject({
    sendInitialEvents: "true",
    resourceVersionMatch: "NotOlderThan",
    allowWatchBookmarks: "true",
    timeoutSeconds: "450",
  });
  watch.send("ADDED", configMap("a", 5));
  await settle();
  expect(told).toEqual([]);
  watch.sendInitial([configMap("b", 6)], 10);
  watch.send("MODIFIED", configMap("a", 11));
  await settle();
  expect(told).toEqual(["replace a,b @10", "MODIFIED a @11"]);
});

it("reads a short page first, and then 500 small objects a page, where the server has no WatchList, and watches from there", async () => {
  transport.refuse = [refusal(422, { reason: "Invalid" })];
  transport.answer = ({ path }) =>
    path.includes("continue=next")
      ? { metadata: { resourceVersion: "10" }, items: [configMap("b", 6)] }
      : { metadata: { resourceVersion: "10", continue: "next" }, items: [configMap("a", 5)] };
  const watch = await start();
  expect(transport.requests.map(({ path }) => path)).toEqual([
    "/api/v1/configmaps?limit=20",
    "/api/v1/configmaps?limit=500&continue=next",
  ]);
  expect(told).toEqual(["replace a,b @10"]);
  expect(watch.query.get("resourceVersion")).toBe("10");
  expect(watch.query.has("sendInitialEvents")).toBe(false);
});

it("asks for metadata alone where that is wanted, in lists too", async () => {
  transport.refuse = [refusal(400)];
  // So does the API server write an empty list of metadata.
  transport.answer = () => ({ metadata: { resourceVersion: "10" }, items: null });
  const watch = await start({ metadataOnly: true });
  expect(told).toEqual(["replace  @10"]);
  expect(transport.requests[0]?.accept).toBe("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
  expect(watch.accept).toBe("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
});

it("follows one namespace when one is named", async () => {
  const watch = await start({ namespace: "here" });
  expect(watch.path).toBe("/api/v1/namespaces/here/configmaps");
});

it.each([
  {
    reason: "an event moves the version on",
    act: (w: FakeWatch) => w.send("MODIFIED", configMap("a", 12)),
    from: "12",
  },
  { reason: "so does a bookmark, on a quiet collection", act: (w: FakeWatch) => w.bookmark(13), from: "13" },
  { reason: "and a deletion", act: (w: FakeWatch) => w.send("DELETED", configMap("a", 14)), from: "14" },
])("resumes from the last version when the server ends the watch: $reason", async ({ act, from }) => {
  const watch = await started();
  act(watch);
  await clock.advance(300_000 / 10);
  watch.end();
  await settle();
  expect(lastWatch()).not.toBe(watch);
  expect(lastWatch().query.get("resourceVersion")).toBe(from);
});

it("waits for the shared probe after a lost connection, then resumes within the jitter", async () => {
  const watch = await started();
  watch.fail(connectionLost());
  await clock.advance(60_000);
  expect(transport.askedReachable).toBe(1);
  expect(transport.watches).toHaveLength(1);
  transport.revive();
  await clock.advance(300);
  expect(lastWatch().query.get("resourceVersion")).toBe("10");
});

it("opens a watch again that was silent for 75 s, and takes any byte for life", async () => {
  const watch = await started();
  await clock.advance(70_000);
  watch.bookmark(11);
  await clock.advance(70_000);
  expect(transport.watches).toHaveLength(1);
  await clock.advance(5_001);
  expect(watch.left).toBe(true);
  expect(lastWatch().query.get("resourceVersion")).toBe("11");
});

it("lists anew, after a moment, when its version is compacted away", async () => {
  const watch = await started();
  watch.send("ERROR", { kind: "Status", code: 410, reason: "Expired", message: "too old resource version" });
  await settle();
  expect(transport.watches).toHaveLength(1);
  await clock.advance(1_000);
  expect(lastWatch().query.get("sendInitialEvents")).toBe("true");
});

it("lists anew when its version lies in the future of a restored etcd", async () => {
  const watch = await started();
  transport.refuse = [refusal(504, { reason: "Timeout", causes: ["ResourceVersionTooLarge"] })];
  watch.fail(connectionLost());
  await settle();
  transport.revive();
  await clock.advance(2_000);
  expect(lastWatch().query.get("sendInitialEvents")).toBe("true");
});

it.each([
  { reason: "rights that are not there yet", error: () => refusal(403) },
  { reason: "a kind that is not installed yet", error: () => refusal(404) },
  { reason: "an API server in trouble", error: () => refusal(500) },
  { reason: "an error of ours", error: () => new TypeError("a bug") },
])("never gives up: $reason", async ({ error }) => {
  transport.refuse = Array.from({ length: 20 }, error);
  reflector = createReflector({
    transport,
    clock,
    log,
    resource: configMaps,
    sink: { replace: () => told.push("replaced"), apply: () => undefined, progress: () => undefined },
  });
  // Twenty failures with a pause of at most 30 s each.
  await clock.advance(20 * 30_000);
  expect(transport.refuse).toEqual([]);
  lastWatch().sendInitial([], 1);
  await settle();
  expect(told).toEqual(["replaced"]);
});

it("holds what arrives as it is kept, before the list is whole", async () => {
  const slim = (object: KubeObject): KubeObject => ({ ...object, kind: "Slim" });
  const replace = (objects: KubeObject[]) => told.push(...objects.map(({ kind }) => kind));
  reflector = createReflector({
    transport,
    clock,
    log,
    resource: configMaps,
    sink: { ...silentSink(), replace, slim },
  });
  await settle();
  lastWatch().sendInitial([configMap("a", 1), configMap("b", 2)], 3);
  await settle();
  expect(told).toEqual(["Slim", "Slim"]);
});

it("waits as long as Retry-After says", async () => {
  transport.refuse = [refusal(429, { retryAfterMs: 20_000 })];
  reflector = createReflector({ transport, clock, log, resource: configMaps, sink: silentSink() });
  await clock.advance(19_000);
  expect(transport.watches).toHaveLength(0);
  await clock.advance(1_000);
  expect(transport.watches).toHaveLength(1);
});

it("does not ask in a tight loop when every watch ends at once", async () => {
  const watch = await started();
  watch.end();
  for (let n = 0; n < 50; n++) {
    await clock.advance(100);
    lastWatch().end();
  }
  expect(transport.watches.length).toBeLessThan(10);
});

it("reads events whatever the pieces they come in, characters of several bytes included", async () => {
  const watch = await started();
  const bytes = Buffer.from(`${JSON.stringify({ type: "MODIFIED", object: configMap("ä", 11) })}\n`);
  for (const byte of bytes) watch.raw(Uint8Array.of(byte));
  watch.raw(Buffer.concat([bytes, bytes]));
  await clock.advance(0);
  expect(told.slice(1)).toEqual(["MODIFIED ä @11", "MODIFIED ä @11", "MODIFIED ä @11"]);
});

it("says when a watch was opened again, but not for the first", async () => {
  let reconnects = 0;
  const watch = await started({ onReconnect: () => reconnects++ });
  expect(reconnects).toBe(0);
  await clock.advance(10_000);
  watch.end();
  await settle();
  expect(reconnects).toBe(1);
});

it("lists anew at once when told to, and says when that list is in", async () => {
  const watch = await started();
  let listed = false;
  void reflector.relist().then(() => (listed = true));
  await settle();
  expect(watch.left).toBe(true);
  expect(lastWatch().query.get("sendInitialEvents")).toBe("true");
  expect(listed).toBe(false);
  lastWatch().sendInitial([configMap("a", 5)], 12);
  await settle();
  expect(listed).toBe(true);
});

it("a list that began before it was told to list anew is none", async () => {
  const watch = await start();
  let listed = 0;
  void reflector.relist().then(() => (listed += 1));
  watch.sendInitial([configMap("a", 5)], 10);
  await settle();
  expect(listed).toBe(0);
  lastWatch().sendInitial([configMap("a", 5)], 12);
  await settle();
  expect(listed).toBe(1);
});

it("lets go of everything when closed", async () => {
  const watch = await started();
  reflector.close();
  await settle();
  await clock.advance(600_000);
  expect(watch.left).toBe(true);
  expect(transport.watches).toHaveLength(1);
  expect(clock.waiting()).toBe(0);
});

it("says once that it lacks a permission, and what there is to do", async () => {
  const watch = await start({ namespace: "shop" });
  transport.refuse = Array.from({ length: 8 }, () => refusal(403));
  watch.end();
  await clock.advance(600_000);
  expect(log.warn.mock.calls).toEqual([
    [
      expect.objectContaining({ resource: "configmaps", namespace: "shop" }),
      "the operator lacks the permission for a watch, and retries without limit. Startup waits for the watch. Give the operator its Role in the namespace. If the namespace is being deleted, you cannot create a Role: remove the namespace from the namespaces of the operator, and remove the finalizer from the remaining objects",
    ],
  ]);
});

function silentSink() {
  return { replace: () => undefined, apply: () => undefined, progress: () => undefined };
}

import { beforeEach, expect, it } from "vitest";
import { KubeError } from "../../src/cluster/errors.ts";
import { createEventRecorder } from "../../src/cluster/events.ts";
import type { EventNote, EventRecorder } from "../../src/cluster/types.ts";
import { createMovedClock, settle } from "../support/clock.ts";
import type { MovedClock } from "../support/clock.ts";
import { createFakeClient } from "./fake-client.ts";
import type { FakeClient } from "./fake-client.ts";
import { configMap, createLog } from "./support.ts";

let clock: MovedClock;
let server: FakeClient;
let recorder: EventRecorder;
let log: ReturnType<typeof createLog>;
let dropped: string[];
const note: EventNote = { type: "Normal", reason: "Created", action: "Create", note: "made instance 7" };

beforeEach(() => {
  clock = createMovedClock();
  server = createFakeClient();
  log = createLog();
  dropped = [];
  recorder = createEventRecorder({
    client: server,
    clock,
    log,
    controller: "cloudplatform.dev/operator",
    instance: "pod-1",
    onDropped: (why) => dropped.push(why),
  });
});

const written = () => [...server.objects.values()] as unknown as Record<string, unknown>[];
const seriesOf = (index: number) => written()[index]?.["series"];

it("writes an event about the object, in its namespace", async () => {
  recorder.emit(configMap("a", 5), note);
  await settle();
  expect(written()).toEqual([
    {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: expect.objectContaining({ namespace: "here", name: expect.stringMatching(/^a\.[0-9a-f]{16}$/) }),
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "cloudplatform.dev/operator",
      reportingInstance: "pod-1",
      ...note,
      regarding: {
        apiVersion: "v1",
        kind: "ConfigMap",
        namespace: "here",
        name: "a",
        uid: "uid-a",
        resourceVersion: "5",
      },
    },
  ]);
});

it("counts what repeats within ten minutes in one event, written twice a minute at most", async () => {
  for (let n = 0; n < 100; n++) {
    recorder.emit(configMap("a", 5 + n), note);
    await clock.advance(1_000);
  }
  await recorder.flush();
  expect(written()).toHaveLength(1);
  expect(seriesOf(0)).toMatchObject({ count: 100, lastObservedTime: "2026-01-01T00:01:39.000000Z" });
  expect(server.calls.length).toBeLessThanOrEqual(7);
});

it("begins a new event after ten quiet minutes", async () => {
  recorder.emit(configMap("a", 5), note);
  await clock.advance(10 * 60_000);
  recorder.emit(configMap("a", 5), note);
  await settle();
  expect(written()).toHaveLength(2);
});

it.each([
  { reason: "another object", object: configMap("b", 5), other: note },
  { reason: "another reason", object: configMap("a", 5), other: { ...note, reason: "Updated" } },
  { reason: "another note", object: configMap("a", 5), other: { ...note, note: "made instance 8" } },
])("keeps apart what differs: $reason", async ({ object, other }) => {
  recorder.emit(configMap("a", 5), note);
  recorder.emit(object, other);
  await settle();
  expect(written()).toHaveLength(2);
});

it("writes the event anew when it has expired at the server", async () => {
  recorder.emit(configMap("a", 5), note);
  await settle();
  server.objects.clear();
  recorder.emit(configMap("a", 5), note);
  await settle();
  expect(seriesOf(0)).toMatchObject({ count: 2 });
});

it("lets one object write a burst of twenty and then one in thirty seconds, and others as before", async () => {
  for (let n = 0; n < 100; n++) recorder.emit(configMap("a", 5), { ...note, note: `difference ${n}` });
  recorder.emit(configMap("b", 5), note);
  await settle();
  expect(written()).toHaveLength(21);
  expect(dropped).toEqual(Array(80).fill("rate"));
  await clock.advance(30_000);
  for (let n = 0; n < 10; n++) recorder.emit(configMap("a", 5), { ...note, note: `later ${n}` });
  await settle();
  expect(written()).toHaveLength(22);
});

it("keeps at most a thousand waiting while the server is away", async () => {
  const held = Promise.withResolvers<void>();
  server.before = () => held.promise;
  for (let n = 0; n < 3_000; n++) recorder.emit(configMap(`o-${n}`, 5), note);
  held.resolve();
  await recorder.flush();
  expect(written()).toHaveLength(1_001);
  expect(dropped).toEqual(Array(1_999).fill("queue"));
});

it("tries three times, then goes on with the next", async () => {
  server.before = (call) => {
    if (call.includes("/a.")) throw new KubeError("away", { status: 500 });
  };
  recorder.emit(configMap("a", 5), note);
  recorder.emit(configMap("b", 5), note);
  await recorder.flush();
  expect(server.calls.filter((call) => call.includes("/a."))).toHaveLength(3);
  expect(dropped).toEqual(["error"]);
  expect(written()).toHaveLength(1);
});

it("does not repeat what is refused, such as in a namespace that is being deleted", async () => {
  server.before = () => {
    throw new KubeError("forbidden", { status: 403 });
  };
  recorder.emit(configMap("a", 5), note);
  await recorder.flush();
  expect(server.calls).toHaveLength(1);
});

it("never throws, whatever it is given", () => {
  expect(() => recorder.emit({} as never, note)).not.toThrow();
  expect(log.error).toHaveBeenCalledOnce();
});

it("cuts a note to the 1,024 bytes that the API takes, between characters", async () => {
  recorder.emit(configMap("a", 5), { ...note, note: "ä".repeat(2_000) });
  await settle();
  const text = String(written()[0]?.["note"]);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_024);
  expect(text).toMatch(/^ä+…$/);
});

import { beforeEach, expect, it } from "vitest";
import { createSecretStore } from "../../src/cluster/secrets.ts";
import type { KubeObject, SecretStore } from "../../src/cluster/types.ts";
import { createFakeClient } from "./fake-client.ts";
import type { FakeClient } from "./fake-client.ts";

let server: FakeClient;
let store: SecretStore;
const ref = { namespace: "here", name: "s" };
const owner = {
  apiVersion: "cloudplatform.dev/v1alpha1",
  kind: "ComputeInstance",
  name: "web",
  uid: "u1",
  controller: true,
};

beforeEach(() => {
  server = createFakeClient();
  store = createSecretStore(server);
});

const stored = () => server.objects.get("secrets/here/s") as KubeObject & { data: Record<string, string> };
const writes = () => server.calls.filter((call) => !call.startsWith("get"));

it("reads values as text, and undefined where there is none", async () => {
  expect(await store.read(ref)).toBeUndefined();
  await server.create(
    { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true },
    {
      metadata: ref,
      data: { password: Buffer.from("pä").toString("base64") },
    },
  );
  expect(await store.read(ref)).toMatchObject({ data: { password: "pä" } });
});

it("keeps bytes that are no text as they are, and never shows them as text", async () => {
  const gzip = Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff, 0xfe]).toString("base64");
  await server.create(
    { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true },
    { metadata: ref, data: { "user-data": gzip, password: Buffer.from("p").toString("base64") } },
  );
  const secret = await store.read(ref);
  expect(secret?.encoded["user-data"]).toBe(gzip);
  expect(secret?.data).toEqual({ password: "p" });
});

it("removes a key of its own Secret that holds no text, where it is not wanted", async () => {
  await store.write(ref, { data: { a: "1" }, owner });
  stored().data["b"] = Buffer.from([0xff]).toString("base64");
  await store.write(ref, { data: { a: "1" }, owner });
  expect(Object.keys(stored().data)).toEqual(["a"]);
});

it("removes keys that are called like what every object of JavaScript has", async () => {
  const odd = JSON.parse('{"constructor":"1","toString":"2","__proto__":"3"}') as Record<string, string>;
  await store.write(ref, { data: { a: "1", ...odd }, owner });
  expect(Object.keys(stored().data).toSorted()).toEqual(["__proto__", "a", "constructor", "toString"]);
  await store.write(ref, { data: { a: "1" }, owner });
  expect(Object.keys(stored().data)).toEqual(["a"]);
});

it("rehearses a write: what would be refused is thrown, and nothing is stored", async () => {
  await store.rehearse(ref, { data: { a: "1" }, owner });
  expect(server.objects.size).toBe(0);
  await store.write(ref, { data: { a: "1" }, owner });
  await store.rehearse(ref, { data: { a: "2" }, owner });
  expect((await store.read(ref))?.data).toEqual({ a: "1" });
  const also = { ...owner, uid: "u2", controller: false };
  stored().metadata.ownerReferences = [owner, also];
  const others = { data: { a: "2" }, owner: { ...also, controller: true } };
  await expect(store.rehearse(ref, others)).rejects.toMatchObject({ status: 409 });
  await expect(store.write(ref, others)).rejects.toMatchObject({ status: 409 });
});

it("creates a Secret that belongs to its owner", async () => {
  const written = await store.write(ref, { data: { password: "p" }, owner, labels: { app: "x" } });
  expect(written.data).toEqual({ password: "p" });
  expect(stored()).toMatchObject({ type: "Opaque", metadata: { ownerReferences: [owner], labels: { app: "x" } } });
  expect(stored().data).toEqual({ password: Buffer.from("p").toString("base64") });
});

it("makes the data exactly what is given, and sends nothing when it is so already", async () => {
  await store.write(ref, { data: { kept: "1", changed: "1", removed: "1" }, owner });
  const written = await store.write(ref, { data: { kept: "1", changed: "2", added: "3" }, owner });
  expect(written.data).toEqual({ kept: "1", changed: "2", added: "3" });
  const before = writes().length;
  await store.write(ref, { data: { kept: "1", changed: "2", added: "3" }, owner });
  expect(writes()).toHaveLength(before);
});

it("never touches a Secret of somebody else", async () => {
  await store.write(ref, { data: { a: "theirs" }, owner: { ...owner, uid: "u2" } });
  const refused = store.write(ref, { data: { a: "ours" }, owner });
  await expect(refused).rejects.toMatchObject({ status: 409, reason: "AlreadyExists" });
  expect((await store.read(ref))?.data).toEqual({ a: "theirs" });
});

it("repeats a change on a fresh read after a conflict, so that nobody's change is lost", async () => {
  await store.write(ref, { data: { a: "1" }, owner });
  let meddled = false;
  server.before = (call) => {
    if (meddled || !call.startsWith("patch")) return;
    meddled = true;
    stored().metadata.finalizers = ["theirs"];
    stored().metadata.resourceVersion = "999";
  };
  await store.addFinalizer(ref, "ours");
  expect(stored().metadata.finalizers).toEqual(["theirs", "ours"]);
});

it("gives up after six conflicts", async () => {
  await store.write(ref, { data: { a: "1" }, owner });
  server.before = (call) => {
    if (call.startsWith("patch")) stored().metadata.resourceVersion += "1";
  };
  await expect(store.addFinalizer(ref, "ours")).rejects.toMatchObject({ conflict: true });
  expect(writes().filter((call) => call.startsWith("patch"))).toHaveLength(6);
});

it("adds and removes its finalizer once, and leaves others", async () => {
  await store.write(ref, { data: {}, owner });
  await store.addFinalizer(ref, "ours");
  await store.addFinalizer(ref, "ours");
  await store.addFinalizer(ref, "other");
  await store.removeFinalizer(ref, "ours");
  await store.removeFinalizer(ref, "ours");
  expect(stored().metadata.finalizers).toEqual(["other"]);
  expect(writes()).toHaveLength(4);
});

it("adds no finalizer to what is being deleted, and removes none from what is gone", async () => {
  await store.write(ref, { data: {}, owner });
  stored().metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
  expect((await store.addFinalizer(ref, "ours"))?.metadata.finalizers).toBeUndefined();
  server.objects.clear();
  await store.removeFinalizer(ref, "ours");
  expect(await store.addFinalizer(ref, "ours")).toBeUndefined();
});

it("takes just the owner's reference off when the owner is orphaned", async () => {
  await store.write(ref, { data: {}, owner });
  const other = { ...owner, uid: "u2" };
  stored().metadata.ownerReferences = [owner, other];
  await store.disown(ref, "u1");
  expect(stored().metadata.ownerReferences).toEqual([other]);
});

it("deletes a Secret as it was read, and only while it names the owner", async () => {
  await store.write(ref, { data: {}, owner });
  await store.remove(ref, "u2");
  expect(stored()).toBeDefined();
  server.before = (call) => {
    if (call.startsWith("delete")) stored().metadata.resourceVersion += "1";
  };
  await expect(store.remove(ref, "u1")).rejects.toMatchObject({ status: 409 });
  expect(stored()).toBeDefined();
  server.before = () => undefined;
  await store.remove(ref, "u1");
  expect(stored()).toBeUndefined();
  await store.remove(ref, "u1");
});

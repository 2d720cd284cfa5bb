import { describe, expect, it } from "vitest";
import type { KubeError } from "../../src/cluster/errors.ts";
import { resourceOf } from "../../src/core/environment.ts";
import { createWorldClock } from "./clock.ts";
import { createObjects } from "./objects.ts";
import type { Objects } from "./objects.ts";

const keys = resourceOf({ kind: "SSHKey", plural: "sshkeys" });
const ref = { namespace: "default", name: "laptop" };
const finalizers = ["test/held"];

function begin(metadata: object = {}): Objects {
  const objects = createObjects({ clock: createWorldClock() });
  objects.create(keys, { metadata: { ...ref, ...metadata }, spec: { label: "a" } });
  return objects;
}

function statusOf(run: () => unknown): number | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as KubeError).status;
  }
}

describe("the API server refuses", () => {
  it.each<[string, number, (objects: Objects) => unknown]>([
    ["what exists already", 409, (objects) => objects.create(keys, { metadata: ref })],
    [
      "a patch of an older version",
      409,
      (objects) => objects.patch(keys, ref, { metadata: { resourceVersion: "1" }, spec: { label: "b" } }),
    ],
    ["a patch of another uid", 409, (objects) => objects.patch(keys, ref, { metadata: { uid: "other" } })],
    ["a patch of what is not there", 404, (objects) => objects.patch(keys, { ...ref, name: "none" }, {})],
    ["a deletion of another uid", 409, (objects) => objects.beginDelete(keys, ref, { uid: "other" })],
    [
      "a new finalizer on what is being deleted",
      422,
      (objects) => {
        objects.patch(keys, ref, { metadata: { finalizers } });
        objects.beginDelete(keys, ref)();
        objects.patch(keys, ref, { metadata: { finalizers: [...finalizers, "test/other"] } });
      },
    ],
  ])("%s", (_what, status, run) => expect(statusOf(() => run(begin()))).toBe(status));
});

describe("a patch", () => {
  it("of the spec moves the generation, of metadata does not", () => {
    const objects = begin();
    expect(objects.patch(keys, ref, { metadata: { labels: { a: "b" } } }).metadata.generation).toBe(1);
    expect(objects.patch(keys, ref, { spec: { label: "b" } }).metadata.generation).toBe(2);
  });

  it("that changes nothing leaves the version as it is", () => {
    const objects = begin();
    const { resourceVersion } = objects.get(keys, ref)!.metadata;
    expect(objects.patch(keys, ref, { spec: { label: "a" } }).metadata.resourceVersion).toBe(resourceVersion);
  });

  it("of the object ignores a status, and of the status all else", () => {
    const objects = begin();
    expect(objects.patch(keys, ref, { status: { id: "1" } }).status).toEqual({ observedGeneration: -1 });
    const written = objects.patch(keys, ref, { spec: { label: "b" }, status: { id: "1" } }, "status");
    expect(written).toMatchObject({ spec: { label: "a" }, status: { id: "1" }, metadata: { generation: 1 } });
  });

  it("takes off what it sets to null", () => {
    const objects = begin({ annotations: { a: "1", b: "2" } });
    expect(objects.patch(keys, ref, { metadata: { annotations: { a: null } } }).metadata.annotations).toEqual({
      b: "2",
    });
  });
});

describe("a deletion", () => {
  it("waits for finalizers, and ends with the last of them", () => {
    const objects = begin({ finalizers });
    objects.beginDelete(keys, ref)();
    expect(objects.get(keys, ref)?.metadata.deletionTimestamp).toBeDefined();
    const before = objects.get(keys, ref)!.metadata.resourceVersion;
    const answer = objects.patch(keys, ref, { metadata: { finalizers: [] } });
    expect(objects.get(keys, ref)).toBeUndefined();
    expect(answer.metadata.resourceVersion).toBe(before);
  });

  it("that began before a finalizer was put on ignores it", () => {
    const objects = begin();
    const end = objects.beginDelete(keys, ref);
    objects.patch(keys, ref, { metadata: { finalizers } });
    end();
    expect(objects.get(keys, ref)).toBeUndefined();
  });

  it("does not touch what was made anew under the same name", () => {
    const objects = begin();
    const end = objects.beginDelete(keys, ref);
    objects.beginDelete(keys, ref)();
    objects.create(keys, { metadata: ref });
    end();
    expect(objects.get(keys, ref)).toBeDefined();
  });

  it("takes Secrets along that nobody else owns", () => {
    const objects = begin();
    const secrets = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
    const ownerReferences = [{ uid: objects.get(keys, ref)!.metadata.uid }];
    objects.create(secrets, { metadata: { namespace: "default", name: "owned", ownerReferences } });
    objects.beginDelete(keys, ref)();
    expect(objects.list(secrets)).toEqual([]);
  });
});

it("what is made for an owner that is gone goes, too", async () => {
  const clock = createWorldClock();
  const objects = createObjects({ clock });
  const secrets = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
  const ownerReferences = [{ uid: "gone" }];
  objects.create(secrets, { metadata: { namespace: "default", name: "owned", ownerReferences } });
  await clock.advance(1_000);
  expect(objects.list(secrets)).toEqual([]);
});

it("a watch tells every change with its version, the deletion with one of its own", () => {
  const objects = begin();
  const told: string[] = [];
  objects.watch(keys, ({ type, object }) => told.push(`${type} ${object.metadata.resourceVersion}`));
  const { resourceVersion } = objects.patch(keys, ref, { spec: { label: "b" } }).metadata;
  objects.beginDelete(keys, ref)();
  expect(told).toEqual([`MODIFIED ${resourceVersion}`, `DELETED ${Number(resourceVersion) + 1}`]);
});

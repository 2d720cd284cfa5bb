import * as fc from "fast-check";
import { expect, it } from "vitest";
import { keyOf } from "../../src/cluster/paths.ts";
import { createMetadataShelf, slimmest } from "../../src/cluster/shelf.ts";
import type { KubeObject } from "../../src/cluster/types.ts";

const secrets = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
const name = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?$/);
/** What the API server sets; something else may stand in its place. */
const odd = fc.oneof(fc.uuid(), fc.string(), fc.constant("a b"), fc.constant(undefined));
const metadata = fc.record(
  {
    name,
    namespace: name,
    uid: odd,
    resourceVersion: fc.oneof(fc.nat().map(String), odd),
    creationTimestamp: fc.oneof(fc.constant("2026-01-01T00:00:00Z"), odd),
    deletionTimestamp: fc.constant("2026-01-02T00:00:00Z"),
    finalizers: fc.array(name, { maxLength: 2 }),
    labels: fc.dictionary(fc.oneof(name, fc.constant("app")), fc.string()),
    ownerReferences: fc.constant([{ apiVersion: "v1", kind: "Widget", name: "w", uid: "u-1" }]),
  },
  { requiredKeys: ["name", "uid", "resourceVersion", "creationTimestamp"] },
);

it("gives back what was put there, however it is kept", () => {
  const slim = slimmest(secrets, { annotations: [], labels: ["app"] });
  fc.assert(
    fc.property(fc.array(metadata, { maxLength: 8 }), (all) => {
      const [shelf, map] = [createMetadataShelf(secrets), new Map<string, KubeObject>()];
      for (const one of all) {
        const object = slim({ apiVersion: "v1", kind: "Secret", metadata: one } as unknown as KubeObject);
        shelf.set(keyOf(object.metadata), object);
        map.set(keyOf(object.metadata), object);
      }
      expect([...shelf.keys()]).toEqual([...map.keys()]);
      for (const [key, object] of map) expect(shelf.get(key)).toEqual(object);
      for (const key of map.keys()) expect(shelf.delete(key)).toBe(true);
      expect([...shelf.keys()]).toEqual([]);
    }),
  );
});

import { createSecretKey } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../src/api/types.ts";
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { Kind } from "../../../src/core/kind/owned.ts";
import { createDependents } from "../../../src/core/watch/dependents.ts";
import { installationKey } from "../../world/process.ts";
import { signedRecord } from "../../world/record.ts";

const spec = z.looseObject({});
const firewall = {
  spec,
  references: { instances: { kind: "ComputeInstance", from: (spec: { refs?: { name: string }[] }) => spec.refs } },
};
const disk = {
  spec,
  references: {
    instance: { kind: "ComputeInstance", contained: true, from: (spec: { ref: { name: string } }) => spec.ref },
  },
};
const clone = {
  spec,
  references: {
    source: { kind: "ComputeInstance", creationOnly: true, from: () => ({ name: "a" }) },
    password: { secret: () => ({ name: "password" }), key: "password", creationOnly: true },
  },
  fields: { image: { desired: ({ spec }: { spec: { image: string } }) => spec.image, disrupts: true } },
};
const kinds = new Map(
  Object.entries({ Firewall: firewall, ComputeDisk: disk, Clone: clone }),
) as unknown as ReadonlyMap<string, Kind>;
const given = { kinds, neutral: (fields: JsonObject) => fields, installationKey: createSecretKey(installationKey) };

const object = (kind: string, name: string, asked: Record<string, unknown>): KubeObject => ({
  apiVersion: "cloudplatform.dev/v1alpha1",
  kind,
  metadata: { name, namespace: "shop", uid: name, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: asked,
});

test("those who refer to an object are known, and whether they are part of it", () => {
  const dependents = createDependents(given);
  dependents.update("Firewall/shop/web", object("Firewall", "web", { refs: [{ name: "a" }] }));
  dependents.update("ComputeDisk/shop/root", object("ComputeDisk", "root", { ref: { name: "a" } }));
  expect(dependents.of("ComputeInstance/shop/a")).toEqual([
    { key: "Firewall/shop/web", contained: false, creationOnly: false, holds: true },
    { key: "ComputeDisk/shop/root", contained: true, creationOnly: false, holds: true },
  ]);
});

test("a reference that was taken out is told once more, so that what it held is woken", () => {
  const dependents = createDependents(given);
  dependents.update("Firewall/shop/web", object("Firewall", "web", { refs: [{ name: "a" }] }));
  const told = dependents.update("Firewall/shop/web", object("Firewall", "web", { refs: [{ name: "b" }] }));
  expect(told).toEqual(expect.arrayContaining(["ComputeInstance/shop/a", "ComputeInstance/shop/b"]));
  expect(dependents.of("ComputeInstance/shop/a")).toEqual([]);
});

test("every object depends on its account, also on one of another namespace", () => {
  const dependents = createDependents(given);
  dependents.update("Firewall/shop/web", object("Firewall", "web", {}));
  dependents.update(
    "Firewall/shop/api",
    object("Firewall", "api", { accountRef: { name: "prod", namespace: "platform" } }),
  );
  expect(dependents.of("CloudAccount/shop/default")).toHaveLength(1);
  expect(dependents.of("CloudAccount/platform/prod")).toHaveLength(1);
});

test("a spec that cannot be read is no reference and no crash", () => {
  const dependents = createDependents(given);
  dependents.update("ComputeDisk/shop/root", object("ComputeDisk", "root", { ref: null }));
  expect(dependents.of("ComputeInstance/shop/a")).toEqual([]);
  expect(dependents.update("ComputeDisk/shop/root", undefined)).toEqual(["CloudAccount/shop/default"]);
});

test("what is needed only to create is no reference once the id is recorded, a Secret until something disrupts again", () => {
  const dependents = createDependents(given);
  const refers = (target: string) => dependents.of(target).length > 0;
  const both = () => [refers("ComputeInstance/shop/a"), refers("Secret/shop/password")];
  const spec = { image: "debian" };
  dependents.update("Clone/shop/b", object("Clone", "b", spec));
  expect(both()).toEqual([true, true]);
  const created = { ...object("Clone", "b", spec), status: {} };
  created.status = { record: signedRecord(created, { id: "1", applied: spec }) };
  expect(dependents.update("Clone/shop/b", created)).toContain("ComputeInstance/shop/a");
  expect(both()).toEqual([false, false]);
  dependents.update("Clone/shop/b", { ...created, spec: { image: "ubuntu" } });
  expect(both()).toEqual([false, true]);
});

test("whatever is referred to, and no more, in any order of changes and deletions", () => {
  const [names, targets] = [
    ["x", "y", "z"],
    ["a", "b"],
  ];
  const change = fc.record({
    name: fc.constantFrom(...names),
    refs: fc.option(fc.subarray(targets), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const dependents = createDependents(given);
      const there = new Map<string, string[]>();
      for (const { name, refs } of changes) {
        const asked = { refs: refs?.map((one) => ({ name: one })) };
        dependents.update(`Firewall/shop/${name}`, refs && object("Firewall", name, asked));
        if (refs) there.set(name, refs);
        else there.delete(name);
      }
      const referrers = (target: string) => dependents.of(target).map(({ key }) => String(key.split("/")[2]));
      const wanted = (target: string) => names.filter((name) => there.get(name)?.includes(target));
      for (const one of targets) expect(referrers(`ComputeInstance/shop/${one}`).toSorted()).toEqual(wanted(one));
      expect(referrers("CloudAccount/shop/default").toSorted()).toEqual(names.filter((name) => there.has(name)));
    }),
  );
});

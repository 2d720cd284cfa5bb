import { expect, it } from "vitest";
import { slimmed, slimmest } from "../../src/cluster/shelf.ts";
import type { KubeObject, Resource } from "../../src/cluster/types.ts";

const group = "cloudplatform.dev";
const instances = { group, version: "v1alpha1", plural: "computeinstances", kind: "ComputeInstance", namespaced: true };
const secrets: Resource = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
const kept = { annotations: [`${group}/journal`], labels: [`${group}/published`] };

/** Returns an object with a small spec and more than half a megabyte of annotations and labels of its author. */
function largest(index: number): KubeObject {
  const many = (count: number, prefix: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}/${at}`, `${index}-${at}`.padEnd(60, "x")]));
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: "ComputeInstance",
    metadata: {
      name: `mem-${index}`,
      namespace: "team-c",
      uid: `uid-${index}`,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      annotations: { ...many(3_600, group), [`${group}/journal`]: "signed" },
      labels: { ...many(3_600, "label.example"), [`${group}/published`]: "digest" },
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "owner" }],
    },
    spec: { region: "us-east", type: "x" },
  };
}

const sixty = Array.from({ length: 60 }, (_, index) => largest(index));

it.each([
  ["objects of a kind", slimmed(instances, kept)],
  ["Secrets with an owner", slimmest(secrets, kept)],
])("60 %s with 30 MB of annotations and labels keep less than 60 KB in a cache", (_, slim) => {
  const before = JSON.stringify(sixty).length;
  const after = sixty.map(slim);
  expect(before).toBeGreaterThan(30_000_000);
  expect(JSON.stringify(after).length).toBeLessThan(60_000);
  expect(after[0]?.metadata).toMatchObject({
    annotations: { [`${group}/journal`]: "signed" },
    labels: { [`${group}/published`]: "digest" },
  });
});

it("a cache does not change the object that it receives", () => {
  const object = largest(1);
  slimmed(instances, kept)(object);
  expect(object).toEqual(largest(1));
});

it("a change of an annotation or label that the cache drops still shows, and a change of the manifest's copy does not", () => {
  const slim = slimmed(instances, kept);
  const { metadata, ...rest } = largest(1);
  const withAnnotation = (name: string, value: string) =>
    slim({ ...rest, metadata: { ...metadata, annotations: { ...metadata.annotations, [name]: value } } });
  const withLabel = slim({ ...rest, metadata: { ...metadata, labels: { ...metadata.labels, "team/look": "1" } } });
  const before = slim({ ...rest, metadata });
  expect(withAnnotation("team/look", "1")).not.toEqual(before);
  expect(withAnnotation("team/look", "1")).not.toEqual(withAnnotation("team/look", "2"));
  expect(withLabel).not.toEqual(before);
  expect(withAnnotation("kubectl.kubernetes.io/last-applied-configuration", "{}")).toEqual(before);
  expect(slim(before)).toEqual(before);
});

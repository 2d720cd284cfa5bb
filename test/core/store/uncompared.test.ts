/** An object that was ready, and that cannot be compared for long while its account answers, says so. */
import { expect, it } from "vitest";
import { KubeError } from "../../../src/cluster/errors.ts";
import { configMaps } from "../../../src/cluster/config-maps.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { messageOf, stateOf } from "../support.ts";

const minute = 60_000;
const hour = 60 * minute;

async function withBucket(): Promise<World> {
  const world = createWorld();
  world.cluster.create("Bucket", "media", { cluster: "us-east-1", acl: "private" });
  await world.advance(minute);
  expect(world.cluster.get("Bucket", "media")).toBeReady();
  return world;
}

function writes({ cluster }: World): number {
  return cluster.writes().filter(({ resource, verb }) => resource === "buckets" && verb.startsWith("patch")).length;
}

it.each(["html502", "notFound", "empty"] as const)(
  "a bucket whose access cannot be read (%s) stays ready, and its message says so until it can be",
  async (kind) => {
    const world = await withBucket();
    const { status: before } = world.cluster.get("Bucket", "media")!;
    world.cloud.fault({ kind, method: "GET", path: /\/access$/, times: 10_000 });
    await world.advance(3 * hour);
    expect(world.cluster.get("Bucket", "media")).toBeReady();
    expect(messageOf(world, "Bucket", "media")).toMatch(
      /^Bucket us-east-1\/media was as specified at the last comparison. Since .*, the operator cannot compare it: /,
    );
    const written = writes(world);
    await world.advance(hour);
    expect(writes(world)).toBe(written);
    const { status } = world.cluster.get("Bucket", "media")!;
    expect({ ...status, conditions: [] }).toEqual({ ...before, conditions: [] });
    world.cloud.clearFaults();
    await world.advance(hour);
    expect(messageOf(world, "Bucket", "media")).toBe("Bucket us-east-1/media is as specified");
  },
);

it("a failure that passes within minutes is written nowhere", async () => {
  const world = await withBucket();
  const written = writes(world);
  world.cloud.fault({ kind: "html502", method: "GET", path: /\/access$/, times: 10_000 });
  world.restart();
  await world.advance(5 * minute);
  world.cloud.clearFaults();
  await world.advance(hour);
  expect(writes(world)).toBe(written);
});

it("nothing of it is written while the account itself says that the cloud does not answer", async () => {
  const world = await withBucket();
  const written = writes(world);
  world.cloud.fault({ kind: "html502", times: 100_000 });
  await world.advance(3 * hour);
  expect(stateOf(world, "CloudAccount", "default")).not.toBe("Ready");
  expect(writes(world)).toBe(written);
});

it("an object whose ConfigMap the operator may not read any more says so, too", async () => {
  const world = await withBucket();
  const ref = { namespace: "default", name: "site" };
  world.cluster.objects.create(configMaps, { metadata: ref, data: { content: "old" } });
  const spec = { bucketRef: { name: "media" }, objectKey: "index.html", contentConfigMapRef: { name: "site" } };
  world.cluster.create("BucketObject", "site", spec);
  await world.advance(minute);
  const { get } = world.cluster.objects;
  world.cluster.objects.get = (resource, of) => {
    if (resource.plural === "configmaps")
      throw new KubeError('configmaps "site" is forbidden', { status: 403, reason: "Forbidden" });
    return get(resource, of);
  };
  world.cluster.objects.patch(configMaps, ref, { data: { content: "new" } });
  await world.advance(hour);
  expect(messageOf(world, "BucketObject", "site")).toContain('configmaps "site" is forbidden');
  world.cluster.objects.get = get;
  await world.advance(10 * minute);
  expect(messageOf(world, "BucketObject", "site")).toBe("Bucket object index.html is as specified");
});

/** What people ask for is heeded also by an operator whose watches are late: before what it cannot undo it asks the API server. */
import { describe, expect, it } from "vitest";
import { secrets } from "../../src/cluster/secrets.ts";
import { approveAnnotation, letGoAnnotation } from "../../src/core/claim/intent.ts";
import type { LedgerEntry } from "../world/dispatcher.ts";
import { createWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { buckets, messageOf, minutes, ready, shapes } from "./claim/scenes.ts";

const cloudMs = 300;
const clusterMs = 100;

/** An answer of the API server may be on its way, and one serves all that is removed within a tenth of a second. */
const onTheWayMs = clusterMs + 100;

/** Milliseconds after it began, while it goes on. */
const moments = (until: number): number[] => Array.from({ length: until / 50 }, (_, index) => index * 50);

/** A bucket with so many objects, which are removed first. */
async function withBucket(count: number): Promise<World> {
  const world = await withObject("Bucket", { ...shapes.Bucket.spec, forceEmpty: true });
  const bucket = world.cloud.find(buckets, "us-east-1/web")!;
  bucket.beside["contents"] = Array.from({ length: count }, (_, index) => `file-${index}`);
  return world;
}

async function withBucketObject(): Promise<World> {
  const world = createWorld();
  world.cluster.create("Bucket", "media", { cluster: "us-east-1" });
  const content = { metadata: { namespace: "default", name: "robots" }, stringData: { content: "allow" } };
  world.cluster.objects.create(secrets, content);
  const spec = { bucketRef: { name: "media" }, objectKey: "robots.txt", contentSecretRef: { name: "robots" } };
  return withObject("BucketObject", spec, world);
}

async function withObject(kind: string, spec: object, world = createWorld()): Promise<World> {
  await world.advance(minutes(1));
  world.cluster.create(kind, "web", spec);
  await world.advance(minutes(3));
  expect(ready(world, kind, "web"), messageOf(world, kind, "web")).toBe("Ready");
  return world;
}

const cases: [string, string, number, () => Promise<World>][] = [
  ["SSHKey", "a key", 1_500, () => withObject("SSHKey", shapes.SSHKey.spec)],
  ["Firewall", "a firewall", 1_500, () => withObject("Firewall", shapes.Firewall.spec)],
  ["ComputeInstance", "an instance", 1_500, () => withObject("ComputeInstance", shapes.ComputeInstance.spec)],
  ["Bucket", "an empty bucket", 2_000, () => withBucket(0)],
  ["Bucket", "a bucket of 35 objects", 3_000, () => withBucket(35)],
  ["BucketObject", "an object of a bucket", 2_000, withBucketObject],
];

/** What left later than `afterMs` and removes something, or would. */
function removals({ cloud }: World, afterMs: number): string[] {
  const isRemoval = ({ method, path }: LedgerEntry) => method === "DELETE" || path.endsWith("/object-url");
  const late = cloud.ledger().filter((entry) => entry.atMs > afterMs && entry.method !== "GET" && isRemoval(entry));
  return late.map(({ method, path, atMs }) => `${method} ${path} after ${atMs - afterMs} ms`);
}

/** Both sides take their time from now on. */
function slow(world: World): void {
  world.cloud.settings.latencyMs = cloudMs;
  world.cluster.latency.ms = clusterMs;
}

describe.each(cases)("%s: %s that is let go while it is being deleted", (kind, _what, until, start) => {
  it.each(moments(until))("stays from then on where watches bring that at once (%i ms)", async (afterMs) => {
    const world = await start();
    slow(world);
    world.cluster.delete(kind, "web");
    await world.advance(afterMs);
    const now = world.clock.now();
    world.cluster.annotate(kind, "web", { [letGoAnnotation]: "true" });
    await world.advance(minutes(10));
    expect(removals(world, now), messageOf(world, kind, "web")).toEqual([]);
    expect(world.cluster.get(kind, "web")).toBeUndefined();
  });

  it.each(moments(until))("…and where they bring it late (%i ms)", async (afterMs) => {
    const world = await start();
    slow(world);
    world.cluster.delete(kind, "web");
    await world.advance(afterMs);
    const now = world.clock.now();
    world.cluster.watch.held = true;
    world.cluster.annotate(kind, "web", { [letGoAnnotation]: "true" });
    await world.advance(minutes(2));
    expect(removals(world, now + onTheWayMs), messageOf(world, kind, "web")).toEqual([]);
    world.cluster.watch.held = false;
    world.cluster.releaseWatches();
    await world.advance(minutes(10));
    expect(removals(world, now + onTheWayMs), messageOf(world, kind, "web")).toEqual([]);
    expect(world.cluster.get(kind, "web")).toBeUndefined();
  });
});

describe.each(["SSHKey", "Firewall", "ComputeInstance"] as const)("%s: an approval that is withdrawn", (kind) => {
  it.each(moments(1_000))("lets nothing leave any more where watches are late (%i ms)", async (afterMs) => {
    const world = await withObject(kind, shapes[kind].spec);
    world.cluster.patch(kind, "web", { spec: { management: { policy: "Plan" }, label: "another" } });
    await world.advance(minutes(3));
    expect(ready(world, kind, "web")).toBe("WaitingForApproval");
    const { hash } = world.cluster.get(kind, "web")!.status!["plan"] as { hash: string };
    slow(world);
    world.cluster.annotate(kind, "web", { [approveAnnotation]: hash });
    await world.advance(afterMs);
    const now = world.clock.now();
    world.cluster.watch.held = true;
    world.cluster.annotate(kind, "web", { [approveAnnotation]: "" });
    await world.advance(minutes(2));
    const sent = world.cloud.ledger().filter(({ method, atMs }) => method !== "GET" && atMs > now + onTheWayMs);
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});

/** What people ask for is heeded also by an operator whose watches are late: before what it cannot undo it asks the API server. */
import { approveAnnotation, orphanAnnotation } from "../../../src/core/kind/annotations.ts";
import { describe, expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import type { LedgerEntry } from "../../world/dispatcher.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { storedIn } from "../../world/storage.ts";
import { buckets, giveAway, messageOf, minutes, shapes, stateOf } from "../support.ts";

/** What an answer takes, milliseconds. */
interface Pace {
  cloud: number;
  cluster: number;
}

const usual = { cloud: 300, cluster: 100 };
const paces: Pace[] = [usual, { cloud: 1_500, cluster: 300 }, { cloud: 1_000, cluster: 700 }];

/** The age of a fact when a request leaves: the faster side is asked last, and one answer serves all requests of a tenth of a second. */
const onTheWayMs = ({ cloud, cluster }: Pace): number => 300 + Math.min(cloud, cluster);

/** Milliseconds after it began, while it goes on. */
const moments = (until: number): number[] => Array.from({ length: until / 100 }, (_, index) => index * 100);

/** …one of `every`, with each pace. */
const paced = (until: number, every: number): { pace: Pace; afterMs: number }[] =>
  paces.flatMap((pace) =>
    moments(until)
      .filter((_, index) => index % every === 0)
      .map((afterMs) => ({ pace, afterMs })),
  );

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
  expect(stateOf(world, kind, "web"), messageOf(world, kind, "web")).toBe("Ready");
  return world;
}

const cases: [string, string, number, () => Promise<World>][] = [
  ["SSHKey", "a key", 1_500, () => withObject("SSHKey", shapes.SSHKey.spec)],
  ["Firewall", "a firewall", 1_500, () => withObject("Firewall", shapes.Firewall.spec)],
  ["ComputeInstance", "an instance", 1_500, () => withObject("ComputeInstance", shapes.ComputeInstance.spec)],
  ["Bucket", "an empty bucket", 1_700, () => withBucket(0)],
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
function slow(world: World, { cloud, cluster }: Pace = usual): void {
  world.cloud.settings.latencyMs = cloud;
  world.cluster.latency.ms = cluster;
}

function rotate({ cluster }: World): void {
  cluster.patch("Secret", "cloud-token", { data: { token: Buffer.from("rotated").toString("base64") } });
}

describe.each(cases)("%s: %s that is let go while it is being deleted", (kind, _what, until, start) => {
  it.each(moments(until))("stays from then on where watches bring that at once (%i ms)", async (afterMs) => {
    const world = await start();
    slow(world);
    world.cluster.delete(kind, "web");
    await world.advance(afterMs);
    const now = world.clock.now();
    world.cluster.annotate(kind, "web", { [orphanAnnotation]: "true" });
    await world.advance(minutes(10));
    expect(removals(world, now), messageOf(world, kind, "web")).toEqual([]);
    expect(world.cluster.get(kind, "web")).toBeUndefined();
  });

  it.each(
    paces.flatMap((pace) =>
      moments((until * (pace.cloud + pace.cluster)) / 400)
        .filter((_, index) => pace === usual || index % 10 === 0)
        .map((afterMs) => ({ pace, afterMs })),
    ),
  )(
    "…and where they bring it late ($afterMs ms, cloud $pace.cloud, API server $pace.cluster)",
    async ({ afterMs, pace }) => {
      const world = await start();
      slow(world, pace);
      world.cluster.delete(kind, "web");
      await world.advance(afterMs);
      const now = world.clock.now();
      world.cluster.watch.held = true;
      world.cluster.annotate(kind, "web", { [orphanAnnotation]: "true" });
      await world.advance(minutes(2));
      expect(removals(world, now + onTheWayMs(pace)), messageOf(world, kind, "web")).toEqual([]);
      world.cluster.watch.held = false;
      world.cluster.releaseWatches();
      await world.advance(minutes(10));
      expect(removals(world, now + onTheWayMs(pace)), messageOf(world, kind, "web")).toEqual([]);
      expect(world.cluster.get(kind, "web")).toBeUndefined();
    },
  );

  it.each(paces)("…and is removed where nobody lets it go (cloud $cloud, API server $cluster)", async (pace) => {
    const world = await start();
    slow(world, pace);
    world.cluster.delete(kind, "web");
    await world.advance(minutes(10));
    expect(world.cluster.get(kind, "web"), messageOf(world, kind, "web")).toBeUndefined();
  });
});

describe("others have the name of a bucket by now", () => {
  it.each(
    paced(6_000, 5).flatMap((one) => [
      { ...one, what: "deleted" },
      { ...one, what: "changed" },
    ]),
  )(
    "what is $what in it stays ($afterMs ms, cloud $pace.cloud, API server $pace.cluster)",
    async ({ afterMs, what, pace }) => {
      const world = await withBucketObject();
      slow(world, pace);
      if (what === "deleted") world.cluster.delete("BucketObject", "web");
      else
        world.cluster.objects.patch(
          secrets,
          { namespace: "default", name: "robots" },
          { stringData: { content: "new" } },
        );
      await world.advance(afterMs);
      const now = world.clock.now();
      const theirs = giveAway(world, world.cloud.find(buckets, "us-east-1/media")!);
      storedIn(theirs)["robots.txt"] = { content: "dGhlaXJz", acl: "private" };
      await world.advance(minutes(10));
      const late = world.cloud
        .ledger()
        .filter(
          ({ path, method, atMs }) => method !== "GET" && path.startsWith("/objects/") && atMs > now + onTheWayMs(pace),
        );
      expect(late.map(({ method, path, atMs }) => `${method} ${path} after ${atMs - now} ms`)).toEqual([]);
    },
  );

  it.each(paced(6_000, 5))(
    "so it is not deleted ($afterMs ms, cloud $pace.cloud, API server $pace.cluster)",
    async ({ afterMs, pace }) => {
      const world = await withBucket(5);
      slow(world, pace);
      world.cluster.delete("Bucket", "web");
      await world.advance(afterMs);
      const now = world.clock.now();
      const row = world.cloud.find(buckets, "us-east-1/web");
      if (!row) return;
      giveAway(world, row).beside["contents"] = ["file-0"];
      await world.advance(minutes(10));
      expect(
        removals(world, now + onTheWayMs(pace)).filter((one) => !one.startsWith("POST")),
        messageOf(world, "Bucket", "web"),
      ).toEqual([]);
    },
  );
});

describe.each(["SSHKey", "Firewall", "ComputeInstance"] as const)("%s: an approval that is withdrawn", (kind) => {
  it.each(moments(1_000))("lets nothing leave any more where watches are late (%i ms)", async (afterMs) => {
    const world = await withObject(kind, shapes[kind].spec);
    world.cluster.patch(kind, "web", { spec: { management: { policy: "Plan" }, label: "another" } });
    await world.advance(minutes(3));
    expect(stateOf(world, kind, "web")).toBe("WaitingForApproval");
    const { hash } = world.cluster.get(kind, "web")!.status!["plan"] as { hash: string };
    slow(world);
    world.cluster.annotate(kind, "web", { [approveAnnotation]: hash });
    await world.advance(afterMs);
    const now = world.clock.now();
    world.cluster.watch.held = true;
    world.cluster.annotate(kind, "web", { [approveAnnotation]: "" });
    await world.advance(minutes(2));
    const sent = world.cloud.ledger().filter(({ method, atMs }) => method !== "GET" && atMs > now + onTheWayMs(usual));
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});

it.each(paced(3_000, 4))(
  "nothing is removed with the former token once the account has another ($afterMs ms, cloud $pace.cloud, API server $pace.cluster)",
  async ({ afterMs, pace }) => {
    const world = await withObject("Firewall", shapes.Firewall.spec);
    world.cloud.addToken("rotated", "ada");
    slow(world, pace);
    world.cluster.delete("Firewall", "web");
    await world.advance(afterMs);
    rotate(world);
    await world.advance(minutes(10));
    const used = world.cloud.ledger().findIndex((entry) => entry.token === "rotated" && entry.path !== "/profile");
    const late = world.cloud
      .ledger()
      .slice(used === -1 ? Infinity : used)
      .filter((entry) => entry.method !== "GET" && entry.token !== "rotated");
    expect(late.map(({ method, path, token }) => `${method} ${path} ${token}`)).toEqual([]);
    expect(world.cluster.get("Firewall", "web")).toBeUndefined();
  },
);

it.each(
  (["SSHKey", "Firewall", "ComputeInstance", "Bucket"] as const).flatMap((kind) =>
    paced(3_000, 6).map(({ pace, afterMs }) => ({ kind, pace, afterMs })),
  ),
)(
  "$kind: one is created where the account gets another token meanwhile ($afterMs ms, cloud $pace.cloud, API server $pace.cluster)",
  async ({ kind, pace, afterMs }) => {
    const world = createWorld();
    await world.advance(minutes(1));
    world.cloud.addToken("rotated", "ada");
    slow(world, pace);
    world.cluster.create(kind, "web", shapes[kind].spec);
    await world.advance(afterMs);
    rotate(world);
    await world.advance(minutes(15));
    expect(stateOf(world, kind, "web"), messageOf(world, kind, "web")).toBe("Ready");
    const posts = world.cloud.ledger().filter(({ method, path }) => method === "POST" && path === shapes[kind].path);
    expect(posts.map(({ status }) => status)).toEqual([200]);
  },
);

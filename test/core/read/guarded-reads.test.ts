/** What guards access is compared with the poll, where the row of the list does not show it. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { storedIn } from "../../world/storage.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, paths, specs } from "../support.ts";

const buckets = "/object-storage/buckets";
const pollMs = 60_000;
/** A reconcile takes a moment. */
const momentMs = 2_000;

function accessOf({ cloud }: World, id = "us-east-1/media"): JsonObject {
  return cloud.find(buckets, id)!.beside["access"] as JsonObject;
}

/** Somebody else changes it, and no event tells. */
function open(world: World, id?: string): void {
  accessOf(world, id)["acl"] = "public-read-write";
}

function reads({ cloud }: World, path: RegExp, since = 0): number {
  return cloud.ledger().filter((entry) => entry.number >= since && entry.method === "GET" && path.test(entry.path))
    .length;
}

async function withBucket(spec: object = { acl: "private" }, management?: object): Promise<World> {
  const world = createWorld();
  world.cluster.create("Bucket", "media", { ...specs.Bucket, ...spec }, management && { management });
  await world.advance(3 * pollMs + 1_234);
  return world;
}

describe("what somebody else has opened behind our back", () => {
  it("is closed within one poll: a bucket", async () => {
    const world = await withBucket();
    open(world);
    await world.advance(pollMs + momentMs);
    expect(accessOf(world)["acl"]).toBe("private");
    expect(world.cluster.get("Bucket", "media")).toBeReady();
  });

  it.each(["a rotated token", "another process"])("is closed within one poll after %s: a bucket", async (what) => {
    const world = await withBucket();
    world.cloud.addToken("rotated", "ada");
    if (what === "another process") world.restart();
    else world.cluster.patch("Secret", "cloud-token", { data: { token: Buffer.from("rotated").toString("base64") } });
    await world.advance(pollMs / 2);
    open(world);
    await world.advance(pollMs + momentMs);
    expect(accessOf(world)["acl"]).toBe("private");
  });

  it("is reported within one poll where drift is only reported: a bucket", async () => {
    const world = await withBucket({ acl: "private" }, { driftPolicy: "Report" });
    open(world);
    await world.advance(pollMs + momentMs);
    expect(accessOf(world)["acl"]).toBe("public-read-write");
    expect(conditionOf(world.cluster.get("Bucket", "media"), "Drifted")?.status).toBe("True");
  });

  it("is in the status within one poll where the spec says nothing of it: a bucket", async () => {
    const world = await withBucket({});
    open(world);
    await world.advance(pollMs + momentMs);
    expect(world.cluster.get("Bucket", "media")?.status).toMatchObject({ currentACL: "public-read-write" });
  });

  it("is closed within one poll: an object of a bucket, which shares its path with the bucket", async () => {
    const world = await withBucket();
    world.cluster.secret("robots", { content: "allow" });
    const spec = { bucketRef: { name: "media" }, objectKey: "a.txt", contentSecretRef: { name: "robots" } };
    world.cluster.create("BucketObject", "robots", { ...spec, acl: "private" });
    await world.advance(3 * pollMs);
    const stored = storedIn(world.cloud.find(buckets, "us-east-1/media")!)["a.txt"]!;
    stored.acl = "public-read-write";
    await world.advance(pollMs + momentMs);
    expect(stored.acl).toBe("private");
  });

  it("is closed within one poll: an app that the rules refuse", async () => {
    const world = createWorld();
    world.cluster.create("AccessPolicy", "rules", { apps: { allow: [] } });
    await world.advance(3 * pollMs);
    world.cloud.add("/profile/apps", {
      id: 14,
      label: "Other",
      scopes: "domains:read_only",
      created: "2020-01-01T00:00:00",
    });
    await world.advance(pollMs + momentMs);
    expect(changes(world)).toEqual(["DELETE /profile/apps/14"]);
  });

  it("is closed within one poll where the account's events cannot be read: an instance without its firewall", async () => {
    const world = createWorld();
    world.cloud.settings.scopes = "compute:read_write firewall:read_write account:read_write";
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    world.cluster.create("Firewall", "wall", { ...specs.Firewall, instanceRefs: [{ name: "web" }] });
    await world.advance(4 * pollMs);
    const devices = `${paths.Firewall}/${idOf(world, "Firewall", "wall")}/devices`;
    const [device] = world.cloud.rows(devices);
    world.cloud.remove(devices, JSON.stringify(device!["id"]));
    await world.advance(pollMs + momentMs);
    expect(world.cloud.rows(devices)).toHaveLength(1);
  });
});

describe("at rest", () => {
  it("a bucket's access is read once in a poll, and nothing is written", async () => {
    const world = await withBucket();
    const since = world.cloud.ledger().length;
    const written = world.cluster.writes().length;
    await world.advance(30 * pollMs);
    const counted = reads(world, /\/access$/, since);
    expect(counted).toBeGreaterThanOrEqual(30);
    expect(counted).toBeLessThanOrEqual(36);
    expect(world.cluster.writes().length).toBe(written);
    expect(changes(world, since)).toEqual([]);
  });

  it("a firewall's devices, whose changes the account's events tell, are read in the resync alone", async () => {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    world.cluster.create("Firewall", "wall", { ...specs.Firewall, instanceRefs: [{ name: "web" }] });
    await world.advance(4 * pollMs);
    const since = world.cloud.ledger().length;
    await world.advance(30 * pollMs);
    expect(reads(world, /\/devices$/, since)).toBeLessThanOrEqual(4);
  });

  it("is not read any more for a bucket whose object is deleted", async () => {
    const world = await withBucket({ acl: "private" }, { deletionPolicy: "Orphan" });
    world.cluster.delete("Bucket", "media");
    await world.advance(pollMs);
    const since = world.cloud.ledger().length;
    await world.advance(10 * pollMs);
    expect(reads(world, /\/access$/, since)).toBe(0);
  });
});

/** Buckets of newer regions have no cluster: what is made by a region's name is found again by it. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, messageOf, paths, stateOf } from "../support.ts";

const places = [
  { because: "a cluster", place: "us-east-1", id: "us-east-1/media" },
  { because: "a region without clusters", place: "us-iad", id: "us-iad/media" },
  { because: "a cluster of a region whose buckets are listed without one", place: "us-iad-1", id: "us-iad/media" },
  { because: "a region for its cluster", place: "us-east", id: "us-east-1/media" },
];

const isReady = (world: World) =>
  expect(stateOf(world, "Bucket", "media"), messageOf(world, "Bucket", "media")).toBe("Ready");

describe.each(places)("a bucket in $because, $place", ({ place, id }) => {
  it.each(["lostAfter", "lateApply", "html502After", undefined] as const)(
    "is made once, kept, and deleted at its own path, where its creation meets %s",
    async (kind) => {
      const world = createWorld();
      await world.settle();
      if (kind) world.cloud.fault({ kind, method: "POST", path: /buckets$/, ms: 6_000 });
      world.cluster.create("Bucket", "media", { cluster: place, acl: "private" });
      await world.advance(900_000);
      isReady(world);
      expect(idOf(world, "Bucket", "media")).toBe(id);
      expect(changes(world)).toEqual([`POST ${paths.Bucket}`]);
      expect(world.cloud.rows(paths.Bucket)).toHaveLength(1);
      world.restart();
      await world.advance(900_000);
      isReady(world);
      world.cluster.patch("Bucket", "media", { spec: { acl: "public-read" } });
      await world.advance(60_000);
      isReady(world);
      world.cluster.delete("Bucket", "media");
      await world.advance(60_000);
      expect(world.cluster.get("Bucket", "media")).toBeUndefined();
      expect(changes(world).slice(1)).toEqual([`POST ${paths.Bucket}/${id}/access`, `DELETE ${paths.Bucket}/${id}`]);
    },
  );

  it("is not taken where it was there before", async () => {
    const world = createWorld();
    world.cloud.add(paths.Bucket, {
      label: "media",
      ...(id.startsWith("us-iad/") ? { cluster: "", region: "us-iad" } : { cluster: "us-east-1", region: "us-east" }),
    });
    await world.advance(60_000);
    world.cluster.create("Bucket", "media", { cluster: place });
    await world.advance(60_000);
    expect(stateOf(world, "Bucket", "media")).toBe("Conflict");
    expect(changes(world)).toEqual([]);
  });

  it("is adopted by its id", async () => {
    const world = createWorld();
    world.cloud.add(paths.Bucket, {
      label: "media",
      ...(id.startsWith("us-iad/") ? { cluster: "", region: "us-iad" } : { cluster: "us-east-1", region: "us-east" }),
    });
    world.cluster.create("Bucket", "media", { cluster: place }, { management: { adopt: { id } } });
    await world.advance(60_000);
    isReady(world);
    expect(changes(world)).toEqual([]);
  });
});

it.each(["us-east", "us-iad"])(
  "of two objects that name one bucket by its cluster and by its region %s, one creates it",
  async (region) => {
    const world = createWorld();
    world.cluster.create("Bucket", "one", { label: "media", cluster: `${region}-1` });
    world.cluster.create("Bucket", "other", { label: "media", cluster: region });
    await world.advance(300_000);
    const states = [stateOf(world, "Bucket", "one"), stateOf(world, "Bucket", "other")];
    expect(states.toSorted((a = "", b = "") => a.localeCompare(b))).toEqual(["Conflict", "Ready"]);
    expect(world.cloud.rows(paths.Bucket)).toHaveLength(1);
  },
);

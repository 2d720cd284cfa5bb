/** The column MONTHLY: the price of a cloud object, from the list of types. */
import { expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, madeMs, paths, specs, stateOf } from "../support.ts";

const offer = {
  id: "g6-standard-1",
  price: { monthly: 12 },
  region_prices: [{ id: "ap-south", monthly: 14.4 }],
  addons: { backups: { price: { monthly: 2.5 }, region_prices: [{ id: "ap-south", monthly: 3 }] } },
};
const types = "/compute/types";
const spec = specs.ComputeInstance;

function withPrices(): World {
  const world = createWorld();
  world.cloud.add(types, offer);
  return world;
}

function monthly({ cluster }: World, kind: string, name: string): unknown {
  return cluster.get(kind, name)?.status?.["monthly"];
}

function reads({ cloud }: World): number {
  return cloud.ledger().filter(({ method, path }) => method === "GET" && path === types).length;
}

it.each([
  { why: "the price of the type", wanted: {}, shows: "$12.00" },
  { why: "the price of the region", wanted: { region: "ap-south" }, shows: "$14.40" },
  { why: "the price with backups", wanted: { backups: { enabled: true } }, shows: "$14.50" },
  { why: "both prices of the region", wanted: { region: "ap-south", backups: { enabled: true } }, shows: "$17.40" },
  { why: "no price of a type outside of the list", wanted: { type: "a-new-type" }, shows: undefined },
])("an instance shows $why", async ({ wanted, shows }) => {
  const world = withPrices();
  world.cluster.create("ComputeInstance", "web", { ...spec, ...wanted });
  await world.advance(120_000);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  expect(monthly(world, "ComputeInstance", "web")).toBe(shows);
});

it("a database shows the price of all nodes, also before the database is ready", async () => {
  const world = withPrices();
  world.cluster.create("ManagedMySQL", "shop", { ...specs.ManagedMySQL, clusterSize: 3, replicationType: "asynch" });
  await world.settle();
  expect(stateOf(world, "ManagedMySQL", "shop")).toBe("Provisioning");
  expect(monthly(world, "ManagedMySQL", "shop")).toBe("$36.00");
});

it("all objects of an account share one read of the list per hour", async () => {
  const world = withPrices();
  await world.settle();
  // The connection reads one page of the list, to test the brand word.
  const before = reads(world);
  for (let number = 0; number < 20; number += 1) world.cluster.create("ComputeInstance", `web-${number}`, spec);
  world.cluster.create("ManagedMySQL", "shop", specs.ManagedMySQL);
  await world.advance(madeMs);
  expect(world.cluster.get("ManagedMySQL", "shop")).toBeReady();
  expect(reads(world) - before).toBe(1);
  await world.advance(3_600_000);
  expect(reads(world) - before).toBe(2);
});

it.each(["html502", "notFound", "silent"] as const)(
  "an instance becomes ready without a price list (%s), and shows the price later",
  async (kind) => {
    const world = withPrices();
    await world.settle();
    world.cloud.fault({ kind, method: "GET", path: /compute\/types$/, times: 100 });
    world.cluster.create("ComputeInstance", "web", spec);
    await world.advance(60_000);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(monthly(world, "ComputeInstance", "web")).toBe(undefined);
    world.cloud.clearFaults();
    await world.advance(3_600_000);
    expect(monthly(world, "ComputeInstance", "web")).toBe("$12.00");
    expect(changes(world)).toEqual([`POST ${paths.ComputeInstance}`]);
  },
);

it("an instance keeps its last known price while the list is unreadable", async () => {
  const world = withPrices();
  world.cluster.create("ComputeInstance", "web", spec);
  await world.advance(60_000);
  world.cloud.fault({ kind: "html502", method: "GET", path: /compute\/types$/, times: 1_000 });
  world.restart();
  world.cluster.annotate("ComputeInstance", "web", { a: "b" });
  await world.advance(7_200_000);
  expect(monthly(world, "ComputeInstance", "web")).toBe("$12.00");
});

it("an instance that no longer exists in the cloud costs nothing", async () => {
  const world = withPrices();
  world.cluster.create("ComputeInstance", "web", spec);
  await world.advance(60_000);
  world.cloud.remove(paths.ComputeInstance, world.cluster.get("ComputeInstance", "web")?.status?.["id"] as string);
  await world.advance(600_000);
  expect(stateOf(world, "ComputeInstance", "web")).toBe("Missing");
  expect(monthly(world, "ComputeInstance", "web")).toBe(undefined);
});

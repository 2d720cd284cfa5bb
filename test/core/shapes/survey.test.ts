/** An inventory: what an account holds, and what of it nothing manages. It is read rarely, and changes nothing. */
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, madeMs, messageOf, paths, specs, stateOf } from "../support.ts";

const offer = {
  id: "g6-standard-1",
  price: { monthly: 12 },
  region_prices: [{ id: "ap-south", monthly: 14.4 }],
  addons: { backups: { price: { monthly: 2.5 }, region_prices: [] } },
};
const instance = { region: "us-east", type: "g6-standard-1", status: "running" };

it("counts what is there, names what no object manages, and says what it costs", async () => {
  const world = await surveyed();
  expect(stateOf(world, "Inventory", "all"), messageOf(world, "Inventory", "all")).toBe("Ready");
  expect(listed(world, "instances")).toEqual({
    name: "instances",
    readable: true,
    count: 3,
    unmanaged: 2,
    rows: [
      { id: "8001", label: "legacy", region: "ap-south", type: "g6-standard-1", monthly: "$16.90" },
      { id: "8002", label: "odd", region: "us-east", type: "a-new-type" },
    ],
  });
  expect(listed(world, "sshKeys")).toMatchObject({ count: 2, unmanaged: 1, rows: [{ id: "8003", label: "of ada" }] });
  expect(listed(world, "domains")).toMatchObject({ count: 0, unmanaged: 0, rows: [] });
  expect(status(world)).toMatchObject({ count: 5, unmanaged: 3, monthly: "$28.90", unmanagedMonthly: "$16.90" });
  expect(changes(world).filter((call) => !/^POST .*(sshkeys|instances)$/.test(call))).toEqual([]);
});

it("what is only observed is not managed, and what the token may not read says so", async () => {
  const world = await surveyed();
  const management = { policy: "Observe", adopt: { id: "8001" } };
  world.cluster.create("ComputeInstance", "seen", specs.ComputeInstance, { management });
  await world.advance(4_000_000);
  expect(listed(world, "instances")).toMatchObject({ count: 3, unmanaged: 2 });
  expect(listed(world, "vlans")).toMatchObject({ readable: false, count: 0 });
});

it("lists are read once an hour, and the status says when", async () => {
  const world = await surveyed();
  const before = reads(world);
  const first = readAtMs(world);
  await world.advance(3_000_000);
  expect(reads(world)).toBe(before);
  await world.advance(4_400_000);
  expect(reads(world)).toBe(before + 2);
  expect(readAtMs(world) - first).toBe(7_200_000);
});

it("where they are read more often, the status is written when it says something else, and once an hour", async () => {
  const world = await surveyed({ everyMinutes: 5 });
  const writes = inventoryWrites(world);
  await world.advance(3_500_000);
  expect(inventoryWrites(world)).toBe(writes);
  await world.advance(200_000);
  expect(inventoryWrites(world)).toBe(writes + 1);
  world.cloud.add(paths.Domain, { id: 8004, domain: "example.net", type: "master" });
  await world.advance(310_000);
  expect(listed(world, "domains")).toMatchObject({ count: 1, rows: [{ id: "8004", label: "example.net" }] });
  expect(inventoryWrites(world)).toBe(writes + 2);
  expect(world.clock.date().getTime() - readAtMs(world)).toBeLessThan(320_000);
});

it("says which lists the token cannot read, also after what was read before", async () => {
  const world = await surveyed();
  const said = /^The status shows the lists of the cloud; the token cannot read databases, ipv6Pools, vlans, transfer$/;
  expect(messageOf(world, "Inventory", "all")).toMatch(said);
  world.cluster.annotate("Inventory", "all", { anything: "else" });
  await world.advance(60_000);
  expect(messageOf(world, "Inventory", "all")).toMatch(said);
});

it("a pool and a range of IPv6 are counted where their own lists have them, and not among the addresses", async () => {
  const world = await surveyed();
  const count = () => listed(world, "ips")?.["count"];
  const before = count();
  for (const type of ["ipv6/pool", "ipv6/range"])
    world.cloud.add("/networking/ips", { address: `2001:db8:${type.length}::`, type, region: "us-east" });
  await world.advance(3_700_000);
  expect(listed(world, "ips")?.["readable"]).toBe(true);
  expect(count()).toBe(before);
});

it("a change of how often has the lists read at once", async () => {
  const world = await surveyed();
  const before = reads(world);
  world.cluster.patch("Inventory", "all", { spec: { everyMinutes: 5 } });
  await world.advance(310_000);
  expect(reads(world)).toBe(before + 2);
});

it("names a hundred of what nothing manages, and counts the rest", async () => {
  const world = createWorld();
  for (let id = 8000; id < 8150; id += 1) world.cloud.add(paths.Domain, { id, domain: `d${id}.org`, type: "master" });
  world.cluster.create("Inventory", "all", {});
  await world.advance(60_000);
  const { rows, unmanaged } = listed(world, "domains") as { rows: unknown[]; unmanaged: number };
  expect([rows.length, unmanaged]).toEqual([100, 150]);
});

it.each([
  { why: "no text", row: { id: 8005, label: null, region: 7, type: ["a"], backups: "on" } },
  { why: "next to nothing", row: { id: 8005 } },
  {
    why: "texts without end",
    row: { id: 8005, label: "x".repeat(5_000), region: "y".repeat(500), type: "z".repeat(500) },
  },
])("a row with $why is counted", async ({ row }) => {
  const world = createWorld();
  world.cloud.add(paths.ComputeInstance, row);
  world.cluster.create("Inventory", "all", {});
  await world.advance(60_000);
  expect(stateOf(world, "Inventory", "all"), messageOf(world, "Inventory", "all")).toBe("Ready");
  expect(listed(world, "instances")).toMatchObject({ count: 1, unmanaged: 1, rows: [{ id: "8005" }] });
});

it("a list that cannot be read just now leaves the figures as they were", async () => {
  const world = await surveyed();
  const before = status(world);
  world.cloud.fault({ kind: "html502", method: "GET", path: /domains$/, times: 1_000 });
  await world.advance(4_000_000);
  expect(status(world)["lists"]).toEqual(before["lists"]);
});

it("another namespace needs a grant for it", async () => {
  const world = createWorld();
  const share = (sharing: object) => world.cluster.patch("CloudAccount", "default", { spec: { sharing } });
  share({ namespaces: ["shop"] });
  const accountRef = { name: "default", namespace: "default" };
  world.cluster.create("Inventory", "all", { accountRef }, { namespace: "shop" });
  await world.advance(60_000);
  const found = () => JSON.stringify(world.cluster.get("Inventory", "all", "shop")?.status);
  expect(found()).toContain("sharing.accountWide");
  expect(found()).not.toContain("lists");
  share({ namespaces: ["shop"], accountWide: ["shop"] });
  await world.advance(700_000);
  expect(found()).toContain("lists");
});

/** One instance and one key of objects, and others beside them. */
async function surveyed(spec: object = {}): Promise<World> {
  const world = createWorld();
  world.cloud.add("/compute/types", offer);
  world.cloud.add(paths.ComputeInstance, {
    ...instance,
    id: 8001,
    label: "legacy",
    region: "ap-south",
    backups: { enabled: true },
  });
  world.cloud.add(paths.ComputeInstance, { ...instance, id: 8002, label: "odd", type: "a-new-type" });
  world.cloud.add(paths.SSHKey, { id: 8003, label: "of ada", ssh_key: "ssh-ed25519 AAAA" });
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  world.cluster.create("SSHKey", "laptop", specs.SSHKey);
  await world.advance(madeMs);
  world.cluster.create("Inventory", "all", spec);
  await world.advance(60_000);
  return world;
}

function status(world: World): JsonObject {
  return (world.cluster.get("Inventory", "all")?.status ?? {}) as JsonObject;
}

function readAtMs(world: World): number {
  return Date.parse((status(world) as { readAt: string }).readAt);
}

function listed(world: World, name: string): JsonObject | undefined {
  return (status(world)["lists"] as JsonObject[] | undefined)?.find((one) => one["name"] === name);
}

/** How often the types were listed: nothing else in these worlds reads them. */
function reads(world: World): number {
  return world.cloud.ledger().filter(({ path }) => path === "/object-storage/transfer").length;
}

function inventoryWrites(world: World): number {
  return world.cluster.writes().filter(({ resource }) => resource === "inventories").length;
}

/** A running instance takes over a changed profile when it boots: the operator says so, and restarts it only where that is allowed. */
import { expect, it } from "vitest";
import { conditionOf, createWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { madeMs, paths, specs, stateOf } from "./situations.ts";

const { ComputeInstance: instances } = paths;
const vlan = (label: string) => ({ interfaces: [{ purpose: "public" }, { purpose: "vlan", label }] });
const config = { instanceRef: { name: "web" }, kernel: "compute/latest-64bit", devices: {} };
const owners = [
  { owner: "ComputeInstance", change: { spec: vlan("blue") } },
  { owner: "ComputeConfig", change: { spec: { kernel: "compute/grub2" } } },
] as const;

async function withWeb(owner: string, spec: object = {}): Promise<World> {
  const world = createWorld();
  const own = owner === "ComputeInstance" ? vlan("green") : {};
  world.cluster.create("ComputeInstance", "web", { ...specs.ComputeInstance, ...own, ...spec });
  await world.advance(madeMs);
  if (owner === "ComputeConfig")
    world.cluster.create("ComputeConfig", "web", { ...config, label: "default", ...adopt });
  await world.advance(madeMs);
  expect(stateOf(world, owner, "web")).toBe("Ready");
  return world;
}

const adopt = { management: { adopt: { id: "1" } } };

function restarts({ cloud }: World): string[] {
  return cloud.ledger().flatMap(({ path }) => (path.endsWith("/reboot") ? [path] : []));
}

function driftOf({ cluster }: World, owner: string): string {
  return conditionOf(cluster.get(owner, "web"), "Drifted")?.message ?? "";
}

async function reboot({ cloud, advance }: World): Promise<void> {
  for (const status of ["rebooting", "running"]) {
    cloud.change(instances, "1001", { status });
    await advance(120_000);
  }
}

it.each(owners)(
  "a change of a $owner is said to need a restart until the instance boots",
  async ({ owner, change }) => {
    const world = await withWeb(owner);
    world.cluster.patch(owner, "web", change);
    await world.advance(60_000);
    expect(driftOf(world, owner)).toMatch(/changed while the instance ran.*add Restart to spec\.allowDisruption/);
    await world.advance(3_600_000);
    world.restart();
    await world.advance(60_000);
    expect(driftOf(world, owner)).toMatch(/changed while the instance ran/);
    expect(restarts(world)).toEqual([]);
    await reboot(world);
    expect(driftOf(world, owner)).toBe("");
  },
);

it.each(owners)("a change of a $owner restarts the instance once if Restart is allowed", async ({ owner, change }) => {
  const world = await withWeb(owner, { allowDisruption: ["Restart"] });
  await world.advance(3_600_000);
  const before = restarts(world).length;
  world.cluster.patch(owner, "web", change);
  await world.advance(120_000);
  expect(restarts(world)).toHaveLength(before + 1);
  world.restart();
  await world.advance(3_600_000);
  expect(restarts(world)).toHaveLength(before + 1);
  expect(stateOf(world, owner, "web")).toBe("Ready");
  expect(driftOf(world, owner)).toBe("");
});

it("Restart that is allowed later restarts the instance then", async () => {
  const world = await withWeb("ComputeInstance");
  world.cluster.patch("ComputeInstance", "web", { spec: vlan("blue") });
  await world.advance(600_000);
  expect(restarts(world)).toEqual([]);
  world.cluster.patch("ComputeInstance", "web", { spec: { allowDisruption: ["Restart"] } });
  await world.advance(120_000);
  expect(restarts(world)).toHaveLength(1);
});

it("a change while the instance is off needs no restart", async () => {
  const world = await withWeb("ComputeInstance", { powerState: "Offline", allowDisruption: ["Restart"] });
  world.cluster.patch("ComputeInstance", "web", { spec: vlan("blue") });
  await world.advance(60_000);
  world.cluster.patch("ComputeInstance", "web", { spec: { powerState: "Running" } });
  await world.advance(600_000);
  expect(restarts(world)).toEqual([]);
  expect(driftOf(world, "ComputeInstance")).toBe("");
});

it("an adopted instance of unknown past is not restarted", async () => {
  const world = createWorld();
  const row = { label: "web", status: "running", region: "us-east", type: "g6-standard-1", image: "compute/debian12" };
  const { id } = world.cloud.add(instances, row);
  const spec = { ...specs.ComputeInstance, ...vlan("green"), allowDisruption: ["Restart"] };
  world.cluster.create("ComputeInstance", "web", spec, { management: { adopt: { id } } });
  await world.advance(600_000);
  expect(restarts(world).length).toBeLessThanOrEqual(1);
  const before = restarts(world).length;
  await world.advance(3_600_000);
  expect(restarts(world)).toHaveLength(before);
});

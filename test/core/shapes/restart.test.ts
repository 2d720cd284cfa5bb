/** A running instance takes over a changed profile when it boots: the operator says so, and restarts it only where that is allowed. */
import { expect, it } from "vitest";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { madeMs, obey, paths, specs, stateOf } from "../support.ts";

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
  if (owner === "ComputeConfig") world.cluster.create("ComputeConfig", "web", { ...config, label: "default" }, adopt);
  await world.advance(madeMs);
  expect(world.cluster.get(owner, "web")).toBeReady();
  // A model of a creation says nothing of interfaces, so that they are changed after it.
  await reboot(world);
  expect(driftOf(world, owner)).toBe("");
  beginnings.set(world, world.cloud.ledger().length);
  return world;
}

const beginnings = new WeakMap<World, number>();

const adopt = { management: { adopt: { id: "1", overwrite: true } } };

/** Restarts since the world was ready. */
function restarts(world: World): string[] {
  const since = world.cloud.ledger().slice(beginnings.get(world) ?? 0);
  return since.flatMap(({ path }) => (path.endsWith("/reboot") ? [path] : []));
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
  expect(world.cluster.get(owner, "web")).toBeReady();
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

const allowed = { allowDisruption: ["Restart"] };
const [ofInstance, ofConfig] = owners;

function stateInCloud({ cloud }: World): unknown {
  return cloud.rows(instances)[0]?.["status"];
}

it.each(["Manage", "Paused"])("an instance that is off stays off when its profile changes (%s)", async (policy) => {
  const world = await withWeb("ComputeConfig", allowed);
  world.cluster.patch("ComputeInstance", "web", { spec: { management: { policy } } });
  await world.advance(300_000);
  world.cloud.change(instances, "1001", { status: "offline" });
  world.cluster.patch("ComputeConfig", "web", ofConfig.change);
  await world.advance(1_200_000);
  expect(restarts(world)).toEqual([]);
  expect(stateInCloud(world)).toBe("offline");
});

it.each(["Paused", "Observe", "Plan"])(
  "a ComputeConfig does not restart an instance with the policy %s",
  async (policy) => {
    const world = await withWeb("ComputeConfig", allowed);
    world.cluster.patch("ComputeInstance", "web", { spec: { management: { policy } } });
    await world.advance(300_000);
    world.cluster.patch("ComputeConfig", "web", ofConfig.change);
    await world.advance(600_000);
    expect(restarts(world)).toEqual([]);
    expect(driftOf(world, "ComputeConfig")).toMatch(
      /Restart it, or set spec\.management\.policy of the ComputeInstance/,
    );
    world.cluster.patch("ComputeInstance", "web", { spec: { management: { policy: "Manage" } } });
    await world.advance(600_000);
    expect(restarts(world)).toHaveLength(1);
    expect(driftOf(world, "ComputeConfig")).toBe("");
  },
);

it.each(owners)("a busy cloud is asked more and more seldom to restart for a $owner", async ({ owner, change }) => {
  const world = await withWeb(owner, allowed);
  world.cloud.settings.refuses = ({ path }) => (path.endsWith("/reboot") ? { reason: "Compute busy." } : undefined);
  world.cluster.patch(owner, "web", change);
  await world.advance(1_200_000);
  expect(restarts(world).length).toBeLessThan(30);
  world.cloud.settings.refuses = () => undefined;
  const before = restarts(world).length;
  await world.advance(600_000);
  expect(restarts(world)).toHaveLength(before + 1);
  expect(world.cluster.get(owner, "web")).toBeReady();
});

/** The operator is gone as soon as the cloud has accepted a restart; the next one comes later. */
async function crashAtRestart(world: World, owner: string, change: object, afterMs: number): Promise<void> {
  world.cluster.patch(owner, "web", change as Record<string, unknown>);
  for (let waited = 0; stateInCloud(world) !== "rebooting" && waited < 120_000; waited += 10) await world.advance(10);
  world.crash();
  expect(restarts(world)).toHaveLength(1);
  await world.advance(afterMs);
  world.restart();
}

it.each(owners)("a restart for a $owner is not repeated after a crash", async ({ owner, change }) => {
  const world = await withWeb(owner, allowed);
  world.cloud.settings.latencyMs = 200;
  await crashAtRestart(world, owner, change, 0);
  await world.advance(3_600_000);
  expect(restarts(world)).toHaveLength(1);
  expect(driftOf(world, owner)).toBe("");
  expect(world.cluster.get(owner, "web")).toBeReady();
});

it.each(owners)(
  "a restart for a $owner that nothing shows after a crash waits for a person",
  async ({ owner, change }) => {
    const world = await withWeb(owner, allowed);
    world.cloud.settings.latencyMs = 200;
    await crashAtRestart(world, owner, change, 60_000);
    await world.advance(3_600_000);
    expect(restarts(world)).toHaveLength(1);
    expect(stateOf(world, owner, "web")).toBe("OperationUncertain");
    obey(world, owner, "web");
    await world.advance(600_000);
    expect(restarts(world)).toHaveLength(2);
    expect(world.cluster.get(owner, "web")).toBeReady();
  },
);

it.each(owners)("a change of a $owner while the instance boots needs another restart", async ({ owner, change }) => {
  const world = await withWeb(owner);
  world.cloud.change(instances, "1001", { status: "rebooting" });
  await world.advance(120_000);
  world.cluster.patch(owner, "web", change);
  await world.advance(60_000);
  world.cloud.change(instances, "1001", { status: "running" });
  await world.advance(600_000);
  expect(driftOf(world, owner)).toMatch(/changed while the instance ran/);
});

it.each([
  { owner: "ComputeInstance", next: { spec: vlan("red") } },
  { owner: "ComputeConfig", next: { spec: { kernel: "compute/6.1-64bit" } } },
])("a change of a $owner during a restart of the operator restarts once more", async ({ owner, next }) => {
  const world = await withWeb(owner, allowed);
  world.cluster.patch(owner, "web", (owner === "ComputeConfig" ? ofConfig : ofInstance).change);
  for (let waited = 0; stateInCloud(world) !== "rebooting" && waited < 120_000; waited += 10) await world.advance(10);
  world.cluster.patch(owner, "web", next);
  await world.advance(3_600_000);
  expect(restarts(world)).toHaveLength(2);
  expect(driftOf(world, owner)).toBe("");
  expect(world.cluster.get(owner, "web")).toBeReady();
});

it("a type and interfaces that change together end with a restart", async () => {
  const world = await withWeb("ComputeInstance", { allowDisruption: ["Resize", "Restart"] });
  world.cluster.patch("ComputeInstance", "web", { spec: { type: "g6-standard-2", ...vlan("blue") } });
  await world.advance(3_600_000);
  const sent = world.cloud
    .ledger()
    .slice(beginnings.get(world))
    .filter(({ method }) => method !== "GET");
  const changed = sent.findLastIndex(({ path }) => path.includes("/configs/"));
  const booted = sent.findLastIndex(({ path }) => /\/(resize|reboot)$/.test(path));
  expect(changed).toBeGreaterThan(-1);
  expect(booted).toBeGreaterThan(changed);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  expect(restarts(world)).toHaveLength(1);
});

it("an adopted ComputeConfig with other values asks for a restart", async () => {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(madeMs);
  world.cluster.create("ComputeConfig", "web", { ...config, ...ofConfig.change.spec, label: "default" }, adopt);
  await world.advance(600_000);
  expect(driftOf(world, "ComputeConfig")).toMatch(/changed while the instance ran/);
});

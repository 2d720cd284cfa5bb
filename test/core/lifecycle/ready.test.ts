/** Ready means it: not while disks are copied, not before a change that was accepted shows, not in a status that is not known. */
import { describe, expect, it } from "vitest";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, messageOf, paths, specs, stateOf } from "../support.ts";

const web = { ...specs.ComputeInstance, allowDisruption: ["Resize", "Migrate", "Rebuild"] };

async function running(): Promise<{ world: World; id: string }> {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "web", web);
  await world.advance(120_000);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  return { world, id: idOf(world, "ComputeInstance", "web") };
}

describe("a copy of an instance", () => {
  it("is off and not Ready while its disks are copied, and is Ready soon after", async () => {
    const { world } = await running();
    const { region, type } = specs.ComputeInstance;
    const source = { clone: { instanceRef: { name: "web" } } };
    world.cluster.create("ComputeInstance", "copy", { region, type, source, powerState: "Running" });
    await world.settle();
    const id = idOf(world, "ComputeInstance", "copy");
    const disks = `${paths.ComputeInstance}/${id}/disks`;
    const disk = world.cloud.add(disks, { label: "root", size: 20_000, status: "not ready" });
    const row = world.cloud.find(paths.ComputeInstance, id)!;
    Object.assign(row, { next: undefined, fields: { ...row.fields, status: "offline" } });
    const since = world.cloud.ledger().length;
    await world.advance(1_800_000);
    expect(stateOf(world, "ComputeInstance", "copy")).toBe("Provisioning");
    expect(messageOf(world, "ComputeInstance", "copy")).toMatch(/copying the disks/);
    expect(changes(world, since)).toEqual([]);
    world.cloud.change(disks, disk.id, { status: "ready" });
    await world.advance(60_000);
    expect(world.cluster.get("ComputeInstance", "copy")).toBeReady();
    expect(changes(world, since)).toEqual([`POST ${paths.ComputeInstance}/${id}/boot`]);
  });
});

describe("a copy of an instance whose disks are not listed yet", () => {
  it.each([
    ["an instance", { clone: { instanceRef: { name: "web" } } }],
    ["a backup", { backup: { id: "7" } }],
  ])("of %s is not Ready before they are, and nothing is sent", async (_, source) => {
    const { world } = await running();
    const { region, type } = specs.ComputeInstance;
    world.cluster.create("ComputeInstance", "copy", { region, type, source, powerState: "Running" });
    await world.settle();
    const id = idOf(world, "ComputeInstance", "copy");
    const row = world.cloud.find(paths.ComputeInstance, id)!;
    Object.assign(row, { next: undefined, fields: { ...row.fields, status: "offline" } });
    const since = world.cloud.ledger().length;
    await world.advance(240_000);
    expect(stateOf(world, "ComputeInstance", "copy")).toBe("Provisioning");
    expect(changes(world, since)).toEqual([]);
    world.cloud.add(`${paths.ComputeInstance}/${id}/disks`, { label: "root", size: 20_000, status: "ready" });
    await world.advance(60_000);
    expect(world.cluster.get("ComputeInstance", "copy")).toBeReady();
    expect(changes(world, since)).toEqual([`POST ${paths.ComputeInstance}/${id}/boot`]);
  });
});

describe("between the acceptance of a change and its end", () => {
  it.each([
    ["a resize", { type: "g6-standard-2" }],
    ["a migration", { region: "us-west" }],
  ])("an instance of which the row shows nothing of %s is not Ready, and nothing more is sent", async (_, wanted) => {
    const { world, id } = await running();
    const since = world.cloud.ledger().length;
    world.cloud.find(paths.ComputeInstance, id)!.stubborn = true;
    world.cluster.patch("ComputeInstance", "web", { spec: wanted });
    for (let minute = 0; minute < 8; minute += 1) {
      await world.advance(60_000);
      expect(stateOf(world, "ComputeInstance", "web")).toBe("Updating");
    }
    world.cloud.change(paths.ComputeInstance, id, { ...wanted, status: "resizing" });
    await world.advance(60_000);
    expect(stateOf(world, "ComputeInstance", "web")).toBe("Updating");
    world.cloud.change(paths.ComputeInstance, id, { status: "running" });
    await world.advance(60_000);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(changes(world, since)).toHaveLength(1);
  });
});

describe("a disk of which the row shows nothing of a resize that was accepted", () => {
  it("is Reconciling until it has the size, and not Drifted", async () => {
    const { world, id } = await running();
    const disks = `${paths.ComputeInstance}/${id}/disks`;
    world.cluster.create("ComputeDisk", "data", { instanceRef: { name: "web" }, sizeMB: 1024 });
    await world.advance(60_000);
    expect(world.cluster.get("ComputeDisk", "data")).toBeReady();
    const disk = idOf(world, "ComputeDisk", "data");
    const since = world.cloud.ledger().length;
    world.cloud.find(disks, disk)!.stubborn = true;
    world.cluster.patch("ComputeDisk", "data", { spec: { sizeMB: 2048 } });
    const drifted = () => conditionOf(world.cluster.get("ComputeDisk", "data"), "Drifted")?.status;
    await world.advance(20_000);
    expect([stateOf(world, "ComputeDisk", "data"), drifted()]).toEqual(["Updating", undefined]);
    world.cloud.change(disks, disk, { status: "not ready" });
    await world.advance(3_600_000);
    expect([stateOf(world, "ComputeDisk", "data"), drifted()]).toEqual(["Provisioning", undefined]);
    world.cloud.change(disks, disk, { status: "ready", size: 2048 });
    await world.advance(60_000);
    expect([stateOf(world, "ComputeDisk", "data"), drifted()]).toEqual(["Ready", undefined]);
    expect(changes(world, since)).toEqual([`POST ${disks}/${disk}/resize`]);
  });
});

describe("a status that is not known", () => {
  it.each(["billing_suspension", "a_new_word"])(
    "%s is said, nothing is sent, and the instance is read with the poll",
    async (status) => {
      const { world, id } = await running();
      const since = world.cloud.ledger().length;
      world.cloud.change(paths.ComputeInstance, id, { status });
      world.cluster.patch("ComputeInstance", "web", { spec: { tags: ["shop"], type: "g6-standard-2" } });
      await world.advance(3_600_000);
      expect(stateOf(world, "ComputeInstance", "web")).toBe("Busy");
      expect(messageOf(world, "ComputeInstance", "web")).toContain(status);
      expect(changes(world, since)).toEqual([]);
      const reads = world.cloud
        .ledger()
        .slice(since)
        .filter(({ path }) => path.startsWith(paths.ComputeInstance));
      expect(reads.length).toBeLessThan(150);
      world.cloud.change(paths.ComputeInstance, id, { status: "running" });
      await world.advance(300_000);
      expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    },
  );
});

/** Rescue and upgrade of an instance: what is sent, how its end is known, and what the instance's own object makes of it. */
import { describe, expect, it } from "vitest";
import { conditionOf, createWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { changesIn, madeMs, messageOf, specs, stateOf } from "./situations.ts";

const minute = 60_000;
const upgrade = { instanceRef: { name: "vm" }, action: "Upgrade", notAfter: "2099-01-01T00:00:00Z" };

async function withInstance(type: string): Promise<World> {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "vm", { ...specs.ComputeInstance, type });
  await world.advance(madeMs);
  return world;
}

function sent(world: World, action: string) {
  return changesIn(world.cloud.ledger()).flatMap(({ path, body }) => (path.endsWith(`/${action}`) ? [body] : []));
}

it("an action that is refused since its instance became busy a moment before waits, and runs once", async () => {
  const world = await withInstance("g6-standard-1");
  const [{ id } = { id: 0 }] = world.cloud.rows("/compute/instances") as { id: number }[];
  const busyFor = (status: string): void => world.cloud.change("/compute/instances", String(id), { status });
  world.cloud.settings.latencyMs = 1_000;
  world.cloud.fault({ kind: "refused", method: "POST", path: /reboot$/, reason: "not now" });
  const notAfter = "2099-01-01T00:00:00Z";
  const since = world.cloud.ledger().length;
  world.cluster.create("ComputeAction", "again", { instanceRef: { name: "vm" }, action: "Reboot", notAfter });
  const posted = (): boolean =>
    world.cloud
      .ledger()
      .slice(since)
      .some(({ method, path }) => method === "POST" && path.endsWith("/reboot"));
  for (let ms = 0; ms < 30_000 && !posted(); ms += 100) await world.advance(100);
  busyFor("migrating");
  await world.advance(minute / 2);
  expect(stateOf(world, "ComputeAction", "again"), messageOf(world, "ComputeAction", "again")).toBe("Busy");
  busyFor("running");
  await world.advance(5 * minute);
  expect(stateOf(world, "ComputeAction", "again"), messageOf(world, "ComputeAction", "again")).toBe("Ready");
  expect(sent(world, "reboot")).toHaveLength(2);
});

it("an action that is refused as busy again and again is sent every few seconds, where watches are ahead of responses", async () => {
  const world = await withInstance("g6-standard-1");
  world.cloud.fault({ kind: "busy", method: "POST", path: /reboot$/, times: 1_000_000 });
  world.cluster.create("ComputeAction", "again", { instanceRef: { name: "vm" }, action: "Reboot" });
  await world.advance(2 * minute);
  expect(stateOf(world, "ComputeAction", "again"), messageOf(world, "ComputeAction", "again")).toBe("Busy");
  expect(sent(world, "reboot").length).toBeLessThan(60);
});

describe("an upgrade", () => {
  it("is complete when the instance has the successor of its type, and its object then wants just that type", async () => {
    const world = await withInstance("g5-standard-1");
    world.cluster.create("ComputeAction", "up", { ...upgrade, allowAutoDiskResize: false });
    await world.advance(5 * minute);
    expect(stateOf(world, "ComputeAction", "up"), messageOf(world, "ComputeAction", "up")).toBe("Ready");
    expect(sent(world, "mutate")).toEqual([{ allow_auto_disk_resize: false }]);
    const drifted = conditionOf(world.cluster.get("ComputeInstance", "vm"), "Drifted");
    expect(drifted?.message).toContain("g6-standard-1");

    world.cluster.patch("ComputeInstance", "vm", { spec: { type: "g6-standard-1", allowDisruption: ["Resize"] } });
    await world.advance(5 * minute);
    expect(stateOf(world, "ComputeInstance", "vm")).toBe("Ready");
    expect(conditionOf(world.cluster.get("ComputeInstance", "vm"), "Drifted")).toBeUndefined();
    expect(sent(world, "resize")).toEqual([]);
  });

  it("whose response was lost is complete when the type shows it, and is not sent again", async () => {
    const world = await withInstance("g5-standard-1");
    world.cloud.fault({ kind: "lostAfter", method: "POST", path: /mutate/ });
    world.cluster.create("ComputeAction", "up", upgrade);
    await world.advance(5 * minute);
    expect(stateOf(world, "ComputeAction", "up"), messageOf(world, "ComputeAction", "up")).toBe("Ready");
    expect(sent(world, "mutate")).toHaveLength(1);
  });

  it("that begins late is not complete before the type has changed", async () => {
    const world = await withInstance("g5-standard-1");
    world.cloud.settings.beginMs = minute;
    world.cluster.create("ComputeAction", "up", upgrade);
    await world.advance(30_000);
    expect(stateOf(world, "ComputeAction", "up")).toBe("Running");
    await world.advance(3 * minute);
    expect(stateOf(world, "ComputeAction", "up")).toBe("Ready");
  });
});

it("a rescue boots with the disks in the order of its list, once", async () => {
  const world = await withInstance("g6-standard-1");
  const spec = { instanceRef: { name: "vm" }, action: "Rescue", rescueDiskIDs: ["7", "5"] };
  world.cluster.create("ComputeAction", "repair", spec);
  await world.advance(5 * minute);
  expect(stateOf(world, "ComputeAction", "repair"), messageOf(world, "ComputeAction", "repair")).toBe("Ready");
  const devices = { sda: { disk_id: 7, volume_id: null }, sdb: { disk_id: 5, volume_id: null } };
  expect(sent(world, "rescue")).toEqual([{ devices }]);
  world.restart();
  await world.advance(5 * minute);
  expect(sent(world, "rescue")).toHaveLength(1);
});

/** What the operator does to an instance beside an action on it: the event of one does not tell what became of the other. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, madeMs, messageOf, paths, specs, stateOf } from "../support.ts";

const minute = 60_000;
const list = paths.ComputeInstance;
const rescue = { action: "Rescue", instanceRef: { name: "vm" } };
/** The cloud tells of a rescue as of a boot. */
const sentBoots = (world: World) => changes(world).filter((one) => one.endsWith("/boot"));

/** An instance that its object keeps running. */
async function withRunning(): Promise<{ world: World; id: string }> {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "vm", { ...specs.ComputeInstance, powerState: "Running" });
  await world.advance(madeMs);
  expect(stateOf(world, "ComputeInstance", "vm"), messageOf(world, "ComputeInstance", "vm")).toBe("Ready");
  return { world, id: idOf(world, "ComputeInstance", "vm") };
}

/** An action that never reached the cloud; soon afterwards somebody turns the instance off. */
async function withLostRescue({ restart = false } = {}): Promise<{ world: World; id: string }> {
  const { world, id } = await withRunning();
  world.cloud.fault({ kind: "lostBefore", method: "POST", path: /rescue$/ });
  world.cluster.create("ComputeAction", "repair", rescue);
  await world.advance(10_000);
  if (restart) world.restart();
  world.cloud.change(list, id, { status: "offline" });
  return { world, id };
}

describe("an action that never reached the cloud", () => {
  it.each([{ restart: false }, { restart: true }])(
    "is not complete by the boot of the operator's own, which waits for its window and no longer: $restart",
    async ({ restart }) => {
      const { world } = await withLostRescue({ restart });
      await world.advance(minute);
      expect(stateOf(world, "ComputeInstance", "vm"), messageOf(world, "ComputeInstance", "vm")).toBe("Busy");
      expect(messageOf(world, "ComputeInstance", "vm")).toContain("ComputeAction default/repair");
      await world.advance(30 * minute);
      expect(stateOf(world, "ComputeAction", "repair"), messageOf(world, "ComputeAction", "repair")).toBe(
        "OperationUncertain",
      );
      expect(sentBoots(world)).toHaveLength(1);
      expect(stateOf(world, "ComputeInstance", "vm"), messageOf(world, "ComputeInstance", "vm")).toBe("Ready");
    },
  );

  it("is not complete by such a boot, either, when the instance is gone later", async () => {
    const { world, id } = await withLostRescue();
    await world.advance(30 * minute);
    world.cluster.patch("ComputeInstance", "vm", { spec: { management: { policy: "Observe" } } });
    await world.advance(minute);
    world.cloud.remove(list, id);
    await world.advance(30 * minute);
    expect(stateOf(world, "ComputeAction", "repair"), messageOf(world, "ComputeAction", "repair")).toBe("Failed");
  });

  it("is not complete by a boot that got no response before and is carried out after it", async () => {
    const { world, id } = await withRunning();
    world.cloud.fault({ kind: "lateApply", method: "POST", path: /boot$/, ms: 20_000 });
    world.cloud.fault({ kind: "lostBefore", method: "POST", path: /boot$/, times: 100 });
    world.cloud.fault({ kind: "lostBefore", method: "POST", path: /rescue$/ });
    world.cloud.change(list, id, { status: "offline" });
    for (let ms = 0; ms < 5 * minute && sentBoots(world).length === 0; ms += 50) await world.advance(50);
    world.cluster.create("ComputeAction", "repair", rescue);
    await world.advance(minute);
    expect(stateOf(world, "ComputeAction", "repair"), messageOf(world, "ComputeAction", "repair")).toBe("Busy");
    await world.advance(60 * minute);
    expect(stateOf(world, "ComputeAction", "repair"), messageOf(world, "ComputeAction", "repair")).toBe(
      "OperationUncertain",
    );
  });

  it("is not complete by the copy that another object makes of the same instance", async () => {
    const { world, id } = await withRunning();
    world.cloud.add(list, { label: "other", region: "us-east", type: "g6-standard-1", status: "offline" });
    const other = world.cloud.history().at(-1)!.id;
    world.cloud.fault({ kind: "lostBefore", method: "POST", path: new RegExp(`${id}/clone$`) });
    const clone = { instanceRef: { id: other } };
    world.cluster.create("ComputeAction", "copy", {
      action: "Clone",
      instanceRef: { name: "vm" },
      clone,
      notAfter: "2099-01-01T00:00:00Z",
    });
    await world.advance(10_000);
    const { image: _image, ...spec } = specs.ComputeInstance;
    world.cluster.create("ComputeInstance", "twin", { ...spec, source: { clone: { instanceRef: { name: "vm" } } } });
    await world.advance(minute);
    expect(stateOf(world, "ComputeInstance", "twin"), messageOf(world, "ComputeInstance", "twin")).toBe("Busy");
    await world.advance(60 * minute);
    expect(stateOf(world, "ComputeAction", "copy"), messageOf(world, "ComputeAction", "copy")).toBe(
      "OperationUncertain",
    );
    expect(stateOf(world, "ComputeInstance", "twin"), messageOf(world, "ComputeInstance", "twin")).toBe("Ready");
  });
});

it("an action waits while a copy of its instance that got no response may still be made", async () => {
  const { world, id } = await withRunning();
  world.cloud.fault({ kind: "lateApply", method: "POST", path: /clone$/, ms: 20_000 });
  const { image: _image, ...spec } = specs.ComputeInstance;
  world.cluster.create("ComputeInstance", "twin", { ...spec, source: { clone: { instanceRef: { name: "vm" } } } });
  const isSent = () => changes(world).some((one) => one.endsWith(`${id}/clone`));
  for (let ms = 0; ms < 5 * minute && !isSent(); ms += 50) await world.advance(50);
  world.cluster.create("ComputeAction", "again", { action: "Reboot", instanceRef: { name: "vm" } });
  await world.advance(10_000);
  expect(stateOf(world, "ComputeAction", "again"), messageOf(world, "ComputeAction", "again")).toBe("Busy");
  expect(messageOf(world, "ComputeAction", "again")).toContain("ComputeInstance default/twin");
  await world.advance(60 * minute);
  expect(stateOf(world, "ComputeAction", "again"), messageOf(world, "ComputeAction", "again")).toBe("Ready");
});

it("a resize of an object that never reached the cloud stays open, whatever an action on the instance is told of", async () => {
  const { world } = await withRunning();
  world.cloud.fault({ kind: "lostBefore", method: "POST", path: /resize$/ });
  world.cluster.patch("ComputeInstance", "vm", { spec: { type: "g6-standard-2", allowDisruption: ["Resize"] } });
  await world.advance(10_000);
  world.cluster.create("ComputeAction", "again", { action: "Reboot", instanceRef: { name: "vm" } });
  await world.advance(60 * minute);
  expect(stateOf(world, "ComputeInstance", "vm"), messageOf(world, "ComputeInstance", "vm")).toBe("OperationUncertain");
  expect(stateOf(world, "ComputeAction", "again"), messageOf(world, "ComputeAction", "again")).toBe("Ready");
});

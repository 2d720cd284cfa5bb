/** An operation means the objects that its references first found, not later objects with the same names. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, madeMs, messageOf, specs, stateOf } from "../support.ts";

const minute = 60_000;

function reboots(world: World): string[] {
  return changes(world).filter((request) => request.endsWith("/reboot"));
}

describe("an action that waits while its instance is deleted and created again", () => {
  /** An action that waits, because the cloud refuses the instance. */
  async function waiting(): Promise<World> {
    const world = createWorld();
    world.cloud.fault({ kind: "refused", method: "POST", path: /instances$/, reason: "region is full", times: 1_000 });
    world.cluster.create("ComputeInstance", "vm", specs.ComputeInstance);
    world.cluster.create("ComputeAction", "again", { instanceRef: { name: "vm" }, action: "Reboot" });
    await world.advance(minute);
    expect(stateOf(world, "ComputeAction", "again")).toBe("WaitingForReference");
    return world;
  }

  async function replaceInstance(world: World): Promise<void> {
    world.cluster.delete("ComputeInstance", "vm");
    await world.advance(minute);
    world.cloud.clearFaults();
    world.cluster.create("ComputeInstance", "vm", specs.ComputeInstance);
    await world.advance(madeMs);
    expect(world.cluster.get("ComputeInstance", "vm")).toBeReady();
  }

  it("does not run on the new instance, and names the way", async () => {
    const world = await waiting();
    await replaceInstance(world);
    expect(reboots(world)).toEqual([]);
    expect(stateOf(world, "ComputeAction", "again")).toBe("Expired");
    expect(messageOf(world, "ComputeAction", "again")).toContain("create this object again");
    world.cluster.delete("ComputeAction", "again");
    await world.advance(minute);
    world.cluster.create("ComputeAction", "again", { instanceRef: { name: "vm" }, action: "Reboot" });
    await world.advance(madeMs);
    expect(stateOf(world, "ComputeAction", "again"), messageOf(world, "ComputeAction", "again")).toBe("Ready");
    expect(reboots(world)).toHaveLength(1);
  });

  it("does not run on the new instance after a restart of the operator either", async () => {
    const world = await waiting();
    world.restart();
    await replaceInstance(world);
    expect(reboots(world)).toEqual([]);
    expect(stateOf(world, "ComputeAction", "again")).toBe("Expired");
  });

  it("runs on the first instance when the cloud creates the instance", async () => {
    const world = await waiting();
    world.cloud.clearFaults();
    await world.advance(madeMs);
    expect(stateOf(world, "ComputeAction", "again"), messageOf(world, "ComputeAction", "again")).toBe("Ready");
    expect(reboots(world)).toHaveLength(1);
  });
});

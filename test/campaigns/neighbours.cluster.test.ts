import { expect, onTestFinished, test } from "vitest";
import { conditionOf, startWorld } from "../support/world.ts";
import type { World, WorldOptions } from "../support/world.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { createAll, isReady, sshKeys, untilAll, untilTrue } from "./support/fleet.ts";
import { addOtherTenant, addPoison, addSlowChanges, keyOfOther } from "./support/neighbours.ts";

// How much slower good objects get beside failing ones is a benchmark; here stands what must hold at any speed.

async function arrange(options: WorldOptions = {}): Promise<World> {
  const world = await startWorld(sharedControlPlane(), options);
  onTestFinished(() => world.stop());
  return world;
}

test("objects that always fail are tried ever more seldom while two hundred good ones are made", async () => {
  const world = await arrange();
  const { control } = world.simulator;
  await addPoison(world);
  const good = sshKeys(world, 200, "good");
  const began = performance.now();
  await createAll(world, good);
  const isGood = (object: object): boolean => !JSON.stringify(object).includes("broken-0");
  await untilAll(world, "SSHKey", 201, (object) => !isGood(object) || isReady(object), 60_000);
  const elapsedMs = performance.now() - began;
  const tries = control.ledger({ method: "PUT" }).length;
  // Twice as long each time, from half a second on.
  expect(tries).toBeLessThanOrEqual(4 * (2 + Math.log2(1 + elapsedMs / 500)));
  expect(control.ledger({ method: "POST", path: "/v4/compute/instances" })).toHaveLength(1);
  expect(control.ledger({ method: "POST", path: "/v4/profile/sshkeys", applied: true })).toHaveLength(201);
  expect(
    conditionOf(await world.condition("ComputeInstance", "refused-0", "Stalled", "Refused"), "Ready")?.status,
  ).toBe("False");
});

test("while sixty changes of a tenant hang in the cloud, another tenant's first object is made", async () => {
  const world = await arrange();
  await addOtherTenant(world);
  await addSlowChanges(world, 60);
  const changes = () => world.simulator.control.ledger({ method: "PUT" });
  await untilTrue("changes hang", () => changes().length > 0, 20_000);
  await createAll(world, [keyOfOther(world, "first")]);
  await world.ready("SSHKey", "first");
  // Those that it could wait for are not answered yet.
  expect(changes().filter(({ repliedAt }) => repliedAt !== null)).toEqual([]);
});

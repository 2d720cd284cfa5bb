/** A POST that is answered 503 may have been done: the object says what was answered, and people decide. */
import { expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { idsIn, messageOf, obey, specs, stateOf } from "../support.ts";

const answered = "got status 503: Down for maintenance";

async function refusedByMaintenance(): Promise<World> {
  const world = createWorld();
  await world.settle();
  world.cloud.fault({ kind: "maintenance", method: "POST", path: /instances$/, ms: 30_000 });
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  return world;
}

it("a creation that a maintenance answers names the answer, while it is searched for and when people decide", async () => {
  const world = await refusedByMaintenance();
  await world.advance(60_000);
  expect(messageOf(world, "ComputeInstance", "web")).toContain(answered);
  await world.advance(700_000);
  expect(stateOf(world, "ComputeInstance", "web")).toBe("CreateUncertain");
  expect(messageOf(world, "ComputeInstance", "web")).toContain(answered);
  obey(world, "ComputeInstance", "web");
  await world.advance(120_000);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  expect(idsIn(world, "ComputeInstance")).toHaveLength(1);
});

it("a process that did not hear the answer says nothing of it", async () => {
  const world = await refusedByMaintenance();
  await world.advance(60_000);
  world.restart();
  await world.advance(700_000);
  expect(messageOf(world, "ComputeInstance", "web")).toMatch(/^The create request got no response, and/);
});

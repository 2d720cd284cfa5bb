import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld(sharedControlPlane(), {
    simulator: { brandWord: "acme" },
    operator: { brandWord: "acme" },
  });
});
afterAll(() => world.stop());

const spec = { region: "us-east", type: "g6-nanode-1", allowDisruption: ["Rebuild"] };
const rebuilds = () => world.simulator.control.ledger().filter(({ path }) => path.endsWith("/rebuild"));

test("an image in the cloud's own word is the one that the documents name: no drift, and no rebuild", async () => {
  await world.apply(world.object("ComputeInstance", "web", { ...spec, image: "acme/debian12" }));
  const made = await world.ready("ComputeInstance", "web");
  expect(conditionOf(made, "Drifted")).toBeUndefined();
  expect(made.status?.["image"]).toBe("compute/debian12");
  for (const image of ["compute/debian12", "acme/debian12"]) {
    await world.patch("ComputeInstance", "web", { spec: { image } });
    const settled = await world.ready("ComputeInstance", "web");
    expect(conditionOf(settled, "Drifted")).toBeUndefined();
  }
  expect(rebuilds()).toEqual([]);
  await world.patch("ComputeInstance", "web", { spec: { image: "acme/ubuntu22.04" } });
  await world.ready("ComputeInstance", "web", 60_000);
  expect(rebuilds()).toHaveLength(1);
});

test("a filter in the cloud's own word finds what it means", async () => {
  const management = { policy: "Observe", adopt: { filter: { image: "acme/ubuntu22.04" } } };
  await world.apply(world.object("ComputeInstance", "seen", { ...spec, image: "compute/ubuntu22.04", management }));
  const seen = await world.ready("ComputeInstance", "seen");
  expect(seen.status?.["id"]).toBe((await world.get("ComputeInstance", "web"))?.status?.["id"]);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf, startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld(sharedControlPlane());
});
afterAll(() => world.stop());

const machine = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };

test.each([
  {
    kind: "ComputeInstance",
    spec: { ...machine, region: "us-est" },
    says: 'spec.region: "us-est" is not a region. The cloud API refuses POST /compute/instances. For spec.region, use one of: us-east,',
  },
  {
    kind: "ComputeInstance",
    spec: { ...machine, type: "g6-standard-11" },
    says: 'spec.type: "g6-standard-11" is not an instance type',
  },
  {
    kind: "ComputeInstance",
    spec: { ...machine, image: "compute/debian21" },
    says: "For spec.image, use one of: compute/debian1",
  },
  {
    kind: "ManagedMySQL",
    spec: { engine: "mysql/8.0.99", region: "us-east", type: "g6-standard-1" },
    says: "For spec.engine, use one of: mysql/8.0.",
  },
  { kind: "Bucket", spec: { cluster: "us-est-1" }, says: "For spec.cluster, use one of: us-east-1" },
])("$kind: $says", async ({ kind, spec, says }) => {
  await world.apply(world.object(kind, "refused", spec));
  const object = await world.condition(kind, "refused", "Stalled", "Refused");
  expect(conditionOf(object, "Ready")?.message).toContain(says);
  await world.remove(kind, "refused");
  await world.gone(kind, "refused");
});

test("the list of a catalog is asked for once, and not for objects that are fine", () => {
  const lists = world.simulator.control
    .ledger()
    .filter(({ method, path }) => method === "GET" && /\/regions\b/.test(path));
  expect(lists).toHaveLength(1);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf, startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { refusedValues } from "./refused-values.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld(sharedControlPlane());
});
afterAll(() => world.stop());

test.each(refusedValues)("$kind: $says", async ({ kind, spec, says, before }) => {
  await before?.(world);
  await world.apply(world.object(kind, "refused", spec));
  const object = await world.condition(kind, "refused", "Stalled", "Refused");
  expect(conditionOf(object, "Ready")?.message).toContain(says);
  await world.remove(kind, "refused");
  await world.gone(kind, "refused");
});

test("the list of a catalog is asked for once, and not for objects that are fine", () => {
  const lists = world.simulator.control
    .ledger()
    .filter(({ method, path }) => method === "GET" && path.endsWith("/regions"));
  expect(lists).toHaveLength(1);
});

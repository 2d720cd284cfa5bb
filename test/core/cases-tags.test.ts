/** What another object's spec says concerns those who refer to it: a Tag follows at once, and not with the slow pass. */
import { expect, it } from "vitest";
import { createWorld } from "../world/world.ts";
import { madeMs, messageOf, specs, stateOf } from "./situations.ts";

it.each([
  { kind: "ComputeInstance", field: "instanceRefs" },
  { kind: "Domain", field: "domainRefs" },
] as const)("a Tag says soon that a $kind of its list sets its own tags, and goes on once it does not", async (row) => {
  const { kind, field } = row;
  const world = createWorld();
  world.cluster.create(kind, "web", specs[kind]);
  await world.advance(madeMs);
  world.cluster.create("Tag", "shop", { [field]: [{ name: "web" }] });
  await world.advance(madeMs);
  expect(stateOf(world, "Tag", "shop")).toBe("Ready");
  world.cluster.patch(kind, "web", { spec: { tags: ["prod"] } });
  await world.advance(5_000);
  expect(stateOf(world, "Tag", "shop")).toBe("InvalidSpec");
  expect(messageOf(world, "Tag", "shop")).toMatch(
    new RegExp(`^spec\\.${field}\\[0\\]: web sets its own tags in spec\\.tags\\. Nothing is tagged\\.`),
  );
  world.cluster.patch(kind, "web", { spec: { tags: null } });
  await world.advance(5_000);
  expect(stateOf(world, "Tag", "shop")).not.toBe("InvalidSpec");
});

import { expect, it } from "vitest";
import { kind, living, rightIn } from "./keys.ts";
import { applied, begin, calm, messageOf, minutes } from "./scenes.ts";

it("a service that breaks off every response has fewer and fewer keys created, and the condition shows its words", async () => {
  const world = await begin(calm);
  world.cloud.fault({ kind: "html502After", method: "POST", times: 1_000, brokenMs: 5_000 });
  world.cluster.create(kind, "web");
  await world.advance(minutes(60));
  expect(applied(world, "POST").length).toBeLessThan(10);
  expect(living(world)).toHaveLength(1);
  expect(messageOf(world, kind, "web")).toContain("502");
  world.cloud.clearFaults();
  await world.advance(minutes(120));
  expect(rightIn(world)).toEqual([]);
});

import { expect, it } from "vitest";
import { decide, kind, living, rightIn } from "./keys.ts";
import { applied, begin, calm, messageOf, minutes, stateOf } from "../support.ts";

it("a service that breaks off every response gets one request for a key, and the condition shows its words", async () => {
  const world = await begin(calm);
  world.cloud.fault({ kind: "html502After", method: "POST", times: 1_000, brokenMs: 5_000 });
  world.cluster.create(kind, "web");
  await world.advance(minutes(60));
  expect(applied(world, "POST")).toHaveLength(1);
  expect(living(world)).toHaveLength(1);
  expect(stateOf(world, kind, "web")).toBe("CreateUncertain");
  expect(messageOf(world, kind, "web")).toContain("502");
  world.cloud.clearFaults();
  await decide(world);
  expect(rightIn(world)).toEqual([]);
});

/** A key that shows what an attempt asked for may be somebody else's: then it is not deleted, whatever became of the attempt. */
import { describe, expect, it } from "vitest";
import { dataOf, decide, keys, kind, living, rightIn } from "./keys.ts";
import { applied, begin, calm, messageOf, minutes, obey, stateOf } from "../support.ts";
import type { World } from "../../world/world.ts";

/** The operator goes before its request is carried out; hours later somebody creates a key with the same label. */
async function createdByAnother(awayMs = minutes(300)): Promise<World> {
  const world = await begin(calm);
  world.cloud.fault({ kind: "lostBefore", method: "POST" });
  world.cluster.create(kind, "web");
  await world.advance(200);
  expect(applied(world, "POST")).toEqual([]);
  world.crash();
  await world.advance(awayMs);
  world.cloud.asOperator("POST", keys, { label: "web" });
  await world.advance(minutes(1));
  return world;
}

describe("a key that somebody created under the same label hours after a lost attempt", () => {
  it("stays until the user says whose key it is", async () => {
    const world = await createdByAnother();
    world.restart();
    await world.advance(minutes(5));
    expect(living(world)).toHaveLength(1);
    expect(stateOf(world, kind, "web")).toBe("CreateUncertain");
    world.cluster.patch(kind, "web", { spec: { label: "own" } });
    obey(world, kind, "web");
    await world.advance(minutes(5));
    expect(world.cluster.get(kind, "web")).toBeReady();
    expect(living(world).map(({ fields }) => fields["label"])).toEqual(["web", "own"]);
  });

  it("is replaced where people delete it, because it was the object's", async () => {
    const world = await createdByAnother();
    world.restart();
    await world.advance(minutes(5));
    expect(messageOf(world, kind, "web")).toContain("delete it in the cloud");
    world.cloud.remove(keys, living(world)[0]!.id);
    await world.advance(minutes(5));
    expect(rightIn(world)).toEqual([]);
  });
});

it("a key of an unknown creator is replaced after a person deleted it, also hours later", async () => {
  const world = await begin(calm);
  world.cloud.fault({ kind: "lostAfter", method: "POST" });
  world.cluster.create(kind, "web");
  await world.advance(200);
  world.crash();
  await world.advance(minutes(300));
  world.restart();
  await world.advance(minutes(5));
  expect(stateOf(world, kind, "web")).toBe("CreateUncertain");
  expect(applied(world, "DELETE")).toEqual([]);
  await decide(world);
  expect(rightIn(world)).toEqual([]);
});

it.each([20, 2_000])(
  "two operators do not delete what the other is about to store the secret of: %i ms for each answer",
  async (answerMs) => {
    const world = await begin({ timing: { pollMs: 1_000, feedMs: 1_000 } });
    world.secondOperator();
    await world.advance(minutes(1));
    world.cluster.latency.ms = answerMs;
    world.cloud.settings.latencyMs = answerMs / 10;
    world.cluster.create(kind, "web");
    await world.advance(minutes(5));
    expect(applied(world, "POST")).toHaveLength(1);
    expect(rightIn(world)).toEqual([]);
    expect(dataOf(world)).toBeDefined();
  },
);

/** Two objects whose names differ only in case create at the same time. The normal form of both names is the same. */
import { describe, expect, it } from "vitest";
import { conditionOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { applied, begin, create, left, minutes, stateOf } from "../support.ts";

const kinds = ["SSHKey", "ComputeInstance"] as const;

describe.each(kinds)("two objects of kind %s whose labels differ only in case", (kind) => {
  async function created(lost: number, lowerCase = false): Promise<World> {
    const world = await begin();
    const { cloud } = world;
    if (lowerCase)
      cloud.settings.normalise = ({ body }) =>
        typeof body["label"] === "string" ? { ...body, label: body["label"].toLowerCase() } : body;
    if (lost > 0) cloud.fault({ kind: "lostAfter", method: "POST", times: lost });
    create(world, kind, "upper", { label: "Web" });
    create(world, kind, "mixed", { label: "wEb" });
    await world.advance(minutes(30));
    return world;
  }

  it.each([0, 1, 2])("find each their own row with %i lost responses", async (lost) => {
    const world = await created(lost);
    expect(["upper", "mixed"].map((name) => stateOf(world, kind, name))).toEqual(["Ready", "Ready"]);
    expect(applied(world, "POST")).toHaveLength(2);
  });

  it.each([0, 1, 2])("send one request each if the cloud stores lower case, with %i lost responses", async (lost) => {
    const world = await created(lost, true);
    expect(applied(world, "POST").length).toBeLessThanOrEqual(2);
  });

  it.each([0, 2])("leave no row after their deletion, with %i lost responses", async (lost) => {
    const world = await created(lost);
    for (const name of ["upper", "mixed"]) world.cluster.delete(kind, name);
    await world.advance(minutes(30));
    expect(left(world)).toEqual([]);
  });
});

it("an object creates while another object with an alike name is uncertain", async () => {
  const world = await begin();
  world.cloud.fault({ kind: "lostBefore", method: "POST" });
  create(world, "ComputeInstance", "upper", { label: "Web" });
  await world.advance(minutes(30));
  expect(stateOf(world, "ComputeInstance", "upper")).toBe("CreateUncertain");
  world.cloud.fault({ kind: "lostAfter", method: "POST" });
  create(world, "ComputeInstance", "lower", { label: "web" });
  await world.advance(minutes(30));
  expect(world.cluster.get("ComputeInstance", "lower")).toBeReady();
});

it("an object waits for the name of an object in deletion, and is not Stalled", async () => {
  const world = await begin();
  create(world, "Firewall", "old", { label: "wall" });
  await world.advance(minutes(1));
  world.cloud.fault({ kind: "unreachable", method: "DELETE", times: 20 });
  world.cluster.delete("Firewall", "old");
  await world.advance(100);
  create(world, "Firewall", "new", { label: "wall" });
  await world.advance(3_000);
  expect(stateOf(world, "Firewall", "new")).toBe("WaitingForChange");
  expect(conditionOf(world.cluster.get("Firewall", "new"), "Stalled")).toBeUndefined();
  world.cloud.clearFaults();
  await world.advance(minutes(3));
  expect(world.cluster.get("Firewall", "new")).toBeReady();
});

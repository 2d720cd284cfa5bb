/** The key that a rotation replaces is deleted in the end, and only where it is still that key and nobody else's. */
import { describe, expect, it } from "vitest";
import type { World } from "../../world/world.ts";
import { keys, kind, living, rightIn, rotate, secretName, withKey } from "./keys.ts";
import { applied, idOf, minutes, stateOf } from "../support.ts";

describe("a former key whose deletion is held up", () => {
  async function heldUp(management?: object): Promise<{ world: World; former: string }> {
    const world = await withKey({}, management);
    const former = idOf(world, kind, "web");
    world.cloud.fault({ kind: "unreachable", method: "DELETE", times: 1_000 });
    rotate(world, 1);
    await world.advance(10_000);
    expect(living(world)).toHaveLength(2);
    return { world, former };
  }

  async function goesOn(world: World): Promise<void> {
    world.cloud.clearFaults();
    await world.advance(minutes(6));
    expect(rightIn(world)).toEqual([]);
  }

  it("is not deleted once its id means another key", async () => {
    const { world, former } = await heldUp();
    world.cloud.replace(keys, former, { label: "web" });
    await goesOn(world);
    expect(living(world).map(({ id }) => id)).toContain(former);
  });

  it("is left to the object that adopted it meanwhile", async () => {
    const { world, former } = await heldUp();
    world.cluster.create(kind, "other", {}, { management: { adopt: { id: former } } });
    await world.advance(minutes(1));
    expect(idOf(world, kind, "other")).toBe(former);
    world.cloud.clearFaults();
    await world.advance(minutes(6));
    expect(applied(world, "DELETE")).toEqual([]);
    expect(["web", "other"].map((name) => stateOf(world, kind, name))).toEqual(["Ready", "Ready"]);
    expect(living(world)).toHaveLength(2);
  });

  it("is deleted after the key that replaced it was lost and replaced", async () => {
    const { world } = await heldUp();
    world.cluster.delete("Secret", secretName);
    await world.advance(10_000);
    await goesOn(world);
    expect(living(world)).toHaveLength(1);
  });

  it("stays while the key that replaced it is only reported as lost, and both go with the next rotation", async () => {
    const { world } = await heldUp({ missingPolicy: "Report" });
    world.cluster.delete("Secret", secretName);
    await world.advance(10_000);
    world.cloud.clearFaults();
    await world.advance(minutes(6));
    expect(stateOf(world, kind, "web")).toBe("SecretUnknown");
    expect(living(world)).toHaveLength(2);
    rotate(world, 2);
    await goesOn(world);
    expect(living(world)).toHaveLength(1);
  });
});

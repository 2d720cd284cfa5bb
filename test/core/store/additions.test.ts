/** Addresses that the operator added for references, and that the spec does not ask for any more. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { idOf, paths, specs, stateOf } from "../support.ts";

const soonMs = 60_000;
const web = { kind: "ComputeInstance", name: "web", address: "Public" };

/** Returns the first IPv4 address of the instance `web` as the cloud shows it. */
function addressOf(world: World): string {
  const row = world.cloud.find(paths.ComputeInstance, idOf(world, "ComputeInstance", "web"));
  return ((row?.fields["ipv4"] ?? []) as string[])[0] ?? "";
}

async function withInstance(): Promise<World> {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(soonMs);
  return world;
}

describe("a ManagedMySQL whose instance is gone", () => {
  const listOf = (world: World) => world.cloud.rows(paths.ManagedMySQL)[0]?.["allow_list"];

  async function without(spec: object): Promise<World> {
    const world = await withInstance();
    world.cluster.create("ManagedMySQL", "one", { ...specs.ManagedMySQL, ...spec });
    await world.advance(1_300_000);
    expect(listOf(world)).toContain(`${addressOf(world)}/32`);
    world.cluster.delete("ComputeInstance", "web");
    await world.advance(soonMs);
    expect(stateOf(world, "ManagedMySQL", "one")).toBe("WaitingForReference");
    return world;
  }

  it.each([
    { because: "with an empty list of references", before: { allowRefs: [web] }, after: { allowRefs: [] }, left: [] },
    {
      because: "with the list alone",
      before: { allowList: ["192.0.2.7"], allowRefs: [web] },
      after: { allowRefs: null },
      left: ["192.0.2.7/32"],
    },
  ])("does not keep the address $because", async ({ before, after, left }) => {
    const world = await without(before);
    world.cluster.patch("ManagedMySQL", "one", { spec: after });
    await world.advance(soonMs);
    expect(listOf(world)).toEqual(left);
    expect(world.cluster.get("ManagedMySQL", "one")).toBeReady();
  });

  it("keeps the address without both lists, and removes the address with an empty list of references", async () => {
    const world = await without({ allowRefs: [web] });
    const address = listOf(world);
    world.cluster.patch("ManagedMySQL", "one", { spec: { allowRefs: null } });
    await world.advance(1_300_000);
    expect(world.cluster.get("ManagedMySQL", "one")).toBeReady();
    expect(listOf(world)).toEqual(address);
    world.cluster.patch("ManagedMySQL", "one", { spec: { allowRefs: [] } });
    await world.advance(soonMs);
    expect(listOf(world)).toEqual([]);
  });

  it("keeps the entries of another user while the spec has only references", async () => {
    const world = await without({ allowRefs: [web] });
    const [own = ""] = listOf(world) as string[];
    const other = "203.0.113.9/32";
    world.cloud.change(paths.ManagedMySQL, idOf(world, "ManagedMySQL", "one"), { allow_list: [other, own] });
    world.cluster.patch("ManagedMySQL", "one", { spec: { allowRefs: [] } });
    await world.advance(soonMs);
    expect(listOf(world)).toEqual([other]);
  });
});

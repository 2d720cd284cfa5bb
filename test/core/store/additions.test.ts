/** Addresses that the operator added for references, and that the spec does not ask for any more. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { idOf, paths, specs, stateOf } from "../situations.ts";

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
    { because: "without its only references", before: { allowRefs: [web] }, after: { allowRefs: null }, left: [] },
    { because: "with an empty list of references", before: { allowRefs: [web] }, after: { allowRefs: [] }, left: [] },
    {
      because: "without both lists, keeps what the references did not add",
      before: { allowList: ["192.0.2.7"], allowRefs: [web] },
      after: { allowList: null, allowRefs: null },
      left: ["192.0.2.7/32"],
    },
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
    expect(stateOf(world, "ManagedMySQL", "one")).toBe("Ready");
  });

  it("does not change a list that another user sets after the operator removed the address", async () => {
    const world = await without({ allowRefs: [web] });
    world.cluster.patch("ManagedMySQL", "one", { spec: { allowRefs: null } });
    await world.advance(soonMs);
    world.cloud.change(paths.ManagedMySQL, idOf(world, "ManagedMySQL", "one"), { allow_list: ["198.51.100.1/32"] });
    await world.advance(1_300_000);
    expect(listOf(world)).toEqual(["198.51.100.1/32"]);
  });

  it("does not keep an address that a later update added", async () => {
    const world = await withInstance();
    world.cluster.create("ManagedMySQL", "one", specs.ManagedMySQL);
    await world.advance(1_300_000);
    world.cluster.patch("ManagedMySQL", "one", { spec: { allowList: null, allowRefs: [web] } });
    await world.advance(soonMs);
    expect(listOf(world)).toEqual([`${addressOf(world)}/32`]);
    world.cluster.patch("ManagedMySQL", "one", { spec: { allowRefs: null } });
    await world.advance(soonMs);
    expect(listOf(world)).toEqual([]);
  });
});

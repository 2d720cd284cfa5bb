/** What was made for an object that is gone, where the cloud does not delete it: asked for less and less often, and told of. */
import { describe, expect, it } from "vitest";
import type { Fault } from "../../world/faults.ts";
import type { World } from "../../world/world.ts";
import { begin, create, left, messageOf, minutes, shapeNames, shapes, stateOf, untilSent } from "../support.ts";
import type { Shape } from "../support.ts";

/** Its DELETE, which the API server began before it was created, ends while the cloud creates for it. */
async function strayOf(kind: Shape, fault: Partial<Fault> & Pick<Fault, "kind">): Promise<World> {
  const world = await begin();
  world.cluster.latency.ms = 10;
  create(world, kind, "web");
  const end = world.cluster.beginDelete(kind, "web");
  await untilSent(world, "POST");
  world.cloud.fault({ method: "DELETE", times: 1_000_000, ...fault });
  end();
  return world;
}

function sentSince(world: World, since: number, method: string): number {
  return world.cloud
    .ledger()
    .slice(since)
    .filter((entry) => entry.method === method).length;
}

describe.each(shapeNames)("a %s that the cloud does not delete", (kind) => {
  it.each([
    ["whose DELETE is answered and not carried out", "empty", 7],
    ["that stays busy", "busy", 245],
  ] as const)("%s", async (_, fault, deletes) => {
    const world = await strayOf(kind, { kind: fault });
    await world.advance(minutes(10));
    expect(left(world)).toHaveLength(1);
    const since = world.cloud.ledger().length;
    await world.advance(minutes(60));
    expect(sentSince(world, since, "DELETE")).toBeLessThanOrEqual(deletes);
    const item = world.cloud
      .ledger()
      .slice(since)
      .filter((entry) => entry.path.startsWith(`${shapes[kind].path}/`));
    expect(item.filter(({ method }) => method === "GET").length).toBeLessThanOrEqual(2 * 250);
    world.cloud.clearFaults();
    await world.advance(minutes(11));
    expect(left(world)).toEqual([]);
  });

  it("is named by the object that has its name by now", async () => {
    const world = await strayOf(kind, { kind: "busy" });
    await world.advance(1_000);
    create(world, kind, "web");
    await world.advance(minutes(2));
    expect(messageOf(world, kind, "web")).toContain("an earlier object with this name");
    expect(stateOf(world, kind, "web")).toBe("Deleting");
    const writes = world.cluster.writes().length;
    await world.advance(minutes(30));
    expect(world.cluster.writes().slice(writes)).toEqual([]);
    world.cloud.clearFaults();
    await world.advance(minutes(5));
    expect(world.cluster.get(kind, "web")).toBeReady();
    expect(left(world)).toHaveLength(1);
  });
});

it("one that the token does not see any more says what the object that has its name waits for, and how to go on", async () => {
  const world = await strayOf("Firewall", { kind: "busy" });
  await world.advance(5_000);
  create(world, "Firewall", "web");
  world.cluster.create("Firewall", "paused", { ...shapes.Firewall.spec }, { management: { policy: "Paused" } });
  const [row] = left(world);
  world.cloud.withdraw("ada", [row!.serial]);
  world.cloud.clearFaults();
  await world.advance(minutes(15));
  expect(messageOf(world, "Firewall", "web")).toContain("NotVisible");
  expect(messageOf(world, "Firewall", "web")).toContain("Give the user of the token the grants for it");
  world.cloud.user("ada").hidden.clear();
  await world.advance(minutes(15));
  expect(world.cluster.get("Firewall", "web")).toBeReady();
  expect(left(world)).toHaveLength(1);
});

it("one whose DELETE was answered and not carried out, and which cannot be read, is left behind with an event", async () => {
  const world = await strayOf("Firewall", { kind: "empty" });
  await world.advance(minutes(1));
  world.cloud.settings.inLists = (fields) => ({ ...fields, status: 7 });
  world.cloud.fault({ kind: "notFound", method: "GET", path: /firewalls\/\d+$/, times: 1_000_000 });
  await world.advance(minutes(30));
  const told = world.cluster.events().filter(({ reason }) => reason === "LeftBehind");
  expect(told.map(({ note }) => note)).toEqual([expect.stringContaining(left(world)[0]!.id)]);
});

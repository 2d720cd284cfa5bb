/** An instance moves from one Firewall to another, on a real API server and against the simulator. */
import { expect, it, onTestFinished } from "vitest";
import type { KubeObject } from "../../../src/cluster/types.ts";
import { conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";
import { sharedControlPlane } from "../../support/control-plane.ts";

const rules = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" };
const web = [{ name: "web" }];

async function arrange(): Promise<World> {
  const world = await startWorld(sharedControlPlane());
  onTestFinished(() => world.stop());
  const instance = { region: "us-east", type: "g6-nanode-1" };
  await world.apply(world.object("ComputeInstance", "web", instance));
  await world.ready("ComputeInstance", "web");
  await world.apply(firewall(world, "old", web));
  await world.ready("Firewall", "old");
  return world;
}

const firewall = (world: World, name: string, instanceRefs: object[]): object =>
  world.object("Firewall", name, { ...rules, instanceRefs });

/** Longest time without a firewall, milliseconds: from the response to a detach until the response to the next attach. */
function openMs({ simulator: { control } }: World): number {
  const applied = control.ledger({ applied: true });
  const isAttach = ({ method, path }: { method: string; path: string }) =>
    method === "POST" && /\/firewalls\/\d+\/devices$/.test(path);
  const isDetach = ({ method, path }: { method: string; path: string }) =>
    method === "DELETE" && /\/firewalls\/\d+(\/devices\/\d+)?$/.test(path);
  const detach = applied.find(isDetach);
  const attach = applied.findLast(isAttach);
  return Number(attach?.repliedAt) - Number(detach?.repliedAt);
}

function hasDevices({ status }: KubeObject, count: number): boolean {
  return (status?.["devices"] as object[] | undefined)?.length === count;
}

it.each([["old", "new"] as const, ["new", "old"] as const])(
  "the instance is protected again within a second, if %s is applied before %s",
  async (...order) => {
    const world = await arrange();
    await world.apply(firewall(world, "new", []));
    await world.ready("Firewall", "new");
    await world.apply(...order.map((name) => firewall(world, name, name === "new" ? web : [])));
    const moved = await world.until("Firewall", "new", (object) => hasDevices(object, 1), 20_000);
    expect(conditionOf(moved, "Stalled")?.status ?? "False").toBe("False");
    await world.until("Firewall", "old", (object) => hasDevices(object, 0), 20_000);
    expect(openMs(world)).toBeGreaterThanOrEqual(0);
    expect(openMs(world)).toBeLessThanOrEqual(1_000);
  },
);

it("the instance is protected again within a second after a rename of the Firewall", async () => {
  const world = await arrange();
  await world.apply(firewall(world, "new", web));
  await world.remove("Firewall", "old");
  await world.until("Firewall", "new", (object) => hasDevices(object, 1), 20_000);
  await world.gone("Firewall", "old");
  await world.ready("Firewall", "new");
  expect(openMs(world)).toBeGreaterThanOrEqual(0);
  expect(openMs(world)).toBeLessThanOrEqual(1_000);
});

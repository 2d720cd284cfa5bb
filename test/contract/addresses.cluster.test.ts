/** Addresses: further ones of an instance (IPAddress), and where those that exist belong (IPAssignment). */
import { statusOf } from "../../src/core/kind/object.ts";
import { expect, test } from "vitest";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf, startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";

const vm = { region: "us-east", type: "g6-standard-1" };

async function withInstances(...names: string[]): Promise<World> {
  const world = await startWorld(sharedControlPlane());
  await world.apply(...names.map((name) => world.object("ComputeInstance", name, vm)));
  for (const name of names) await world.ready("ComputeInstance", name);
  return world;
}

async function idOf(world: World, kind: string, name: string): Promise<string> {
  return statusOf(await world.ready(kind, name)).id ?? "";
}

async function firstOf(world: World, name: string): Promise<string> {
  const { status } = await world.ready("ComputeInstance", name);
  return (status as { ipv4: string[] }).ipv4[0] ?? "";
}

function ownerOf({ simulator }: World, address: string): string {
  return String(simulator.control.rows("address").find((row) => row["address"] === address)?.["instance"]);
}

const address = (name: string) => ({ instanceRef: { name }, public: true });

test("two addresses for one instance are made one after the other, also where the first answer is lost", async () => {
  const world = await withInstances("web");
  const first = await firstOf(world, "web");
  world.simulator.control.faults.add({ kind: "reset-after", method: "POST", path: "/networking/ips", times: 1 });
  await world.apply(...["one", "two"].map((name) => world.object("IPAddress", name, address("web"))));
  const ids = [await idOf(world, "IPAddress", "one"), await idOf(world, "IPAddress", "two")];
  expect(new Set([first, ...ids]).size).toBe(3);
  expect(world.simulator.control.ledger({ method: "POST", path: "/v4/networking/ips" })).toHaveLength(2);
  await world.stop();
});

test("the last public address of an instance stays until the instance has another one", async () => {
  const world = await withInstances("web");
  const first = await firstOf(world, "web");
  const management = { adopt: { id: first } };
  await world.apply(world.object("IPAddress", "first", { ...address("web"), management }));
  await world.ready("IPAddress", "first");
  await world.remove("IPAddress", "first");
  const kept = await world.until("IPAddress", "first", (one) =>
    /last public/.test(conditionOf(one, "Ready")?.message ?? ""),
  );
  expect(conditionOf(kept, "Ready")?.message).toContain(first);
  expect(world.simulator.control.ledger({ method: "DELETE" })).toEqual([]);
  await world.apply(world.object("IPAddress", "second", address("web")));
  await world.ready("IPAddress", "second");
  await world.patch("IPAddress", "first", { metadata: { annotations: { "example.org/edit": "1" } } });
  await world.gone("IPAddress", "first");
  await world.stop();
});

test("two instances exchange their addresses in one request, and what somebody moves away comes back", async () => {
  const world = await withInstances("web", "spare");
  const [web, spare] = [await idOf(world, "ComputeInstance", "web"), await idOf(world, "ComputeInstance", "spare")];
  const [ofWeb, ofSpare] = [await firstOf(world, "web"), await firstOf(world, "spare")];
  const spec = { address: ofWeb, instanceRef: { name: "spare" }, exchangeFor: ofSpare };
  await world.apply(world.object("IPAssignment", "floating", spec));
  const { status } = await world.ready("IPAssignment", "floating");
  expect(status).toMatchObject({ id: ofWeb, instanceID: spare, region: "us-east", public: true });
  expect([ownerOf(world, ofWeb), ownerOf(world, ofSpare)]).toEqual([spare, web]);
  const sent = world.simulator.control.ledger({ method: "POST", path: "/v4/networking/*/assign" });
  const assignments = [
    { address: ofWeb, compute_id: Number(spare) },
    { address: ofSpare, compute_id: Number(web) },
  ];
  expect(sent.map((one) => [one.path, JSON.parse(one.body) as unknown])).toEqual([
    ["/v4/networking/ipv4/assign", { region: "us-east", assignments }],
  ]);
  await world.remove("IPAssignment", "floating");
  await world.gone("IPAssignment", "floating");
  expect(ownerOf(world, ofWeb)).toBe(spare);
  await world.stop();
});

test("an address that another object manages is not taken in exchange, so that two do not take from each other without end", async () => {
  const world = await withInstances("web", "spare");
  const [ofWeb, ofSpare] = [await firstOf(world, "web"), await firstOf(world, "spare")];
  const instanceRef = { name: "spare" };
  const assign = (name: string, own: string, exchangeFor: string) =>
    world.apply(world.object("IPAssignment", name, { address: own, instanceRef, exchangeFor }));
  await assign("one", ofWeb, ofSpare);
  await world.ready("IPAssignment", "one");
  await assign("two", ofSpare, ofWeb);
  const refused = await world.condition("IPAssignment", "two", "Stalled", "Conflict");
  expect(conditionOf(refused, "Ready")?.message).toContain(`manages IP address ${ofWeb}`);
  await world.remove("IPAssignment", "two");
  await world.gone("IPAssignment", "two");
  await world.apply(world.object("IPAddress", "second", address("spare")));
  await assign("three", ofSpare, await idOf(world, "IPAddress", "second"));
  const third = await world.condition("IPAssignment", "three", "Stalled", "Conflict");
  expect(conditionOf(third, "Ready")?.message).toContain("manages IP address");
  expect(world.simulator.control.ledger({ method: "POST", path: "/v4/networking/*/assign" })).toHaveLength(1);
  await world.stop();
});

test("an address that an IPAddress manages has its reverse name from a ReverseDNS, and no IPAssignment moves it", async () => {
  const world = await withInstances("web", "spare");
  await world.apply(world.object("IPAddress", "second", address("web")));
  const id = await idOf(world, "IPAddress", "second");
  await world.apply(world.object("IPAssignment", "rival", { address: id, instanceRef: { name: "spare" } }));
  const refused = await world.condition("IPAssignment", "rival", "Stalled", "Conflict");
  expect(conditionOf(refused, "Ready")?.message).toContain("IPAddress");
  const hostname = `${id}.nip.io`;
  await world.apply(world.object("ReverseDNS", "name", { address: id, hostname }));
  await world.ready("ReverseDNS", "name");
  await world.until("IPAddress", "second", (one) => one.status?.["rdns"] === hostname);
  expect(ownerOf(world, id)).toBe(await idOf(world, "ComputeInstance", "web"));
  await world.stop();
});

/** Addresses that an instance shares with another one: set as a whole, by the request that takes them, and ended with the object. */
import { statusOf } from "../../src/core/kind/object.ts";
import { expect, test } from "vitest";
import type { OperatorOptions } from "../../src/operator.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf, startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { createStranger } from "./support/stranger.ts";

const addressOf = (name: string) => ({ kind: "IPAddress", name, address: "Public" });
const nets = { kind: "IPv6Range", name: "nets", address: "IPv6" };
const vm = { region: "us-east", type: "g6-standard-1" };
const second = { instanceRef: { name: "web" }, public: true };
const failover = { instanceRef: { name: "spare" }, addressRefs: [addressOf("second")] };

/** Two instances, of which one has a second address. */
async function withAddress(
  operator?: Partial<OperatorOptions>,
): Promise<{ world: World; address: string; spare: number }> {
  const world = await startWorld(sharedControlPlane(), operator && { operator });
  await world.apply(...["web", "spare"].map((name) => world.object("ComputeInstance", name, vm)));
  const { status } = await world.ready("ComputeInstance", "spare");
  await world.apply(world.object("IPAddress", "second", second));
  const address = statusOf(await world.ready("IPAddress", "second")).id ?? "";
  return { world, address, spare: Number(status?.["id"]) };
}

/** What the instance shares, as the simulator stores it. */
function sharedWith({ simulator }: World, spare: number): string[] {
  const rows = [...simulator.control.rows("address"), ...simulator.control.rows("ipv6-range")];
  const shared = rows.filter((row) => (row["sharedWith"] as number[] | undefined)?.includes(spare));
  return shared.map((row) => String(row["address"] ?? row["range"])).toSorted((a, b) => a.localeCompare(b));
}

function sharedBy(status: Record<string, unknown> | undefined): string[] {
  return (status?.["shared"] ?? []) as string[];
}

function sent({ simulator }: World): [string, string[]][] {
  const calls = simulator.control.ledger({ method: "POST" }).filter(({ path }) => path.endsWith("/share"));
  return calls.map(({ path, body }) => [path, (JSON.parse(body) as { ips: string[] }).ips]);
}

async function ended(world: World, name = "failover"): Promise<void> {
  await world.remove("IPSharing", name);
  await world.gone("IPSharing", name);
}

test("an address is shared by the request for IPv4, a range by the beta one, and nothing after the object is gone", async () => {
  const { world, address, spare } = await withAddress();
  await world.apply(world.object("IPSharing", "failover", failover));
  expect((await world.ready("IPSharing", "failover")).status).toMatchObject({ id: String(spare), shared: [address] });
  expect(sharedWith(world, spare)).toEqual([address]);
  await world.apply(world.object("IPv6Range", "nets", { instanceRef: { name: "web" }, prefixLength: 64 }));
  const range = statusOf(await world.ready("IPv6Range", "nets")).id ?? "";
  await world.patch("IPSharing", "failover", { spec: { addressRefs: [addressOf("second"), nets] } });
  await world.until("IPSharing", "failover", ({ status }) => sharedBy(status).includes(range));
  await ended(world);
  expect(sharedWith(world, spare)).toEqual([]);
  expect(sent(world)).toEqual([
    ["/v4/networking/ipv4/share", [address]],
    ["/v4beta/networking/ips/share", [address, range]],
    ["/v4beta/networking/ips/share", []],
  ]);
  await world.stop();
});

test("a range that is shared shows no target any more, which is no drift of it: with its own instance, too", async () => {
  const { world, spare } = await withAddress({ resyncMs: 2_000 });
  await world.apply(world.object("IPv6Range", "nets", { instanceRef: { name: "web" }, prefixLength: 64 }));
  const range = statusOf(await world.ready("IPv6Range", "nets")).id ?? "";
  for (const name of ["web", "spare"])
    await world.apply(world.object("IPSharing", name, { instanceRef: { name }, addressRefs: [nets] }));
  for (const name of ["web", "spare"]) await world.ready("IPSharing", name);
  const shared = await world.until("IPv6Range", "nets", ({ status }) => status?.["shared"] === true);
  expect(conditionOf(shared, "Ready")).toMatchObject({ status: "True", reason: "Ready" });
  await world.restartOperator();
  for (const name of ["web", "spare"]) await world.ready("IPSharing", name);
  const after = await world.ready("IPv6Range", "nets");
  expect(after.status?.["id"]).toBe(range);
  expect(conditionOf(after, "Drifted")).toBeUndefined();
  expect(sharedWith(world, spare)).toEqual([range]);
  // One more, in which another instance gets a range while this one shows no target.
  await world.apply(world.object("ComputeInstance", "west", { ...vm, region: "us-west" }));
  await world.apply(world.object("IPv6Range", "others", { instanceRef: { name: "west" }, prefixLength: 64 }));
  const others = statusOf(await world.ready("IPv6Range", "others")).id;
  expect(others).not.toBe(range);
  for (const name of ["web", "spare"]) await ended(world, name);
  await world.until("IPv6Range", "nets", ({ status }) => status?.["shared"] === false);
  const assigned = world.simulator.control.ledger({ method: "POST" }).filter(({ path }) => path.endsWith("/assign"));
  expect(assigned).toEqual([]);
  await world.stop();
});

test("a range that is adopted while it is shared is left where it is, also when it is shared again", async () => {
  const { world, spare } = await withAddress({ resyncMs: 2_000 });
  const { id: web } = statusOf(await world.ready("ComputeInstance", "web"));
  const stranger = createStranger(world.simulator);
  const share = (ips: string[]) =>
    stranger.send("POST", "/networking/ips/share", { compute_id: spare, ips }, { beta: true });
  const body = { prefix_length: 64, compute_id: Number(web) };
  const made = (await stranger.send("POST", "/networking/ipv6/ranges", body)) as { range: string };
  const [range = ""] = made.range.split("/");
  await share([range]);
  const management = { adopt: { id: range } };
  await world.apply(world.object("IPv6Range", "nets", { instanceRef: { name: "web" }, prefixLength: 64, management }));
  const isShown = (shared: boolean) =>
    world.until("IPv6Range", "nets", (object) => {
      const isReady = conditionOf(object, "Ready")?.status === "True";
      return isReady && object.status?.["shared"] === shared;
    });
  await isShown(true);
  await share([]);
  await isShown(false);
  await share([range]);
  await isShown(true);
  const assigned = world.simulator.control.ledger({ method: "POST" }).filter(({ path }) => path.endsWith("/assign"));
  expect(assigned).toEqual([]);
  await world.stop();
});

test("an address is not deleted while it is shared", async () => {
  const { world, address } = await withAddress();
  await world.apply(world.object("IPSharing", "failover", failover));
  await world.ready("IPSharing", "failover");
  await world.remove("IPAddress", "second");
  const waiting = await world.condition("IPAddress", "second", "Reconciling", "WaitingForDependents");
  expect(conditionOf(waiting, "Ready")?.message).toContain("IPSharing failover");
  await ended(world);
  await world.gone("IPAddress", "second");
  expect(sent(world)).toEqual([
    ["/v4/networking/ipv4/share", [address]],
    ["/v4/networking/ipv4/share", []],
  ]);
  await world.stop();
});

test("what somebody else has shared since stays when the object goes", async () => {
  const { world, spare } = await withAddress();
  await world.apply(world.object("IPAddress", "third", second));
  const other = statusOf(await world.ready("IPAddress", "third")).id ?? "";
  await world.apply(world.object("IPSharing", "failover", failover));
  await world.ready("IPSharing", "failover");
  await world.stopOperator();
  const stranger = createStranger(world.simulator);
  await stranger.send("POST", "/networking/ipv4/share", { compute_id: spare, ips: [other] });
  await world.remove("IPSharing", "failover");
  await world.restartOperator();
  await world.gone("IPSharing", "failover");
  expect(sharedWith(world, spare)).toEqual([other]);
  await world.stop();
});

test("what was shared before, as the object says it, stays when the object goes", async () => {
  const { world, address, spare } = await withAddress();
  const stranger = createStranger(world.simulator);
  await stranger.send("POST", "/networking/ipv4/share", { compute_id: spare, ips: [address] });
  world.simulator.control.clearLedger();
  await world.apply(world.object("IPSharing", "failover", failover));
  await world.ready("IPSharing", "failover");
  await ended(world);
  expect(sent(world)).toEqual([]);
  expect(sharedWith(world, spare)).toEqual([address]);
  await world.stop();
});

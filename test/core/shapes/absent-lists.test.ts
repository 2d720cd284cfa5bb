/** An absent list is not managed: the cloud keeps its entries. An empty list means none. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, madeMs, messageOf, paths, specs } from "../support.ts";

const soonMs = 120_000;
const ssh = { action: "ACCEPT", protocol: "TCP", ports: "22", addresses: { ipv4: ["203.0.113.0/24"] } };
/** A member that this version of the operator does not know. */
const newer = { ...ssh, ports: "443", ruleset: 7 };
const rules = { inbound: [ssh, newer], inbound_policy: "DROP", outbound: [], outbound_policy: "ACCEPT" };

const rulesIn = (world: World) => world.cloud.rows(paths.Firewall)[0]?.["rules"] as JsonObject;

function adopted(spec: object): World {
  const world = createWorld();
  const { id } = world.cloud.add(paths.Firewall, { label: "wall", status: "enabled", tags: [], rules });
  world.cluster.create("Firewall", "wall", { ...specs.Firewall, ...spec }, { management: { adopt: { id } } });
  return world;
}

describe("a Firewall with policies and without rules", () => {
  it("is adopted without a change", async () => {
    const world = adopted({});
    await world.advance(soonMs);
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
    expect(changes(world)).toEqual([]);
  });

  it("shows in Ready that rules beside the spec are in force, until the spec has a list", async () => {
    const world = adopted({});
    await world.advance(soonMs);
    expect(messageOf(world, "Firewall", "wall")).toMatch(
      /is as specified\. spec\.inbound is absent, so 2 inbound rules in the cloud stay in force$/,
    );
    world.cluster.patch("Firewall", "wall", { spec: { inbound: [] } });
    await world.advance(soonMs);
    expect(messageOf(world, "Firewall", "wall")).not.toContain("absent");
  });

  it("keeps each rule, in the form of the cloud, if a policy changes", async () => {
    const world = adopted({});
    await world.advance(soonMs);
    world.cluster.patch("Firewall", "wall", { spec: { outboundPolicy: "DROP" } });
    await world.advance(soonMs);
    expect(rulesIn(world)).toEqual({ ...rules, outbound_policy: "DROP" });
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
  });

  it("keeps a rule that another user adds right before the change of a policy", async () => {
    const world = adopted({});
    await world.advance(soonMs);
    const added = { ...ssh, ports: "8080" };
    const id = idOf(world, "Firewall", "wall");
    world.cloud.change(paths.Firewall, id, { rules: { ...rules, inbound: [ssh, newer, added] } });
    world.cluster.patch("Firewall", "wall", { spec: { outboundPolicy: "DROP" } });
    await world.advance(soonMs);
    expect(rulesIn(world)).toEqual({ ...rules, inbound: [ssh, newer, added], outbound_policy: "DROP" });
  });
});

it("a Firewall whose manifest loses a list keeps the rules, and loses them with an empty list", async () => {
  const world = createWorld();
  const inbound = [{ action: "ACCEPT", protocol: "TCP", ports: "22", ipv4: ["203.0.113.0/24"] }];
  world.cluster.create("Firewall", "wall", { ...specs.Firewall, inbound });
  await world.advance(soonMs);
  expect(rulesIn(world)).toMatchObject({ inbound: [ssh] });
  world.cluster.patch("Firewall", "wall", { spec: { inbound: null } });
  await world.advance(700_000);
  expect(rulesIn(world)).toMatchObject({ inbound: [ssh] });
  world.cluster.patch("Firewall", "wall", { spec: { inbound: [] } });
  await world.advance(soonMs);
  expect(rulesIn(world)).toMatchObject({ inbound: [] });
});

it("a ManagedMySQL without a list shows in Ready how many further addresses may connect", async () => {
  const world = createWorld();
  world.cluster.create("ManagedMySQL", "db", specs.ManagedMySQL);
  await world.advance(madeMs);
  expect(messageOf(world, "ManagedMySQL", "db")).not.toContain("absent");
  const id = idOf(world, "ManagedMySQL", "db");
  world.cloud.change(paths.ManagedMySQL, id, { allow_list: ["203.0.113.7/32"] });
  await world.advance(soonMs);
  expect(messageOf(world, "ManagedMySQL", "db")).toMatch(
    /spec\.allowList is absent, so 1 further address in the cloud may still connect$/,
  );
});

describe("an IPSharing without addresses", () => {
  const other = "203.0.113.77";

  async function shared(): Promise<{ world: World; addresses: () => string[]; own: string }> {
    const world = createWorld();
    for (const name of ["web", "spare"]) world.cluster.create("ComputeInstance", name, specs.ComputeInstance);
    await world.advance(soonMs);
    const id = idOf(world, "ComputeInstance", "web");
    const row = world.cloud.find(paths.ComputeInstance, id)!;
    const spare = world.cloud.find(paths.ComputeInstance, idOf(world, "ComputeInstance", "spare"));
    row.beside["ips"] = { ipv4: { shared: [{ address: other }] }, ipv6: {} };
    const addressRefs = [{ kind: "ComputeInstance", name: "spare", address: "Public" }];
    world.cluster.create("IPSharing", "web", { instanceRef: { name: "web" }, addressRefs });
    await world.advance(soonMs);
    expect(world.cluster.get("IPSharing", "web")).toBeReady();
    const list = () => (row.beside["ips"] as { ipv4: { shared: { address: string }[] } }).ipv4.shared;
    return {
      world,
      addresses: () => list().map(({ address }) => address),
      own: ((spare?.fields["ipv4"] ?? []) as string[])[0] ?? "",
    };
  }

  it("adds the addresses of the references, and keeps the addresses of other users", async () => {
    const { addresses, own } = await shared();
    expect(addresses().toSorted()).toEqual([own, other].toSorted());
  });

  it("ends only its own part of the sharing when the user deletes it", async () => {
    const { world, addresses } = await shared();
    world.cluster.delete("IPSharing", "web");
    await world.advance(soonMs);
    expect(addresses()).toEqual([other]);
    expect(world.cluster.get("IPSharing", "web")).toBeUndefined();
  });

  it("manages the complete list with an empty list of addresses", async () => {
    const { world, addresses, own } = await shared();
    world.cluster.patch("IPSharing", "web", { spec: { addresses: [] } });
    await world.advance(soonMs);
    expect(addresses()).toEqual([own]);
  });
});

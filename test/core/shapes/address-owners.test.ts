/** ReverseDNS and IPSharing refer to addresses of other objects: neither sets or resets anything at an address of another owner. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, giveAway, idOf, messageOf, paths, specs, stateOf, untilHeld } from "../support.ts";

const minute = 60_000;
const ips = "/networking/ips";
const instances = paths.ComputeInstance;
const [address, other] = ["192.0.2.10", "192.0.2.11"];
const slaac = "2001:db8::f03c:91ff:fe00:1";
const hostname = "mail.example.org";

/** A world with the instance `web`, which has a public IPv4 address and a SLAAC address, and an instance that no object manages. */
async function withInstance(): Promise<{ world: World; web: string; strangers: number }> {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(2 * minute);
  const web = idOf(world, "ComputeInstance", "web");
  world.cloud.change(instances, web, { ipv4: [address], ipv6: `${slaac}/128` });
  world.cloud.add(ips, { address, compute_id: Number(web) });
  world.cloud.add(ips, { address: slaac, type: "ipv6", compute_id: Number(web) });
  const strangers = Number(world.cloud.add(instances, { label: "strangers", region: "us-east" }).id);
  await world.advance(2 * minute);
  return { world, web, strangers };
}

const give = ({ cloud }: World, to: number, of = address) =>
  void Object.assign(cloud.find(ips, of)!.fields, { compute_id: to });

const nameOf = ({ cloud }: World, of = address) => cloud.find(ips, of)?.fields["rdns"];

const kept = ({ cluster }: World) => cluster.events().findLast(({ reason }) => reason === "Orphaned")?.note ?? "";

/** References with the address that each of them means, and how the cloud gives the referenced object away. */
const referred = [
  { kind: "ComputeInstance", name: "web", address: "Public", is: () => address },
  { kind: "ComputeInstance", name: "web", address: "IPv6", is: () => slaac },
  { kind: "IPAddress", name: "extra", address: "Public", is: (world: World) => idOf(world, "IPAddress", "extra") },
];

describe.each(referred)("a ReverseDNS of the address $address of a $kind", ({ is, ...addressRef }) => {
  async function ready() {
    const { world, web, strangers } = await withInstance();
    world.cluster.create("IPAddress", "extra", { instanceRef: { name: "web" }, public: true });
    await world.advance(2 * minute);
    world.cluster.create("ReverseDNS", "one", { addressRef, hostname });
    await world.advance(minute);
    expect(stateOf(world, "ReverseDNS", "one"), messageOf(world, "ReverseDNS", "one")).toBe("Ready");
    const own = is(world);
    expect(nameOf(world, own)).toBe(hostname);
    expect(idOf(world, "ReverseDNS", "one")).toBe(own);
    return { world, web, strangers, own, since: changes(world).length };
  }

  /** Deletes the ReverseDNS. Returns the requests. */
  async function deleted(world: World, since: number): Promise<string[]> {
    world.cluster.delete("ReverseDNS", "one");
    await world.advance(10 * minute);
    expect(world.cluster.get("ReverseDNS", "one")).toBeUndefined();
    return changes(world).slice(since);
  }

  /** The referenced object is gone, and its cloud object stays. */
  async function orphan(world: World): Promise<void> {
    world.cluster.patch(addressRef.kind, addressRef.name, { spec: { management: { deletionPolicy: "Orphan" } } });
    await world.advance(minute);
    world.crash();
    world.cluster.delete(addressRef.kind, addressRef.name);
    world.cluster.patch(addressRef.kind, addressRef.name, { metadata: { finalizers: [] } });
    world.restart();
    expect(world.cluster.get(addressRef.kind, addressRef.name)).toBeUndefined();
  }

  it("is reset when it is deleted", async () => {
    const { world, own, since } = await ready();
    expect(await deleted(world, since)).toEqual([`PUT ${ips}/${encodeURIComponent(own)}`]);
    expect(nameOf(world, own)).toBeNull();
  });

  it("is not reset after the cloud gave the address to another instance", async () => {
    const { world, own, strangers, since } = await ready();
    world.crash();
    give(world, strangers, own);
    world.cluster.delete("ReverseDNS", "one");
    world.restart();
    expect(await deleted(world, since)).toEqual([]);
    expect(nameOf(world, own)).toBe(hostname);
    expect(kept(world)).toContain(`Reverse DNS of ${own} keeps its values: the spec now names a different target`);
  });

  it("is reset after its object is gone, while the same instance has the address", async () => {
    const { world, own, since } = await ready();
    await orphan(world);
    expect(await deleted(world, since)).toEqual([`PUT ${ips}/${encodeURIComponent(own)}`]);
  });

  it("is not reset after its object is gone and another instance has the address", async () => {
    const { world, own, strangers, since } = await ready();
    await orphan(world);
    give(world, strangers, own);
    expect(await deleted(world, since)).toEqual([]);
    expect(nameOf(world, own)).toBe(hostname);
  });

  it("is not changed after the cloud gave the address to another instance", async () => {
    const { world, own, strangers, since } = await ready();
    give(world, strangers, own);
    world.cluster.patch("ReverseDNS", "one", { spec: { hostname: "new.example.org" } });
    await world.advance(10 * minute);
    expect(changes(world).slice(since)).toEqual([]);
    expect(stateOf(world, "ReverseDNS", "one")).toBe("WaitingForReference");
  });
});

describe("a ReverseDNS of an instance", () => {
  const addressRef = { kind: "ComputeInstance", name: "web", address: "Public" };

  it("is not reset after its instance has the id of another instance", async () => {
    const { world, web } = await withInstance();
    world.cluster.create("ReverseDNS", "one", { addressRef, hostname });
    await world.advance(minute);
    const since = changes(world).length;
    world.crash();
    giveAway(world, world.cloud.find(instances, web)!);
    if (!world.cloud.find(ips, address)) world.cloud.add(ips, { address, compute_id: Number(web), rdns: hostname });
    world.cluster.delete("ReverseDNS", "one");
    world.restart();
    await world.advance(10 * minute);
    expect(changes(world).slice(since)).toEqual([]);
    expect(world.cluster.get("ReverseDNS", "one")).toBeUndefined();
  });

  it("sets nothing at the former address while its request is held", async () => {
    const { world, web, strangers } = await withInstance();
    world.cloud.add(ips, { address: "192.0.2.20", rdns: null });
    world.cloud.fault({ kind: "tooMany", method: "PUT", ms: 8_000 });
    world.cluster.create("ReverseDNS", "first", { address: "192.0.2.20", hostname });
    await untilHeld(world);
    world.cluster.create("ReverseDNS", "one", { addressRef, hostname });
    await world.advance(2_000);
    world.cloud.change(instances, web, { ipv4: [other] });
    world.cloud.add(ips, { address: other, compute_id: Number(web) });
    give(world, strangers);
    await world.advance(10 * minute);
    expect(changes(world)).not.toContain(`PUT ${ips}/${address}`);
    expect(nameOf(world, other)).toBe(hostname);
  });

  it("goes with its instance, without a request of its own", async () => {
    const { world } = await withInstance();
    world.cluster.create("ReverseDNS", "one", { addressRef, hostname });
    await world.advance(minute);
    const since = changes(world).length;
    for (const [kind, name] of [
      ["ComputeInstance", "web"],
      ["ReverseDNS", "one"],
    ] as const)
      world.cluster.delete(kind, name);
    await world.advance(10 * minute);
    expect(changes(world).slice(since)).toEqual([expect.stringMatching(/^DELETE \/compute\/instances\/\d+$/)]);
    expect(world.cluster.get("ReverseDNS", "one")).toBeUndefined();
  });
});

describe("an IPSharing of addresses of another instance", () => {
  const web = { kind: "ComputeInstance", name: "web", address: "Public" };

  const shared = (world: World): string[] => {
    const row = world.cloud.find(instances, idOf(world, "ComputeInstance", "spare"));
    const { ipv4 } = (row?.beside["ips"] ?? {}) as { ipv4?: { shared?: { address: string }[] } };
    return (ipv4?.shared ?? []).map((one) => one.address);
  };
  const share = (world: World, addresses: string[]): void => {
    const row = world.cloud.find(instances, idOf(world, "ComputeInstance", "spare"))!;
    row.beside["ips"] = { ipv4: { shared: addresses.map((one) => ({ address: one })) }, ipv6: {} };
  };

  async function ready(): Promise<{ world: World; web: string; strangers: number }> {
    const found = await withInstance();
    const { world } = found;
    world.cluster.create("ComputeInstance", "spare", specs.ComputeInstance);
    await world.advance(2 * minute);
    world.cluster.create("IPSharing", "one", {
      instanceRef: { name: "spare" },
      addresses: ["198.18.0.9"],
      addressRefs: [web],
    });
    await world.advance(minute);
    expect(stateOf(world, "IPSharing", "one"), messageOf(world, "IPSharing", "one")).toBe("Ready");
    expect(shared(world)).toEqual([address, "198.18.0.9"]);
    return found;
  }

  async function deleteWithout(world: World, left: string[]): Promise<void> {
    world.cluster.delete("ComputeInstance", "web");
    await world.advance(minute);
    expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
    share(world, left);
    world.cluster.delete("IPSharing", "one");
    await world.advance(10 * minute);
    expect(world.cluster.get("IPSharing", "one")).toBeUndefined();
  }

  it("ends what is left of it, although the other instance is gone", async () => {
    const { world } = await ready();
    await deleteWithout(world, ["198.18.0.9"]);
    expect(shared(world)).toEqual([]);
  });

  it("keeps what somebody else has shared since, although the other instance is gone", async () => {
    const { world } = await ready();
    await deleteWithout(world, ["198.18.0.9", other]);
    expect(shared(world)).toEqual(["198.18.0.9", other]);
    expect(kept(world)).toContain("the values differ from the values that this object set");
  });

  /** The object of the sharing instance is gone, and the instance stays. */
  async function deleteAfterOrphan(now?: string[]): Promise<{ world: World; addresses: () => string[] }> {
    const { world } = await ready();
    const spare = idOf(world, "ComputeInstance", "spare");
    const row = world.cloud.find(instances, spare)!;
    world.cluster.patch("ComputeInstance", "spare", { spec: { management: { deletionPolicy: "Orphan" } } });
    world.cluster.delete("ComputeInstance", "spare");
    await world.advance(minute);
    expect(world.cluster.get("ComputeInstance", "spare")).toBeUndefined();
    if (now) row.beside["ips"] = { ipv4: { shared: now.map((one) => ({ address: one })) }, ipv6: {} };
    world.cluster.delete("IPSharing", "one");
    await world.advance(10 * minute);
    expect(world.cluster.get("IPSharing", "one")).toBeUndefined();
    const { ipv4 } = row.beside["ips"] as { ipv4: { shared: { address: string }[] } };
    return { world, addresses: () => ipv4.shared.map((one) => one.address) };
  }

  it("ends after the object of its own instance is gone", async () => {
    const { addresses } = await deleteAfterOrphan();
    expect(addresses()).toEqual([]);
  });

  it("keeps what somebody else has shared since, after the object of its own instance is gone", async () => {
    const { world, addresses } = await deleteAfterOrphan([other]);
    expect(addresses()).toEqual([other]);
    expect(kept(world)).toContain("the values differ from the values that this object set");
  });

  it("sends no address that the instance has lost since the list", async () => {
    const { world, web: id } = await ready();
    world.cloud.change(instances, id, { ipv4: [other] });
    share(world, []);
    const since = changes(world).length;
    world.cluster.patch("IPSharing", "one", { spec: { addresses: ["198.18.0.8"] } });
    await world.advance(5 * minute);
    expect(shared(world)).toEqual([other, "198.18.0.8"]);
    expect(changes(world).slice(since)).toHaveLength(1);
  });
});

/** The cloud API can release an address and assign the address to another instance. Only the instance shows the difference. */
import { journalAnnotation } from "../../../src/core/kind/annotations.ts";
import { describe, expect, it } from "vitest";
import { statedEntryIn } from "../../../src/core/model/journal.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { createWorld } from "../../world/world.ts";
import { recordOf } from "../../world/record.ts";
import type { World } from "../../world/world.ts";
import { calm, changes, crashedAnywhere, idOf, instances, messageOf, minutes, stateOf } from "../support.ts";

const addresses = "/networking/ips";
const tenant = "team-b";
const accountRef = { name: "default", namespace: "default" };
const machine = { region: "us-east", type: "g6-standard-1" };

type Where = { namespace: string; more: object };
const own: Where = { namespace: "default", more: {} };
const shared: Where = { namespace: tenant, more: { accountRef } };

/** A world with host-1, host-2 and an address of host-1, in one namespace. */
async function withAddress({ namespace, more }: Where = own): Promise<{ world: World; address: string }> {
  const world = createWorld(calm);
  world.cluster.patch("CloudAccount", "default", { spec: { sharing: { namespaces: [tenant] } } });
  for (const host of ["host-1", "host-2"])
    world.cluster.create("ComputeInstance", host, { ...machine, ...more }, { namespace });
  world.cluster.create("IPAddress", "extra", { instanceRef: { name: "host-1" }, public: true, ...more }, { namespace });
  await world.advance(minutes(5));
  expect(stateOf(world, "IPAddress", "extra", namespace), messageOf(world, "IPAddress", "extra", namespace)).toBe(
    "Ready",
  );
  return { world, address: idOf(world, "IPAddress", "extra", namespace) };
}

/** Returns the ID of an instance that no custom resource manages. */
const strangers = ({ cloud }: World): number => Number(cloud.add(instances, { label: "victim", ...machine }).id);

/** The cloud API releases the address, and assigns it to another instance. */
function giveAway(world: World, address: string): number {
  const victim = strangers(world);
  const row = { address, compute_id: victim, type: "ipv4", public: true };
  if (holderOf(world, address) === undefined) world.cloud.add(addresses, row);
  else world.cloud.replace(addresses, address, row);
  return victim;
}

const holderOf = ({ cloud }: World, address: string): unknown =>
  cloud.rows(addresses).find((row) => row["address"] === address)?.["compute_id"];

const refer = ({ cluster }: World, name: string, namespace: string): void =>
  void cluster.patch("IPAddress", "extra", { spec: { instanceRef: { name } } }, namespace);

const moves = (world: World, since = 0): string[] =>
  changes(world, since).filter((change) => change.includes("assign") || change.startsWith("DELETE /compute"));

describe.each([own, shared])(
  "an address in namespace $namespace that the cloud API assigned to another user",
  (where) => {
    const { namespace, more } = where;

    it("is neither moved nor deleted after its instance was deleted", async () => {
      const { world, address } = await withAddress(where);
      world.cluster.delete("ComputeInstance", "host-1", namespace);
      await world.advance(minutes(3));
      const victim = giveAway(world, address);
      const since = world.cloud.ledger().length;
      refer(world, "host-2", namespace);
      await world.advance(minutes(10));
      expect(changes(world, since)).toEqual([]);
      expect(stateOf(world, "IPAddress", "extra", namespace)).toBe("Conflict");
      expect(messageOf(world, "IPAddress", "extra", namespace)).toContain("orphan=true");
      expect(messageOf(world, "IPAddress", "extra", namespace)).not.toContain(String(victim));
      world.cluster.delete("IPAddress", "extra", namespace);
      await world.advance(minutes(10));
      expect(changes(world, since)).toEqual([]);
      world.cluster.annotate("IPAddress", "extra", { "cloudplatform.dev/orphan": "true" }, namespace);
      await world.advance(minutes(1));
      expect(world.cluster.get("IPAddress", "extra", namespace)).toBeUndefined();
      expect(holderOf(world, address)).toBe(victim);
    });

    it("is not moved by the saved manifest of an object that was deleted", async () => {
      const { world, address } = await withAddress(where);
      refer(world, "host-2", namespace);
      await world.advance(minutes(2));
      const { annotations = {} } = world.cluster.get("IPAddress", "extra", namespace)!.metadata;
      expect(annotations[journalAnnotation]).toContain('"is":{');
      world.cluster.delete("IPAddress", "extra", namespace);
      await world.advance(minutes(5));
      expect(world.cluster.get("IPAddress", "extra", namespace)).toBeUndefined();
      const victim = strangers(world);
      world.cloud.add(addresses, { address, compute_id: victim, type: "ipv4", public: true });
      const since = world.cloud.ledger().length;
      const spec = { instanceRef: { name: "host-2" }, public: true, ...more };
      world.cluster.create("IPAddress", "extra", spec, { annotations, namespace });
      await world.advance(minutes(15));
      expect(changes(world, since)).toEqual([]);
      expect(stateOf(world, "IPAddress", "extra", namespace)).toMatch(/^(Conflict|CreateUncertain)$/);
      expect(holderOf(world, address)).toBe(victim);
    });
  },
);

it("the other user can adopt, manage and delete the address, although the former object still exists", async () => {
  const { world, address } = await withAddress(shared);
  world.cluster.create("ComputeInstance", "shop-host", machine);
  world.cluster.delete("ComputeInstance", "host-1", tenant);
  await world.advance(minutes(5));
  world.cloud.add(addresses, {
    address,
    compute_id: Number(idOf(world, "ComputeInstance", "shop-host")),
    type: "ipv4",
  });
  const spec = { instanceRef: { name: "shop-host" }, public: true };
  world.cluster.create("IPAddress", "shop", spec, { management: { adopt: { id: address } } });
  await world.advance(minutes(5));
  expect(stateOf(world, "IPAddress", "shop"), messageOf(world, "IPAddress", "shop")).toBe("Ready");
  world.restart();
  await world.advance(minutes(10));
  expect(stateOf(world, "IPAddress", "shop"), messageOf(world, "IPAddress", "shop")).toBe("Ready");
  world.cluster.delete("IPAddress", "shop");
  await world.advance(minutes(10));
  expect(world.cluster.get("IPAddress", "shop"), messageOf(world, "IPAddress", "shop")).toBeUndefined();
  expect(world.cloud.rows(addresses)).toEqual([]);
});

describe("the record of an address that the cloud API assigned to another user", () => {
  it.each([
    { kind: "ReverseDNS", spec: (address: string) => ({ address, hostname: "mail.example.org" }) },
    {
      kind: "ReverseDNS",
      spec: () => ({
        addressRef: { kind: "IPAddress", name: "extra", address: "Public" },
        hostname: "mail.example.org",
      }),
    },
    { kind: "IPAssignment", spec: (address: string) => ({ address, instanceRef: { name: "host-2" } }) },
    {
      kind: "IPSharing",
      spec: (address: string) => ({ instanceRef: { name: "host-2" }, addresses: [address] }),
    },
    {
      kind: "IPSharing",
      spec: () => ({
        instanceRef: { name: "host-2" },
        addressRefs: [{ kind: "IPAddress", name: "extra", address: "Public" }],
      }),
    },
  ])("does not permit a new $kind to name the address", async ({ kind, spec }) => {
    const { world, address } = await withAddress(shared);
    giveAway(world, address);
    await world.advance(minutes(6));
    const since = world.cloud.ledger().length;
    world.cluster.create(kind, "names-it", { ...spec(address), accountRef }, { namespace: tenant });
    await world.advance(minutes(10));
    expect(changes(world, since)).toEqual([]);
    expect(stateOf(world, kind, "names-it", tenant)).toMatch(/^(NotShared|WaitingForReference)$/);
  });

  it("does not permit a new ReverseDNS before the operator lists the addresses again", async () => {
    const { world, address } = await withAddress(shared);
    giveAway(world, address);
    const since = world.cloud.ledger().length;
    const spec = { address, hostname: "mail.example.org", accountRef };
    world.cluster.create("ReverseDNS", "mail", spec, { namespace: tenant });
    await world.advance(minutes(10));
    expect(changes(world, since)).toEqual([]);
  });

  const named = { kind: "IPAddress", name: "extra", address: "Public" };
  it.each([
    { by: "address", of: (address: string) => ({ address }) },
    { by: "reference", of: () => ({ addressRef: named }) },
  ])("does not permit the deletion of a ReverseDNS to reset the name of the other user, by $by", async ({ of }) => {
    const { world, address } = await withAddress(shared);
    const spec = { ...of(address), hostname: "mail.example.org", accountRef };
    world.cluster.create("ReverseDNS", "mail", spec, { namespace: tenant });
    await world.advance(minutes(2));
    expect(stateOf(world, "ReverseDNS", "mail", tenant), messageOf(world, "ReverseDNS", "mail", tenant)).toBe("Ready");
    const victim = strangers(world);
    world.cloud.replace(addresses, address, { address, compute_id: victim, rdns: "mail.example.org", type: "ipv4" });
    const since = world.cloud.ledger().length;
    world.cluster.delete("ReverseDNS", "mail", tenant);
    await world.advance(minutes(10));
    expect(changes(world, since)).toEqual([]);
    expect(world.cluster.get("ReverseDNS", "mail", tenant)).toBeUndefined();
  });

  it("permits a ReverseDNS while the address belongs to the recorded instance", async () => {
    const { world, address } = await withAddress(shared);
    refer(world, "host-2", tenant);
    await world.advance(minutes(2));
    const spec = { address, hostname: "mail.example.org", accountRef };
    world.cluster.create("ReverseDNS", "mail", spec, { namespace: tenant });
    await world.advance(minutes(2));
    expect(stateOf(world, "ReverseDNS", "mail", tenant), messageOf(world, "ReverseDNS", "mail", tenant)).toBe("Ready");
  });
});

describe("an address that the operator itself moves", () => {
  it("stays the recorded one, in the status and in the entry", async () => {
    const { world, address } = await withAddress(shared);
    for (const host of ["host-2", "host-1", "host-2"]) {
      refer(world, host, tenant);
      await world.advance(minutes(2));
      expect(world.cluster.get("IPAddress", "extra", tenant)).toBeReady();
      expect(holderOf(world, address)).toBe(Number(idOf(world, "ComputeInstance", host, tenant)));
    }
    const object = world.cluster.get("IPAddress", "extra", tenant)!;
    expect(statedEntryIn(object)?.is).toEqual({ id: address, origin: recordOf(object).origin });
    world.restart();
    await world.advance(minutes(10));
    expect(world.cluster.get("IPAddress", "extra", tenant)).toBeReady();
  });

  it("stays the recorded one after a crash at each step, also if the spec changes before the restart", async () => {
    const isRight = async (world: World) => {
      refer(world, "host-1", tenant);
      await world.advance(minutes(5));
      return stateOf(world, "IPAddress", "extra", tenant) === "Ready" && world.cloud.rows(addresses).length === 1;
    };
    const scene = async () => {
      const { world } = await withAddress(shared);
      refer(world, "host-2", tenant);
      return world;
    };
    expect(await crashedAnywhere(scene, isRight)).toEqual([]);
  }, 60_000);

  it("can be deleted after a crash right behind the request", async () => {
    const { world, address } = await withAddress(shared);
    world.crash();
    world.cloud.change(addresses, address, { compute_id: Number(idOf(world, "ComputeInstance", "host-2", tenant)) });
    refer(world, "host-2", tenant);
    world.cluster.delete("IPAddress", "extra", tenant);
    world.restart();
    await world.advance(minutes(5));
    expect(world.cluster.get("IPAddress", "extra", tenant)).toBeUndefined();
    expect(world.cloud.rows(addresses)).toEqual([]);
  });
});

describe("an address that a user moves by hand", () => {
  it("is moved back from an instance of the same namespace", async () => {
    const { world, address } = await withAddress();
    world.cloud.change(addresses, address, { compute_id: Number(idOf(world, "ComputeInstance", "host-2")) });
    await world.advance(minutes(10));
    expect(world.cluster.get("IPAddress", "extra")).toBeReady();
    expect(holderOf(world, address)).toBe(Number(idOf(world, "ComputeInstance", "host-1")));
  });

  it("stays at an instance without custom resource until the user moves the address back", async () => {
    const { world, address } = await withAddress();
    const since = world.cloud.ledger().length;
    world.cloud.change(addresses, address, { compute_id: strangers(world) });
    await world.advance(minutes(10));
    expect(stateOf(world, "IPAddress", "extra")).toBe("Conflict");
    const host = idOf(world, "ComputeInstance", "host-1");
    expect(messageOf(world, "IPAddress", "extra")).toContain(host);
    world.cloud.change(addresses, address, { compute_id: Number(host) });
    await world.advance(minutes(10));
    expect(world.cluster.get("IPAddress", "extra")).toBeReady();
    expect(changes(world, since)).toEqual([]);
  });

  it("is managed again if the spec names the new instance", async () => {
    const { world, address } = await withAddress();
    const id = strangers(world);
    world.cloud.change(addresses, address, { compute_id: id });
    await world.advance(minutes(6));
    world.cluster.patch("IPAddress", "extra", { spec: { instanceRef: { id: String(id), name: null } } });
    await world.advance(minutes(6));
    expect(stateOf(world, "IPAddress", "extra"), messageOf(world, "IPAddress", "extra")).toBe("Ready");
    refer(world, "host-1", "default");
    world.cluster.patch("IPAddress", "extra", { spec: { instanceRef: { id: null } } });
    await world.advance(minutes(6));
    expect(stateOf(world, "IPAddress", "extra"), messageOf(world, "IPAddress", "extra")).toBe("Ready");
    expect(holderOf(world, address)).toBe(Number(idOf(world, "ComputeInstance", "host-1")));
    expect(moves(world)).toHaveLength(1);
  });
});

it("the operator moves no IPv6Range while another user shares it: the cloud API hides the instance then", async () => {
  const world = createWorld(calm);
  world.cluster.patch("CloudAccount", "default", { spec: { sharing: { namespaces: [tenant] } } });
  for (const [name, ipv6] of [
    ["host-1", "2001:db8::a/128"],
    ["host-2", "2001:db8::b/128"],
  ] as const) {
    world.cluster.create("ComputeInstance", name, { ...machine, accountRef }, { namespace: tenant });
    await world.advance(minutes(2));
    world.cloud.change(instances, idOf(world, "ComputeInstance", name, tenant), { ipv6 });
  }
  await world.advance(minutes(6));
  const spec = { instanceRef: { name: "host-1" }, prefixLength: 64, accountRef };
  world.cluster.create("IPv6Range", "range", spec, { namespace: tenant });
  await world.advance(minutes(6));
  expect(stateOf(world, "IPv6Range", "range", tenant), messageOf(world, "IPv6Range", "range", tenant)).toBe("Ready");
  const range = idOf(world, "IPv6Range", "range", tenant);
  world.cloud.change("/networking/ipv6/ranges", range, { route_target: null, is_bgp: true });
  const since = world.cloud.ledger().length;
  world.cluster.patch("IPv6Range", "range", { spec: { instanceRef: { name: "host-2" } } }, tenant);
  await world.advance(minutes(10));
  expect(changes(world, since)).toEqual([]);
  expect(stateOf(world, "IPv6Range", "range", tenant)).toBe("WaitingForDependents");
  world.cloud.change("/networking/ipv6/ranges", range, { route_target: "2001:db8::ff", is_bgp: false });
  await world.advance(minutes(10));
  expect(changes(world, since)).toEqual([]);
  expect(stateOf(world, "IPv6Range", "range", tenant)).toBe("Conflict");
});

it("every kind without a time of creation has a natural key that rows show", () => {
  const untold = kinds.filter(
    (kind) => kind.shape === "owned" && kind.createdField === undefined && kind.originField === undefined,
  );
  for (const kind of untold)
    expect(
      Object.values(kind.fields).some(({ key, observed: have }) => key && have !== undefined),
      kind.kind,
    ).toBe(true);
});

/** Fields that take the address of another object: the address is copied, followed, and waited for. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changesIn, idOf, messageOf, paths, specs, stateOf } from "../support.ts";

const soonMs = 60_000;
/** A dependent follows a change of an address within this time. */
const followMs = 2_000;
const tcp = { action: "ACCEPT", protocol: "TCP", ports: "22" };
const web = { kind: "ComputeInstance", name: "web", address: "Public" };

/** A kind with a field for addresses. */
interface Dependent {
  kind: string;
  /** The spec with a reference to the public address of `web`. */
  spec: object;
  /** The field in messages. */
  field: string;
  /** Addresses that the cloud object contains. */
  shown: (world: World) => unknown;
  /** The expected result of `shown` for an address of `web`. */
  expected: (address: string) => unknown;
  /** The expected result of `shown` after the deletion of the instance, if the value goes with its address. */
  without?: unknown;
}

const ips = "/networking/ips";
const hostname = "www.example.org";

const dependents: Dependent[] = [
  {
    kind: "DomainRecord",
    spec: { domainRef: { name: "zone" }, type: "A", name: "www", targetRef: web },
    field: "spec.targetRef",
    shown: (world) => records(world).map(({ target }) => target),
    expected: (address) => [address],
  },
  {
    kind: "Firewall",
    spec: { ...specs.Firewall, inbound: [{ ...tcp, ipv4: ["192.0.2.0/24"], fromRefs: [web] }] },
    field: "spec.inbound[0].fromRefs[0]",
    shown: (world) => networksIn(world, "inbound"),
    expected: (address) => ["192.0.2.0/24", `${address}/32`].toSorted(),
  },
  {
    kind: "Firewall",
    spec: {
      ...specs.Firewall,
      outbound: [
        { ...tcp, ipv4: ["0.0.0.0/0"] },
        { ...tcp, toRefs: [web] },
      ],
    },
    field: "spec.outbound[1].toRefs[0]",
    shown: (world) => networksIn(world, "outbound"),
    expected: (address) => ["0.0.0.0/0", `${address}/32`],
  },
  {
    kind: "ManagedMySQL",
    spec: { ...specs.ManagedMySQL, allowList: ["192.0.2.7"], allowRefs: [web] },
    field: "spec.allowRefs[0]",
    shown: (world) => (world.cloud.rows(paths.ManagedMySQL)[0]?.["allow_list"] as string[] | undefined)?.toSorted(),
    expected: (address) => ["192.0.2.7/32", `${address}/32`].toSorted(),
  },
  {
    kind: "ReverseDNS",
    spec: { addressRef: web, hostname },
    field: "spec.addressRef",
    shown: ({ cloud }) =>
      cloud.rows(ips).flatMap(({ rdns, address, compute_id: instance }) => {
        const isThere = cloud.rows(paths.ComputeInstance).some(({ id }) => id === instance);
        return rdns === hostname && isThere ? [address] : [];
      }),
    expected: (address) => [address],
    without: [],
  },
  {
    kind: "IPSharing",
    spec: { instanceRef: { name: "spare" }, addressRefs: [web] },
    field: "spec.addressRefs[0]",
    shown: (world) => sharedWith(world, "spare"),
    expected: (address) => [address],
  },
];

/** Returns the addresses of other instances that an instance shares. */
function sharedWith(world: World, name: string): string[] {
  const row = world.cloud.find(paths.ComputeInstance, idOf(world, "ComputeInstance", name));
  const { ipv4 } = (row?.beside["ips"] ?? {}) as { ipv4?: { shared?: { address: string }[] } };
  return (ipv4?.shared ?? []).map(({ address }) => address);
}

/** Returns the networks of all rules of a direction. */
function networksIn(world: World, direction: string): string[] {
  const rules = world.cloud.rows(paths.Firewall)[0]?.["rules"] as Record<string, { addresses: { ipv4: string[] } }[]>;
  return (rules[direction] ?? []).flatMap(({ addresses }) => addresses.ipv4);
}

function records(world: World): JsonObject[] {
  return world.cloud.rows(`/domains/${idOf(world, "Domain", "zone")}/records`);
}

/** Returns the first IPv4 address of the instance `web` as the cloud shows it. */
function addressOf(world: World, name = "web"): string {
  const row = world.cloud.find(paths.ComputeInstance, idOf(world, "ComputeInstance", name));
  return ((row?.fields["ipv4"] ?? []) as string[])[0] ?? "";
}

/** Returns a world that lists the addresses of each instance, with a zone and an instance. */
function begin(): World {
  const world = createWorld();
  world.cloud.onTouch((_, { path, id, fields }) => {
    const isNew = world.cloud.rows(ips).every(({ compute_id: instance }) => instance !== Number(id));
    if (path === paths.ComputeInstance && isNew) listAddresses(world, id, fields["ipv4"] as string[]);
  });
  world.cluster.create("Domain", "zone", specs.Domain);
  world.cluster.create("ComputeInstance", "spare", specs.ComputeInstance);
  return world;
}

/** Gives an instance these addresses instead of its own. */
function changeAddresses(world: World, id: string, ipv4: string[]): void {
  const former = world.cloud.rows(ips).filter(({ compute_id: instance }) => instance === Number(id));
  for (const { address } of former) world.cloud.remove(ips, address as string);
  world.cloud.change(paths.ComputeInstance, id, { ipv4 });
  listAddresses(world, id, ipv4);
}

/** The cloud API does not list private addresses. */
function listAddresses({ cloud }: World, id: string, ipv4: string[]): void {
  for (const address of ipv4.filter((one) => !one.startsWith("192.168.")))
    cloud.add(ips, { address, compute_id: Number(id), rdns: null });
}

async function withInstance(): Promise<World> {
  const world = begin();
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(soonMs);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  return world;
}

/** Returns the requests since an index of the ledger that do not concern instances. */
function sentSince(world: World, since: number): string[] {
  const others = changesIn(world.cloud.ledger().slice(since)).filter(({ path }) => !path.startsWith("/compute"));
  return others.map(({ method, path }) => `${method} ${path}`);
}

async function settled(dependent: Dependent): Promise<World> {
  const world = await withInstance();
  world.cluster.create(dependent.kind, "one", dependent.spec);
  await world.advance(1_300_000);
  expect(`${stateOf(world, dependent.kind, "one")} ${messageOf(world, dependent.kind, "one")}`).toMatch(/^Ready/);
  return world;
}

function statusOf(world: World, kind: string): JsonObject {
  return world.cluster.get(kind, "one")?.status as JsonObject;
}

describe.each(dependents)("a $kind with the address of an instance in $field", (dependent) => {
  const { kind, spec, field, shown, expected } = dependent;

  it("contains the address, and shows it in its status", async () => {
    const world = await settled(dependent);
    expect(shown(world)).toEqual(expected(addressOf(world)));
    expect(statusOf(world, kind)["referencedAddresses"]).toEqual([
      { kind: "ComputeInstance", name: "web", address: addressOf(world) },
    ]);
  });

  it("settles: no request and no write follows", async () => {
    const world = await settled(dependent);
    const [since, version] = [world.cloud.ledger().length, world.cluster.get(kind, "one")?.metadata.resourceVersion];
    await world.advance(1_300_000);
    expect(sentSince(world, since)).toEqual([]);
    expect(world.cluster.get(kind, "one")?.metadata.resourceVersion).toBe(version);
  });

  it("follows an instance that was deleted and created again", async () => {
    const world = await settled(dependent);
    const before = addressOf(world);
    const since = world.cloud.ledger().length;
    world.cluster.delete("ComputeInstance", "web");
    await world.advance(soonMs);
    expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
    expect(stateOf(world, kind, "one")).toBe("WaitingForReference");
    expect(messageOf(world, kind, "one")).toContain(`${field}.name: ComputeInstance web does not exist`);
    expect(sentSince(world, since)).toEqual([]);
    expect(shown(world)).toEqual(dependent.without ?? expected(before));
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    await world.advance(followMs);
    expect(addressOf(world)).not.toBe(before);
    expect(shown(world)).toEqual(expected(addressOf(world)));
    expect(sentSince(world, since)).toHaveLength(1);
    expect(sentSince(world, since)[0]).toMatch(/^P(UT|OST) /);
    await world.advance(1_300_000);
    expect(world.cluster.get(kind, "one")).toBeReady();
    expect(statusOf(world, kind)["referencedAddresses"]).toEqual([
      { kind: "ComputeInstance", name: "web", address: addressOf(world) },
    ]);
    expect(sentSince(world, since)).toHaveLength(1);
  });

  it("follows an instance that the operator created again after somebody deleted it in the cloud", async () => {
    const world = await settled(dependent);
    const before = addressOf(world);
    const since = world.cloud.ledger().length;
    world.cluster.patch("ComputeInstance", "web", { spec: { management: { missingPolicy: "Recreate" } } });
    world.cloud.remove(paths.ComputeInstance, idOf(world, "ComputeInstance", "web"));
    await world.advance(1_300_000);
    expect(addressOf(world)).not.toBe(before);
    expect(shown(world)).toEqual(expected(addressOf(world)));
    expect(sentSince(world, since)).toHaveLength(1);
  });

  it("follows an address that changes while the instance stays", async () => {
    const world = await settled(dependent);
    const since = world.cloud.ledger().length;
    changeAddresses(world, idOf(world, "ComputeInstance", "web"), ["203.0.113.77"]);
    // The operator lists the instances once in a minute.
    await world.advance(61_000 + followMs);
    expect(shown(world)).toEqual(expected("203.0.113.77"));
    expect(sentSince(world, since)).toHaveLength(1);
  });

  it("is created with the address that the instance has now, and not with that of the last list", async () => {
    const world = await withInstance();
    const former = addressOf(world);
    changeAddresses(world, idOf(world, "ComputeInstance", "web"), ["203.0.113.77"]);
    const since = world.cloud.ledger().length;
    world.cluster.create(kind, "one", spec);
    // The cloud API does not show the former address any more, so that a ReverseDNS waits for the next list.
    await world.advance(61_000 + followMs);
    expect(shown(world)).toEqual(expected("203.0.113.77"));
    expect(JSON.stringify(changesIn(world.cloud.ledger().slice(since)))).not.toContain(former);
  });

  it("waits while the instance has no address, and sends nothing", async () => {
    const world = await withInstance();
    const id = idOf(world, "ComputeInstance", "web");
    changeAddresses(world, id, ["192.168.135.7"]);
    await world.advance(90_000);
    const since = world.cloud.ledger().length;
    world.cluster.create(kind, "one", spec);
    await world.advance(soonMs);
    expect(stateOf(world, kind, "one")).toBe("WaitingForReference");
    expect(messageOf(world, kind, "one")).toContain(`${field}.name: ComputeInstance web has no public IPv4 address`);
    expect(sentSince(world, since)).toEqual([]);
    changeAddresses(world, id, ["192.168.135.7", "203.0.113.77"]);
    await world.advance(1_400_000);
    expect(world.cluster.get(kind, "one")).toBeReady();
    expect(shown(world)).toEqual(expected("203.0.113.77"));
  });

  it("waits for an instance that does not exist, and is not Stalled", async () => {
    const world = begin();
    world.cluster.create(kind, "one", spec);
    await world.advance(soonMs);
    expect(stateOf(world, kind, "one")).toBe("WaitingForReference");
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    await world.advance(1_400_000);
    expect(shown(world)).toEqual(expected(addressOf(world)));
  });

  it("is deleted while its instance is gone", async () => {
    const world = await settled(dependent);
    world.cluster.delete("ComputeInstance", "web");
    await world.advance(soonMs);
    world.cluster.delete(kind, "one");
    await world.advance(soonMs);
    expect(world.cluster.get(kind, "one")).toBeUndefined();
  });
});

describe("an address of another kind", () => {
  const shownBy = (world: World, name: string) =>
    `${stateOf(world, "DomainRecord", name)} ${messageOf(world, "DomainRecord", name)}`;
  const recordOf = (address: object, type = "A") => ({
    domainRef: { name: "zone" },
    type,
    name: "www",
    targetRef: address,
  });

  it("is that of an IPAddress, whose sort must fit", async () => {
    const world = await withInstance();
    world.cluster.create("IPAddress", "second", { instanceRef: { name: "web" }, public: true });
    const second = { kind: "IPAddress", name: "second" };
    world.cluster.create("DomainRecord", "right", recordOf({ ...second, address: "Public" }));
    world.cluster.create("DomainRecord", "wrong", recordOf({ ...second, address: "Private" }));
    await world.advance(soonMs);
    expect(world.cluster.get("DomainRecord", "right")).toBeReady();
    expect(records(world).map(({ target }) => target)).toEqual([idOf(world, "IPAddress", "second")]);
    expect(shownBy(world, "wrong")).toContain(
      "InvalidSpec spec.targetRef: IPAddress second is a public address. The operator sends nothing. Set address to Public",
    );
    world.cluster.patch("DomainRecord", "wrong", { spec: { name: "api", targetRef: { address: "Public" } } });
    await world.advance(soonMs);
    expect(world.cluster.get("DomainRecord", "wrong")).toBeReady();
  });

  it("is the first one of an IPv6Range in a record, and the whole range in a rule", async () => {
    const world = await withInstance();
    world.cluster.create("IPv6Range", "range", { instanceRef: { name: "web" }, prefixLength: 64 });
    const range = { kind: "IPv6Range", name: "range", address: "IPv6" };
    world.cluster.create("DomainRecord", "one", recordOf(range, "AAAA"));
    world.cluster.create("Firewall", "wall", { ...specs.Firewall, inbound: [{ ...tcp, fromRefs: [range] }] });
    await world.advance(soonMs);
    const id = idOf(world, "IPv6Range", "range");
    expect(id).toMatch(/::$/);
    expect(records(world).map(({ target }) => target)).toEqual([id]);
    const [wall] = world.cloud.rows(paths.Firewall);
    expect(wall).toMatchObject({ rules: { inbound: [{ addresses: { ipv6: [`${id}/64`] } }] } });
  });

  it("of an instance that a Firewall also protects delays the deletion, as the protection does", async () => {
    const world = await withInstance();
    const spec = { ...specs.Firewall, inbound: [{ ...tcp, fromRefs: [web] }], instanceRefs: [{ name: "web" }] };
    world.cluster.create("Firewall", "wall", spec);
    await world.advance(soonMs);
    world.cluster.delete("ComputeInstance", "web");
    await world.advance(soonMs);
    expect(stateOf(world, "ComputeInstance", "web")).toBe("WaitingForDependents");
    world.cluster.patch("Firewall", "wall", { spec: { instanceRefs: [] } });
    await world.advance(soonMs);
    expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
  });
});

describe("an address that passed to another instance since the last list", () => {
  it("is not sent again with a changed rule", async () => {
    const world = await withInstance();
    const rule = { ...tcp, fromRefs: [web] };
    world.cluster.create("Firewall", "wall", { ...specs.Firewall, inbound: [rule] });
    await world.advance(soonMs);
    const former = addressOf(world);
    changeAddresses(world, idOf(world, "ComputeInstance", "web"), ["203.0.113.77"]);
    const since = world.cloud.ledger().length;
    world.cluster.patch("Firewall", "wall", { spec: { inbound: [{ ...rule, ports: "443" }] } });
    await world.advance(2 * followMs);
    expect(networksIn(world, "inbound")).toEqual(["203.0.113.77/32"]);
    expect(JSON.stringify(changesIn(world.cloud.ledger().slice(since)))).not.toContain(former);
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
  });
});

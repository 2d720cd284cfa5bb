/** Deleting a setting resets what this object has set, whatever its spec says by then, and nothing that others have set since. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import type { CloudRow } from "../../world/rows.ts";
import { changes, giveAway, idOf, messageOf, specs, stateOf, untilHeld } from "../support.ts";

const minute = 60_000;

interface Setting {
  kind: string;
  /** Arranges what is set, and what the object needs. */
  prepare: (world: World) => object;
  /** After the object was created: what a person does. */
  follow?: (world: World) => void;
  /** The spec asks for something else by then. */
  changed: object;
  /** Somebody else sets it. */
  set: (world: World) => void;
  shown: (world: World) => unknown;
  reset: unknown;
  others: unknown;
}

const address = "192.0.2.10";
const instances = "/compute/instances";
const ips = "/networking/ips";
const phoneOf = ({ cloud }: World) => cloud.user("ada").phone;
const sharedOf = ({ cloud }: World) => cloud.find(instances, "1001")?.beside["ips"] as { ipv4: { shared: object[] } };

const settings: Setting[] = [
  {
    kind: "IPSharing",
    prepare({ cloud }) {
      const instance = cloud.add(instances, { label: "web", region: "us-east", type: "g6-standard-1" });
      instance.beside["ips"] = { ipv4: { shared: [] }, ipv6: {} };
      return { instanceRef: { id: instance.id }, addresses: [address] };
    },
    changed: { addresses: ["192.0.2.11"] },
    set: (world) => void (sharedOf(world).ipv4.shared = [{ address: "192.0.2.12" }]),
    shown: (world) => sharedOf(world).ipv4.shared,
    reset: [],
    others: [{ address: "192.0.2.12" }],
  },
  {
    kind: "PhoneVerification",
    prepare: () => ({ phoneNumber: "+436601234567", isoCode: "AT", codeSecretRef: { name: "code" } }),
    follow: (world) => void world.cluster.secret("code", { code: phoneOf(world).codes.at(-1) ?? "" }),
    changed: { phoneNumber: "+436607654321" },
    set: (world) => void (phoneOf(world).verified = "+436600000001"),
    shown: (world) => phoneOf(world).verified,
    reset: undefined,
    others: "+436600000001",
  },
  {
    kind: "ReverseDNS",
    prepare({ cloud }) {
      cloud.add(ips, { address, rdns: "cloud.example.net" });
      return { address, hostname: "mail.example.org" };
    },
    changed: { hostname: "other.example.org" },
    set: ({ cloud }) => void Object.assign(cloud.find(ips, address)!.fields, { rdns: "theirs.example.org" }),
    shown: ({ cloud }) => cloud.find(ips, address)?.fields["rdns"],
    reset: null,
    others: "theirs.example.org",
  },
];

describe.each(settings)("$kind, whose spec was changed and not carried out before it is deleted", (setting) => {
  const { kind, changed, set, shown, reset, others } = setting;

  it("is reset to what was there without it", async () => {
    const world = await ready(setting);
    await changedAndDeleted(world);
    expect(shown(world)).toEqual(reset);
    expect(world.cluster.get(kind, "one")).toBeUndefined();
  });

  it("keeps what somebody else has set since, which an event says", async () => {
    const world = await ready(setting);
    const sent = changes(world).length;
    await changedAndDeleted(world, () => set(world));
    expect(shown(world)).toEqual(others);
    expect(changes(world)).toHaveLength(sent);
    expect(world.cluster.events().at(-1)).toMatchObject({
      reason: "Orphaned",
      note: expect.stringContaining("the values differ from the values that this object set") as string,
    });
  });

  it("keeps what somebody else has set under Report", async () => {
    const world = await ready(setting);
    world.cluster.patch(kind, "one", { spec: { management: { driftPolicy: "Report" } } });
    await world.advance(minute);
    set(world);
    await world.advance(20 * minute);
    await changedAndDeleted(world);
    expect(shown(world)).toEqual(others);
  });

  async function changedAndDeleted(world: World, meanwhile?: () => void): Promise<void> {
    world.crash();
    meanwhile?.();
    world.cluster.patch(kind, "one", { spec: changed });
    world.cluster.delete(kind, "one");
    world.restart();
    await world.advance(5 * minute);
  }
});

describe("a ReverseDNS of an instance, whose address the cloud has given to somebody else's", () => {
  async function ofInstance(): Promise<{ world: World; strangers: number }> {
    const world = createWorld();
    for (const name of ["web", "dummy"]) world.cluster.create("ComputeInstance", name, specs.ComputeInstance);
    await world.advance(6 * minute);
    const strangers = Number(world.cloud.add(instances, { label: "strangers", region: "us-east" }).id);
    const of = (name: string, own: string) => {
      const id = idOf(world, "ComputeInstance", name);
      world.cloud.change(instances, id, { ipv4: [own] });
      world.cloud.add(ips, { address: own, type: "ipv4", public: true, compute_id: Number(id) });
    };
    of("web", address);
    of("dummy", "192.0.2.20");
    await world.advance(2 * minute);
    return { world, strangers };
  }

  const rdns = (name: string) => ({
    addressRef: { kind: "ComputeInstance", name, address: "Public" },
    hostname: `${name}.example.org`,
  });
  const give = ({ cloud }: World, to: number) =>
    void Object.assign(cloud.find(ips, address)!.fields, { compute_id: to });

  it("while its change is held, sets nothing there", async () => {
    const { world, strangers } = await ofInstance();
    world.cloud.fault({ kind: "tooMany", method: "PUT", ms: 8_000 });
    world.cluster.create("ReverseDNS", "dummy", rdns("dummy"));
    await untilHeld(world);
    world.cluster.create("ReverseDNS", "web", rdns("web"));
    await world.advance(2_000);
    give(world, strangers);
    await world.advance(10 * minute);
    expect(changes(world).filter((change) => change === `PUT ${ips}/${address}`)).toEqual([]);
    expect(world.cluster.get("ReverseDNS", "dummy")).toBeReady();
  });

  it("is not reset there when it is deleted", async () => {
    const { world, strangers } = await ofInstance();
    world.cluster.create("ReverseDNS", "web", rdns("web"));
    await world.advance(minute);
    expect(stateOf(world, "ReverseDNS", "web"), messageOf(world, "ReverseDNS", "web")).toBe("Ready");
    const since = changes(world).length;
    world.crash();
    give(world, strangers);
    world.cluster.delete("ReverseDNS", "web");
    world.restart();
    await world.advance(10 * minute);
    expect(changes(world).slice(since)).toEqual([]);
    expect(world.cluster.get("ReverseDNS", "web")).toBeUndefined();
  });

  it("is reset when it is deleted together with its instance, which stays", async () => {
    const { world } = await ofInstance();
    world.cluster.patch("ComputeInstance", "web", { spec: { management: { deletionPolicy: "Orphan" } } });
    world.cluster.create("ReverseDNS", "web", rdns("web"));
    await world.advance(minute);
    const since = changes(world).length;
    for (const kind of ["ReverseDNS", "ComputeInstance"]) world.cluster.delete(kind, "web");
    await world.advance(10 * minute);
    expect(changes(world).slice(since)).toEqual([`PUT ${ips}/${address}`]);
    expect(world.cluster.get("ReverseDNS", "web")).toBeUndefined();
  });
});

describe("an IPSharing of an instance whose id others' instance has by now", () => {
  const kind = "IPSharing";

  async function given(how: "name" | "id"): Promise<{ world: World; theirs: CloudRow; since: number }> {
    const world = createWorld();
    const fields = { label: "web", region: "us-east", type: "g6-standard-1" };
    if (how === "name") world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    else world.cloud.add(instances, fields);
    await world.advance(6 * minute);
    const own = world.cloud.history().find(({ path }) => path === instances)!;
    own.beside["ips"] = { ipv4: { shared: [] }, ipv6: {} };
    const instanceRef = how === "name" ? { name: "web" } : { id: own.id };
    world.cluster.create(kind, "web", { instanceRef, addresses: [address] });
    await world.advance(minute);
    expect(stateOf(world, kind, "web"), messageOf(world, kind, "web")).toBe("Ready");
    const theirs = giveAway(world, own);
    theirs.beside["ips"] = { ipv4: { shared: [{ address }] }, ipv6: {} };
    return { world, theirs, since: changes(world).length };
  }

  it.each(["name", "id"] as const)("ends nothing there when it is deleted; by %s", async (how) => {
    const { world, theirs, since } = await given(how);
    await world.advance(2 * minute);
    world.cluster.delete(kind, "web");
    await world.advance(10 * minute);
    expect(changes(world).slice(since)).toEqual([]);
    expect(theirs.beside["ips"]).toMatchObject({ ipv4: { shared: [{ address }] } });
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(world.cluster.events().at(-1)?.note).toContain("the ID now names a different cloud object");
  });

  it("is set anew where the operator made the instance again under its id", async () => {
    const { world, theirs } = await given("name");
    world.cluster.patch("ComputeInstance", "web", { spec: { management: { missingPolicy: "Recreate" } } });
    world.cloud.settings.reuseIds = true;
    world.cloud.remove(instances, theirs.id);
    await world.advance(10 * minute);
    expect(world.cloud.rows(instances)).toMatchObject([{ id: Number(theirs.id) }]);
    expect(idOf(world, "ComputeInstance", "web")).toBe(theirs.id);
    world.cloud.find(instances, theirs.id)!.beside["ips"] = { ipv4: { shared: [] }, ipv6: {} };
    await world.advance(20 * minute);
    expect(stateOf(world, kind, "web"), messageOf(world, kind, "web")).toBe("Ready");
    expect(sharedOf(world).ipv4.shared).toEqual([{ address }]);
  });

  it("sets nothing there, and says so", async () => {
    const { world, since } = await given("id");
    world.restart();
    world.cluster.patch(kind, "web", { spec: { addresses: ["192.0.2.11"] } });
    await world.advance(20 * minute);
    expect(changes(world).slice(since)).toEqual([]);
    expect(stateOf(world, kind, "web")).toBe("Conflict");
  });
});

async function ready({ kind, prepare, follow }: Setting): Promise<World> {
  const world = createWorld();
  world.cluster.create(kind, "one", prepare(world));
  await world.advance(minute);
  follow?.(world);
  await world.advance(minute);
  expect(stateOf(world, kind, "one"), messageOf(world, kind, "one")).toBe("Ready");
  return world;
}

/** Objects that lost their record: the operator must not request and pay for their cloud objects again. */
import { describe, expect, it } from "vitest";
import { kinds } from "../../../src/kinds/registry.ts";
import { resources } from "../../../src/twin/definitions.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { cases } from "./odd-row-cases.ts";
import { calm, changes, crashedAnywhere, follow, idOf, messageOf, minutes, stateOf } from "../support.ts";

const machine = { region: "us-east", type: "g6-standard-1" };
const addresses = "/networking/ips";
const isPOST = (change: string): boolean => change.startsWith("POST");

interface Scene {
  name: string;
  prepare: (world: World) => void;
  settleMs: number;
}

/** One scene for each billable kind. The shared scene of an IPAddress adopts an address. This scene requests an address. */
const scenes: Record<string, Scene> = {
  ...cases,
  IPAddress: {
    name: "second",
    prepare({ cluster }) {
      cluster.create("ComputeInstance", "web", machine);
      cluster.create("IPAddress", "second", { instanceRef: { name: "web" }, public: true });
    },
    settleMs: minutes(3),
  },
};

const billable = [...kinds.values()].filter(({ shape, billable: costs }) => shape === "owned" && costs);

async function withReady(kind: string): Promise<{ world: World; name: string }> {
  const { name, prepare, settleMs } = scenes[kind]!;
  const world = createWorld();
  await world.settle();
  prepare(world);
  await world.advance(settleMs);
  expect(stateOf(world, kind, name), messageOf(world, kind, name)).toBe("Ready");
  return { world, name };
}

/** Restores an object without its record, like an older etcd or a backup without status. */
function comeBack({ cluster }: World, kind: string, name: string): void {
  const { spec } = cluster.get(kind, name)!;
  cluster.patch(kind, name, { metadata: { finalizers: [] } });
  cluster.delete(kind, name);
  cluster.create(kind, name, spec);
}

const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

describe.each(billable.map(({ kind }) => kind))("A %s that lost its record", (kind) => {
  it("reports Conflict with the ID after etcd was restored, and requests nothing", async () => {
    const { world, name } = await withReady(kind);
    const id = idOf(world, kind, name);
    world.crash();
    comeBack(world, kind, name);
    const since = world.cloud.ledger().length;
    world.restart();
    await world.advance(minutes(30));
    expect(changes(world, since)).toEqual([]);
    expect(stateOf(world, kind, name)).toBe("Conflict");
    expect(messageOf(world, kind, name)).toContain(id);
  });

  it("requests nothing after etcd lost the record of every object", async () => {
    const { world } = await withReady(kind);
    world.crash();
    for (const { kind: other, metadata } of world.cluster.list()) comeBack(world, other, metadata.name);
    const since = world.cloud.ledger().length;
    world.restart();
    await world.advance(minutes(30));
    expect(changes(world, since).filter(isPOST)).toEqual([]);
  });

  it("reports Conflict with the ID after its definition was deleted and installed again", async () => {
    const { world, name } = await withReady(kind);
    const id = idOf(world, kind, name);
    const { spec } = world.cluster.get(kind, name)!;
    const { plural, group } = resources.get(kind)!;
    const definition = { name: `${plural}.${group}` };
    const since = world.cloud.ledger().length;
    world.cluster.objects.beginDelete(definitions, definition)();
    world.cluster.delete(kind, name);
    await world.advance(minutes(5));
    expect(world.cluster.get(kind, name)).toBeUndefined();
    world.cluster.objects.create(definitions, { metadata: definition });
    world.cluster.create(kind, name, spec);
    await world.advance(minutes(30));
    expect(changes(world, since)).toEqual([]);
    expect(stateOf(world, kind, name)).toBe("Conflict");
    expect(messageOf(world, kind, name)).toContain(id);
  });
});

describe("An IPAddress for an instance", () => {
  async function withInstance(...names: string[]): Promise<World> {
    const world = createWorld(calm);
    world.cluster.create("ComputeInstance", "web", machine);
    await world.advance(minutes(2));
    await request(world, ...names);
    return world;
  }

  async function request(world: World, ...names: string[]): Promise<void> {
    for (const name of names) world.cluster.create("IPAddress", name, { instanceRef: { name: "web" }, public: true });
    await world.advance(minutes(2));
  }

  /** Adds an address to the instance, like a user in the console of the cloud. */
  function addByHand(world: World): string {
    const id = idOf(world, "ComputeInstance", "web");
    return world.cloud.add(addresses, { compute_id: Number(id) }).id;
  }

  const requests = (world: World): string[] => changes(world).filter((change) => change === `POST ${addresses}`);
  const states = (world: World, ...names: string[]) => names.map((name) => stateOf(world, "IPAddress", name));
  const firstOf = (world: World): string =>
    (world.cluster.get("ComputeInstance", "web")!.status as { ipv4: string[] }).ipv4[0]!;

  it("is created although the instance has its built-in address, which no custom resource owns", async () => {
    const world = await withInstance("second");
    expect(states(world, "second")).toEqual(["Ready"]);
  });

  it("is created beside two others that are created at the same time", async () => {
    const world = await withInstance("one", "two", "three");
    expect(states(world, "one", "two", "three")).toEqual(["Ready", "Ready", "Ready"]);
    expect(requests(world)).toHaveLength(3);
  });

  it("is created at most once after a crash at each step, and never in conflict with another one", async () => {
    // After a request without a response, the user decides. CreateUncertain comes ten minutes after the request.
    const isRight = (world: World) => {
      const isSettled = states(world, "one", "two").every((state) =>
        /Ready|CreateUncertain|Creating/.test(String(state)),
      );
      return Promise.resolve(isSettled && world.cloud.rows(addresses).length <= 2);
    };
    const scene = async () => {
      const world = await withInstance();
      for (const name of ["one", "two"])
        world.cluster.create("IPAddress", name, { instanceRef: { name: "web" }, public: true });
      return world;
    };
    expect(await crashedAnywhere(scene, isRight, 5)).toEqual([]);
  });

  it("reports Conflict beside an address that a user added by hand, and names both cures", async () => {
    const world = await withInstance();
    const id = addByHand(world);
    await request(world, "second");
    expect(states(world, "second")).toEqual(["Conflict"]);
    expect(messageOf(world, "IPAddress", "second")).toBe(
      `The account already has IP address ${id} with instanceRef "web", and no custom resource owns it. The operator creates nothing. ` +
        `To use it, set spec.management.adopt.id: "${id}". To request another IP address: kubectl annotate ` +
        `ipaddress.cloudplatform.dev -n default second --overwrite cloudplatform.dev/create-another=${id}`,
    );
    expect(requests(world)).toEqual([]);
  });

  it("adopts the address if the user sets its ID", async () => {
    const world = await withInstance();
    const id = addByHand(world);
    await request(world, "second");
    world.cluster.patch("IPAddress", "second", { spec: { management: { adopt: { id } } } });
    await world.advance(minutes(2));
    expect(states(world, "second")).toEqual(["Ready"]);
    expect(idOf(world, "IPAddress", "second")).toBe(id);
    expect(requests(world)).toEqual([]);
  });

  it("is created if the user names the address beside which another one is wanted", async () => {
    const world = await withInstance();
    const id = addByHand(world);
    await request(world, "second");
    follow(world, "IPAddress", "second", "create-another");
    await world.advance(minutes(2));
    expect(states(world, "second")).toEqual(["Ready"]);
    expect(idOf(world, "IPAddress", "second")).not.toBe(id);
    expect(requests(world)).toHaveLength(1);
  });

  it("is created if a manifest names the address from the start", async () => {
    const world = await withInstance();
    const annotations = { "cloudplatform.dev/create-another": addByHand(world) };
    world.cluster.create("IPAddress", "second", { instanceRef: { name: "web" }, public: true }, { annotations });
    await world.advance(minutes(2));
    expect(states(world, "second")).toEqual(["Ready"]);
  });

  it("reports Conflict beside an address that the annotation does not name", async () => {
    const world = await withInstance();
    const annotations = { "cloudplatform.dev/create-another": addByHand(world) };
    const other = addByHand(world);
    world.cluster.create("IPAddress", "second", { instanceRef: { name: "web" }, public: true }, { annotations });
    await world.advance(minutes(2));
    expect(states(world, "second")).toEqual(["Conflict"]);
    expect(messageOf(world, "IPAddress", "second")).toContain(`has IP address ${other} with`);
    follow(world, "IPAddress", "second", "create-another");
    await world.advance(minutes(2));
    expect(states(world, "second")).toEqual(["Ready"]);
  });

  it("is requested no more if the user withdraws the annotation before the request leaves", async () => {
    const world = await withInstance();
    addByHand(world);
    await request(world, "second");
    world.cluster.watch.held = true;
    follow(world, "IPAddress", "second", "create-another");
    world.cluster.releaseWatches();
    world.cluster.annotate("IPAddress", "second", { "cloudplatform.dev/create-another": null });
    await world.advance(minutes(2));
    expect(requests(world)).toEqual([]);
  });

  it("is created once the address is deleted", async () => {
    const world = await withInstance();
    const id = addByHand(world);
    await request(world, "second");
    world.cloud.remove(addresses, id);
    await world.advance(minutes(2));
    expect(states(world, "second")).toEqual(["Ready"]);
  });

  it("is created once another IPAddress has adopted the address", async () => {
    const world = await withInstance();
    const id = addByHand(world);
    await request(world, "second");
    world.cluster.create(
      "IPAddress",
      "first",
      { instanceRef: { name: "web" }, public: true },
      { management: { adopt: { id } } },
    );
    await world.advance(minutes(10));
    expect(states(world, "first", "second")).toEqual(["Ready", "Ready"]);
    expect(requests(world)).toHaveLength(1);
  });

  it("reports Conflict after a restore also if another IPAddress manages the built-in address", async () => {
    const world = await withInstance();
    const management = { adopt: { id: firstOf(world) } };
    world.cloud.add(addresses, { address: firstOf(world), compute_id: Number(idOf(world, "ComputeInstance", "web")) });
    world.cluster.create("IPAddress", "built-in", { instanceRef: { name: "web" }, public: true }, { management });
    await request(world, "second");
    expect(states(world, "built-in", "second")).toEqual(["Ready", "Ready"]);
    world.crash();
    comeBack(world, "IPAddress", "second");
    world.restart();
    await world.advance(minutes(5));
    expect(states(world, "built-in", "second")).toEqual(["Ready", "Conflict"]);
    expect(requests(world)).toHaveLength(1);
  });

  it("is created again after its address vanished, although another one was orphaned since", async () => {
    const world = await withInstance("one", "two");
    world.cluster.patch("IPAddress", "one", { spec: { management: { deletionPolicy: "Orphan" } } });
    await world.advance(minutes(1));
    world.cluster.delete("IPAddress", "one");
    await world.advance(minutes(1));
    world.cloud.remove(addresses, idOf(world, "IPAddress", "two"));
    await world.advance(minutes(10));
    expect(states(world, "two")).toEqual(["Ready"]);
    expect(requests(world)).toHaveLength(3);
  });

  it("reports Conflict beside an address that was orphaned before it was first applied", async () => {
    const world = await withInstance("one");
    world.cluster.patch("IPAddress", "one", { spec: { management: { deletionPolicy: "Orphan" } } });
    await world.advance(minutes(1));
    world.cluster.delete("IPAddress", "one");
    await request(world, "two");
    expect(states(world, "two")).toEqual(["Conflict"]);
  });
});

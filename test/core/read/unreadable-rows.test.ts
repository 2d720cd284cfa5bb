/** A row that cannot be read, of anybody's, hurts nothing but its own object. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, idsIn, madeMs, obey, paths, specs, stateOf } from "../support.ts";
import type { CaseKind } from "../support.ts";

const strange: [CaseKind, string, JsonObject][] = [
  ["SSHKey", "a label of null", { label: null }],
  ["Firewall", "a label of null", { label: null }],
  ["Firewall", "rules of an unknown form", { rules: { outbound: null, inbound: [{ like: "nothing" }] } }],
  ["Firewall", "rules that are a text", { rules: "none" }],
  ["ComputeInstance", "no label", { label: null }],
  ["ComputeInstance", "no specs", { specs: null }],
  ["ComputeInstance", "a type that is a number", { type: 7 }],
  ["ComputeInstance", "a time that is none", { created: null }],
  ["Domain", "no name", { domain: null }],
  ["Bucket", "no time", { created: null }],
  ["ManagedMySQL", "a size that is a text", { cluster_size: "three" }],
];

function names(kind: CaseKind): string {
  return `my-${kind.toLowerCase()}`;
}

describe.each(strange)("a stranger's %s with %s", (kind, _, fields) => {
  const name = names(kind);
  const spec = specs[kind];

  async function beside(): Promise<{ world: World; serial: number }> {
    const world = createWorld();
    const base: JsonObject = kind === "Bucket" ? { cluster: "us-east-1", label: "other" } : { label: "other" };
    const { serial } = world.cloud.add(paths[kind], { ...base, status: "running", domain: "other.org", ...fields });
    await world.settle();
    world.cluster.create(kind, name, spec);
    await world.advance(madeMs);
    return { world, serial };
  }

  it("does not keep others from being made, changed and deleted, after a restart neither", async () => {
    const { world } = await beside();
    expect(world.cluster.get(kind, name)).toBeReady();
    world.restart();
    const second = kind === "Domain" ? { ...spec, domain: "second.org" } : spec;
    world.cluster.create(kind, `${name}-2`, second);
    await world.advance(madeMs);
    expect(world.cluster.get(kind, name)).toBeReady();
    expect(world.cluster.get(kind, `${name}-2`)).toBeReady();
    world.cluster.delete(kind, name);
    world.cluster.delete(kind, `${name}-2`);
    await world.advance(120_000);
    expect(world.cluster.list(kind)).toEqual([]);
    expect(idsIn(world, kind)).toHaveLength(1);
  });

  it("does not hide that what was deleted outside is gone", async () => {
    const { world } = await beside();
    world.cloud.remove(paths[kind], idOf(world, kind, name));
    await world.advance(120_000);
    const holdsData = ["ComputeInstance", "Bucket", "ManagedMySQL"].includes(kind);
    expect(stateOf(world, kind, name)).toBe(holdsData ? "Missing" : "Ready");
    expect(idsIn(world, kind)).toHaveLength(holdsData ? 1 : 2);
  });
});

describe.each([
  ["SSHKey", { label: null }, { label: "my-sshkey" }],
  ["Firewall", { rules: "none" }, { rules: { inbound_policy: "DROP", outbound_policy: "ACCEPT" } }],
  ["ComputeInstance", { status: null }, { status: "running" }],
] as const)("an own %s that cannot be read any more", (kind, spoiled, mended) => {
  async function spoil(): Promise<World> {
    const world = createWorld();
    world.cluster.create(kind, names(kind), specs[kind]);
    world.cluster.create("Domain", "zone", specs.Domain);
    await world.advance(120_000);
    world.cloud.change(paths[kind], idOf(world, kind, names(kind)), spoiled);
    await world.advance(120_000);
    return world;
  }

  it("is neither gone nor made anew, and nothing is sent for it", async () => {
    const world = await spoil();
    const since = world.cloud.ledger().length;
    await world.advance(1_300_000);
    expect(stateOf(world, kind, names(kind))).not.toBe("Missing");
    expect(changes(world, since)).toEqual([]);
    expect(idsIn(world, kind)).toHaveLength(1);
  });

  it("is ready again when it can be read", async () => {
    const world = await spoil();
    world.restart();
    await world.advance(120_000);
    world.cloud.change(paths[kind], idOf(world, kind, names(kind)), mended);
    await world.advance(700_000);
    expect(stateOf(world, kind, names(kind))).toBe("Ready");
  });
});

it("a lost creation is not repeated while a row that may be its own cannot be read", async () => {
  const world = createWorld();
  world.cloud.fault({ kind: "lostAfter", method: "POST", path: /instances$/ });
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.settle();
  const [id = ""] = idsIn(world, "ComputeInstance");
  world.cloud.change(paths.ComputeInstance, id, { type: null });
  await world.advance(madeMs);
  expect(stateOf(world, "ComputeInstance", "web")).toBe("CreateUncertain");
  expect(idsIn(world, "ComputeInstance")).toEqual([id]);
  obey(world, "ComputeInstance", "web");
  await world.advance(120_000);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
});

it("an instance that cannot be read may be referred to by what is created", async () => {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "host", specs.ComputeInstance);
  await world.advance(madeMs);
  const row = world.cloud.find(paths.ComputeInstance, idOf(world, "ComputeInstance", "host"))!;
  row.fields["label"] = 7;
  await world.advance(120_000);
  expect(stateOf(world, "ComputeInstance", "host")).toBe("Unreadable");
  world.cluster.create("Firewall", "wall", { ...specs.Firewall, instanceRefs: [{ name: "host" }] });
  await world.advance(60_000);
  expect(world.cluster.get("Firewall", "wall")).toBeReady();
});

it.each(["SSHKey", "Firewall", "ComputeInstance"] as const)(
  "a %s that tells no time of creation any more is deleted by the process that has seen it all along",
  async (kind) => {
    const world = createWorld();
    world.cluster.create(kind, names(kind), specs[kind]);
    await world.advance(madeMs);
    world.cloud.find(paths[kind], idOf(world, kind, names(kind)) ?? "")!.fields["created"] = null;
    await world.advance(120_000);
    world.cluster.delete(kind, names(kind));
    await world.advance(120_000);
    expect(idsIn(world, kind)).toEqual([]);
    expect(world.cluster.get(kind, names(kind))).toBeUndefined();
  },
);

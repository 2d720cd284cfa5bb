/** Which objects hold an account or a cloud object: those that have something there, by whatever form of reference. */
import { describe, expect, it, vi } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import { finalizer } from "../../../src/core/kind/resource.ts";
import { mostSelectable, heldKinds, selectableReferences } from "../../../src/core/kind/selectable.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { calm, changes, idOf, madeMs, messageOf, minutes, shapes, specs, stateOf } from "../support.ts";
import type { CaseKind } from "../support.ts";

const zone = { domain: "example.org", type: "master", soaEmail: "ada@example.org" };
const record = { type: "A", name: "www", target: "192.0.2.1" };
const shared = { accountRef: { name: "default", namespace: "default" } };

function share(world: World, sharing: object | null): void {
  world.cluster.patch("CloudAccount", "default", { spec: { sharing } });
}

function tokenSecret({ cluster }: World) {
  return cluster.objects.get(secrets, { namespace: "default", name: "cloud-token" });
}

describe("an account that is being deleted", () => {
  it("does not wait for an object of a foreign namespace that merely names it, whatever that object carries", async () => {
    const world = createWorld();
    world.cluster.create("Firewall", "wall", shapes.Firewall.spec);
    await world.advance(minutes(1));
    const copied = world.cluster.get("Firewall", "wall")?.metadata.annotations ?? {};
    const forged = { namespace: "team-c", annotations: copied };
    const { metadata } = world.cluster.create("Firewall", "wall", { ...shapes.Firewall.spec, ...shared }, forged);
    expect(metadata.namespace).toBe("team-c");
    world.cluster.patch("Firewall", "wall", { metadata: { finalizers: [finalizer] } }, "team-c");
    await world.advance(minutes(1));
    expect(stateOf(world, "Firewall", "wall", "team-c")).toBe("NotShared");
    world.cluster.delete("Firewall", "wall");
    world.cluster.delete("CloudAccount", "default");
    world.cluster.objects.beginDelete(secrets, { namespace: "default", name: "cloud-token" })();
    await world.advance(minutes(10));
    expect(world.cluster.get("CloudAccount", "default")).toBeUndefined();
    expect(tokenSecret(world)).toBeUndefined();
  });

  it("waits for an object of a namespace that it is shared with, and names a cure that its owner can apply", async () => {
    const world = createWorld();
    share(world, { namespaces: ["team-b"] });
    world.cluster.create("Firewall", "theirs", { ...shapes.Firewall.spec, ...shared }, { namespace: "team-b" });
    await world.advance(minutes(1));
    expect(world.cluster.get("Firewall", "theirs", "team-b")).toBeReady();
    world.cluster.delete("CloudAccount", "default");
    await world.advance(minutes(10));
    const message = messageOf(world, "CloudAccount", "default");
    expect(message).toContain("1 object of namespace team-b");
    expect(message).toContain("spec.sharing.namespaces");
    share(world, null);
    await world.advance(minutes(10));
    expect(world.cluster.get("CloudAccount", "default")).toBeUndefined();
    expect(world.cloud.rows(shapes.Firewall.path)).toHaveLength(1);
  });

  it("waits for an object whose creation has no outcome yet", async () => {
    const world = createWorld();
    await world.advance(minutes(1));
    world.cloud.fault({ kind: "lostBefore", method: "POST", path: /firewalls$/ });
    world.cluster.create("Firewall", "wall", shapes.Firewall.spec);
    await world.advance(5_000);
    world.cluster.delete("CloudAccount", "default");
    await world.advance(5_000);
    expect(messageOf(world, "CloudAccount", "default")).toContain("Firewall default/wall");
  });
});

describe("a zone that is being deleted", () => {
  const adopted = async (): Promise<{ world: World; id: string }> => {
    const world = createWorld();
    const { id } = world.cloud.add("/domains", { domain: "example.org", type: "master", soa_email: "ada@example.org" });
    await world.advance(minutes(1));
    return { world, id };
  };

  it("waits for a protected record that names it by its id", async () => {
    const { world, id } = await adopted();
    world.cluster.create("DomainRecord", "www", { domainRef: { id }, ...record }, { management: { protect: true } });
    await world.advance(minutes(2));
    expect(world.cluster.get("DomainRecord", "www")).toBeReady();
    world.cluster.create("Domain", "zone", zone, { management: { adopt: { id } } });
    await world.advance(minutes(2));
    expect(idOf(world, "Domain", "zone")).toBe(id);
    world.cluster.delete("Domain", "zone");
    await world.advance(minutes(5));
    expect(changes(world).filter((one) => one.startsWith("DELETE"))).toEqual([]);
    expect(messageOf(world, "Domain", "zone")).toContain("DomainRecord www (protected)");
    world.cluster.patch("DomainRecord", "www", { spec: { management: { protect: false } } });
    await world.advance(minutes(5));
    expect(world.cluster.get("Domain", "zone")).toBeUndefined();
  });

  it("waits for a protected record of another namespace that may name it", async () => {
    const { world, id } = await adopted();
    share(world, { namespaces: ["team-b"], existing: ["team-b"] });
    const options = { namespace: "team-b", management: { protect: true } };
    world.cluster.create("DomainRecord", "www", { domainRef: { id }, ...record, ...shared }, options);
    await world.advance(minutes(2));
    expect(world.cluster.get("DomainRecord", "www", "team-b")).toBeReady();
    world.cluster.create("Domain", "zone", zone, { management: { adopt: { id } } });
    await world.advance(minutes(2));
    world.cluster.delete("Domain", "zone");
    await world.advance(minutes(5));
    expect(changes(world).filter((one) => one.startsWith("DELETE"))).toEqual([]);
    expect(messageOf(world, "Domain", "zone")).toContain("DomainRecord team-b/www (protected)");
    expect(messageOf(world, "Domain", "zone")).toContain("spec.sharing.existing");
    share(world, { namespaces: ["team-b"], existing: [] });
    await world.advance(minutes(5));
    expect(world.cluster.get("Domain", "zone")).toBeUndefined();
  });

  it("does not wait for an object of a foreign namespace that merely names it", async () => {
    const { world, id } = await adopted();
    const options = { namespace: "team-c", management: { protect: true } };
    world.cluster.create("DomainRecord", "www", { domainRef: { id }, ...record, ...shared }, options);
    world.cluster.patch("DomainRecord", "www", { metadata: { finalizers: [finalizer] } }, "team-c");
    world.cluster.create("Domain", "zone", zone, { management: { adopt: { id } } });
    await world.advance(minutes(2));
    world.cluster.delete("Domain", "zone");
    await world.advance(minutes(5));
    expect(world.cluster.get("Domain", "zone")).toBeUndefined();
  });

  it("waits for a protected record of an object that observes the same zone", async () => {
    const { world, id } = await adopted();
    const observed = { management: { policy: "Observe", adopt: { id } } };
    world.cluster.create("Domain", "seen", zone, observed);
    await world.advance(minutes(2));
    const kept = { management: { protect: true } };
    world.cluster.create("DomainRecord", "www", { domainRef: { name: "seen" }, ...record }, kept);
    await world.advance(minutes(2));
    world.cluster.create("Domain", "zone", zone, { management: { adopt: { id } } });
    await world.advance(minutes(2));
    expect(stateOf(world, "Domain", "zone"), messageOf(world, "Domain", "zone")).toBe("Ready");
    world.cluster.delete("Domain", "zone");
    await world.advance(minutes(5));
    expect(changes(world).filter((one) => one.startsWith("DELETE"))).toEqual([]);
    expect(messageOf(world, "Domain", "zone")).toContain("DomainRecord www (protected)");
  });
});

describe("objects of a kind that is switched off", () => {
  /** The operator starts again without the kind. */
  async function without(disabledKinds: string[], before: (world: World) => Promise<void>): Promise<World> {
    const world = createWorld();
    await before(world);
    world.restart(disabledKinds);
    await world.advance(minutes(1));
    return world;
  }

  it("hold the zone that their kind can refer to", async () => {
    const world = await without(["DomainRecord"], async ({ cluster, advance }) => {
      cluster.create("Domain", "zone", zone);
      cluster.create(
        "DomainRecord",
        "www",
        { domainRef: { name: "zone" }, ...record },
        { management: { protect: true } },
      );
      await advance(minutes(3));
    });
    const since = world.cloud.ledger().length;
    world.cluster.delete("Domain", "zone");
    await world.advance(minutes(5));
    expect(changes(world, since)).toEqual([]);
    expect(messageOf(world, "Domain", "zone")).toContain("DomainRecord www");
    expect(messageOf(world, "Domain", "zone")).toContain("--disabled-kind DomainRecord");
  });

  it("do not hold another zone, because the signed entry of a record names its own", async () => {
    const world = await without(["DomainRecord"], async ({ cluster, advance }) => {
      cluster.create("Domain", "zone", zone);
      cluster.create("Domain", "empty", { ...zone, domain: "example.net" });
      cluster.create("DomainRecord", "www", { domainRef: { name: "zone" }, ...record });
      await advance(minutes(3));
    });
    world.cluster.delete("Domain", "empty");
    await world.advance(minutes(5));
    expect(world.cluster.get("Domain", "empty")).toBeUndefined();
  });

  it("hold their account and its token", async () => {
    const world = await without(["Firewall"], async ({ cluster, advance }) => {
      cluster.create("Firewall", "wall", shapes.Firewall.spec);
      await advance(minutes(1));
    });
    world.cluster.delete("CloudAccount", "default");
    world.cluster.objects.beginDelete(secrets, { namespace: "default", name: "cloud-token" })();
    await world.advance(minutes(10));
    expect(tokenSecret(world)).toBeDefined();
    expect(messageOf(world, "CloudAccount", "default")).toContain("--disabled-kind Firewall");
  });

  it("do not hold the account of another namespace by a finalizer or a copied entry", async () => {
    const world = await without(["Firewall"], async ({ cluster, advance }) => {
      cluster.create("Firewall", "wall", shapes.Firewall.spec);
      await advance(minutes(1));
      const annotations = cluster.get("Firewall", "wall")?.metadata.annotations ?? {};
      cluster.create("Firewall", "wall", { ...shapes.Firewall.spec, ...shared }, { namespace: "team-c", annotations });
      cluster.patch("Firewall", "wall", { metadata: { finalizers: [finalizer] } }, "team-c");
      cluster.delete("Firewall", "wall");
      await advance(minutes(1));
    });
    world.cluster.delete("CloudAccount", "default");
    await world.advance(minutes(10));
    expect(world.cluster.get("CloudAccount", "default")).toBeUndefined();
  });
});

/** References of every kind to the cloud object that contains it, by field. */
const contained = kinds.flatMap((kind) =>
  Object.values(kind.references ?? {}).flatMap((reference) => {
    if ("secret" in reference || !reference.contained) return [];
    const target = reference.kind as CaseKind;
    return (selectableReferences(kind).get(target) ?? []).map(({ name }) => ({ kind: kind.kind, target, name }));
  }),
);

describe.each(contained)("a protected $kind with $name", ({ kind, target, name }) => {
  const field = name.split(".").slice(1, -1);
  const specWith = (reference: object) => field.reduceRight<object>((inner, one) => ({ [one]: inner }), reference);

  it.each(["name", "id"])("holds what contains it by its %s", async (form) => {
    const world = createWorld(calm);
    world.cluster.create(target, "parent", specs[target]);
    await world.advance(madeMs);
    expect(world.cluster.get(target, "parent")).toBeReady();
    const reference = form === "name" ? { name: "parent" } : { id: idOf(world, target, "parent") };
    world.cluster.create(kind, "part", specWith(reference), { management: { protect: true } });
    await world.advance(1_000);
    world.cluster.delete(target, "parent");
    await world.advance(minutes(2));
    expect(changes(world).filter((one) => one.startsWith("DELETE"))).toEqual([]);
    expect(messageOf(world, target, "parent")).toContain(`${kind} part (protected)`);
  });
});

it("every reference of every kind to a cloud object is selected by fields or listed", () => {
  const listed = kinds.flatMap((kind) => {
    const selectable = selectableReferences(kind);
    const fields = [...selectable.values()].flat().length * 2;
    expect(fields, kind.kind).toBeLessThanOrEqual(mostSelectable);
    return [...heldKinds(kind)].filter((one) => !selectable.has(one)).map((one) => `${kind.kind} to ${one}`);
  });
  expect(listed.sort()).toEqual([
    "ComputeConfig to ComputeDisk",
    "Firewall to ComputeInstance",
    "IPSharing to IPAddress",
    "IPSharing to IPv6Range",
    "ObjectStorageKey to Bucket",
    "Tag to ComputeInstance",
    "Tag to Domain",
  ]);
});

describe("a deletion", () => {
  it("reads no specs of objects whose current version the operator knows, so large ones do not delay it", async () => {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "vm", specs.ComputeInstance);
    for (const name of ["a", "b", "c"])
      world.cluster.create("Firewall", name, { ...specs.Firewall, management: { policy: "Paused" } });
    await world.advance(madeMs);
    const list = vi.spyOn(world.cluster.objects, "list");
    world.cluster.delete("ComputeInstance", "vm");
    await world.advance(minutes(5));
    expect(world.cluster.get("ComputeInstance", "vm")).toBeUndefined();
    const ofFirewalls = list.mock.calls.filter(([{ plural }]) => plural === "firewalls");
    expect(ofFirewalls.length).toBeGreaterThan(0);
    expect(ofFirewalls.filter(([, options]) => options?.metadataOnly !== true)).toEqual([]);
  });
});

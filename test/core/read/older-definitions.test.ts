/** An administrator applies definitions of an older version, and the API server drops fields of all objects. */
import { describe, expect, it } from "vitest";
import { missingFields } from "../../../src/core/model/served-fields.ts";
import { customResourceDefinition, resourceOf } from "../../../src/generate/crd.ts";
import { cloudAccount } from "../../../src/kinds/account/cloud-account.ts";
import { kinds as all } from "../../../src/kinds/registry.ts";
import { generated, resources } from "../../../src/twin/definitions.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, messageOf, specs } from "../support.ts";

const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

interface Schema {
  properties: {
    spec: { properties: { management?: { properties: Record<string, unknown> } } };
    status: { properties: Record<string, unknown> };
  };
}

/** Applies a definition without fields of `management`, and drops the fields from all objects, like the API server. */
function downgrade(world: World, kind: string, ...fields: string[]): void {
  const { plural } = resources.get(kind)!;
  const spec = structuredClone(generated(all.find((one) => one.kind === kind)!)) as {
    versions: { schema: { openAPIV3Schema: Schema } }[];
  };
  for (const field of fields)
    delete spec.versions[0]!.schema.openAPIV3Schema.properties.spec.properties.management!.properties[field];
  world.cluster.objects.patch(definitions, { name: `${plural}.cloudplatform.dev` }, { spec });
  const management = Object.fromEntries(fields.map((field) => [field, null]));
  for (const { metadata } of world.cluster.list(kind))
    world.cluster.patch(kind, metadata.name, { spec: { management } });
}

/** Applies a definition from before the record, and drops the record from all objects. */
function withoutRecord(world: World, kind: string): void {
  const resource = resources.get(kind)!;
  const spec = structuredClone(generated(all.find((one) => one.kind === kind)!)) as {
    versions: { schema: { openAPIV3Schema: Schema } }[];
  };
  delete spec.versions[0]!.schema.openAPIV3Schema.properties.status.properties["record"];
  world.cluster.objects.patch(definitions, { name: `${resource.plural}.cloudplatform.dev` }, { spec });
  for (const { metadata } of world.cluster.list(kind))
    world.cluster.objects.patch(resource, metadata, { status: { record: null } }, "status");
}

function upgrade(world: World, kind: string): void {
  const spec = generated(all.find((one) => one.kind === kind)!);
  const { plural } = resources.get(kind)!;
  world.cluster.objects.patch(definitions, { name: `${plural}.cloudplatform.dev` }, { spec });
}

const fields = ["deletionPolicy", "protect", "policy"];

describe("An object whose definition lost fields of spec.management", () => {
  it.each([
    ["deletionPolicy: Orphan", { deletionPolicy: "Orphan" }],
    ["protect: true", { protect: true }],
    ["no field", {}],
  ] as const)("is not deleted from the cloud, with %s", async (_name, management) => {
    const world = createWorld();
    world.cluster.create("Domain", "zone", specs.Domain, { management });
    await world.advance(60_000);
    const since = world.cloud.ledger().length;
    downgrade(world, "Domain", ...fields);
    world.cluster.delete("Domain", "zone");
    await world.advance(600_000);
    expect(changes(world, since)).toEqual([]);
    expect(conditionOf(world.cluster.get("Domain", "zone"), "Ready")?.reason).toBe("OutdatedDefinition");
    expect(messageOf(world, "Domain", "zone")).toContain("spec.management.");
    expect(messageOf(world, "Domain", "zone")).toContain("domains.cloudplatform.dev");
  });

  it("is deleted after the administrator applies the current definition", async () => {
    const world = createWorld();
    world.cluster.create("Domain", "zone", specs.Domain);
    await world.advance(60_000);
    downgrade(world, "Domain", ...fields);
    world.cluster.delete("Domain", "zone");
    await world.advance(60_000);
    upgrade(world, "Domain");
    await world.advance(120_000);
    expect(world.cluster.get("Domain", "zone")).toBeUndefined();
    expect(world.cloud.rows("/domains")).toEqual([]);
  });

  it.each(["Paused", "Observe", "Plan"])("changes nothing after policy: %s disappeared", async (policy) => {
    const world = createWorld();
    world.cluster.create("Domain", "zone", specs.Domain);
    await world.advance(60_000);
    world.cluster.patch("Domain", "zone", { spec: { management: { policy } } });
    await world.advance(60_000);
    world.cluster.patch("Domain", "zone", { spec: { description: "another one" } });
    await world.advance(60_000);
    const since = world.cloud.ledger().length;
    downgrade(world, "Domain", "policy");
    await world.advance(600_000);
    expect(changes(world, since)).toEqual([]);
    expect(conditionOf(world.cluster.get("Domain", "zone"), "Ready")?.reason).toBe("OutdatedDefinition");
  });

  it("is neither changed nor deleted after its record disappeared, also after a restart", async () => {
    const world = createWorld();
    world.cluster.create("Domain", "zone", specs.Domain);
    await world.advance(60_000);
    const since = world.cloud.ledger().length;
    withoutRecord(world, "Domain");
    world.restart();
    world.cluster.patch("Domain", "zone", { spec: { description: "another one" } });
    await world.advance(60_000);
    world.cluster.delete("Domain", "zone");
    await world.advance(600_000);
    expect(changes(world, since)).toEqual([]);
    expect(messageOf(world, "Domain", "zone")).toContain("status.record");
  });

  it("is not created in the cloud", async () => {
    const world = createWorld();
    downgrade(world, "Domain", "policy");
    world.cluster.create("Domain", "zone", specs.Domain);
    await world.advance(600_000);
    expect(world.cloud.rows("/domains")).toEqual([]);
  });
});

it("A protected record keeps its zone after the definition of DomainRecord lost the field", async () => {
  const world = createWorld();
  world.cluster.create("Domain", "zone", specs.Domain);
  const spec = { domainRef: { name: "zone" }, type: "A", name: "www", target: "192.0.2.1" };
  world.cluster.create("DomainRecord", "www", spec, { management: { protect: true } });
  await world.advance(60_000);
  const since = world.cloud.ledger().length;
  downgrade(world, "DomainRecord", "protect");
  world.cluster.delete("Domain", "zone");
  await world.advance(600_000);
  expect(changes(world, since)).toEqual([]);
  expect(messageOf(world, "Domain", "zone")).toContain("domainrecords.cloudplatform.dev");
});

it("Further deletions read the metadata of a definition only", async () => {
  const world = createWorld();
  const { objects } = world.cluster;
  for (const name of ["a", "b", "c"]) world.cluster.create("SSHKey", name, { ...specs.SSHKey, label: name });
  await world.advance(60_000);
  const reads: string[] = [];
  const { get } = objects;
  objects.get = (resource, ref) => {
    if (resource.plural === definitions.plural) reads.push(ref.name);
    return get(resource, ref);
  };
  for (const name of ["a", "b", "c"]) {
    world.cluster.delete("SSHKey", name);
    await world.advance(10_000);
  }
  expect(world.cloud.rows("/profile/sshkeys")).toEqual([]);
  expect(reads.length).toBeLessThanOrEqual(6);
});

describe("A schema", () => {
  it.each([...all, cloudAccount].map((kind) => [kind.kind, kind] as const))(
    "generated for %s has every field",
    (_, kind) => {
      const { spec } = customResourceDefinition(resourceOf(kind));
      expect(missingFields(kind, spec.versions[0]!.schema.openAPIV3Schema as object)).toEqual([]);
    },
  );

  it("without selectable fields is complete", async () => {
    const world = createWorld();
    world.cluster.create("Domain", "zone", specs.Domain);
    await world.advance(60_000);
    const spec = structuredClone(generated(all.find(({ kind }) => kind === "Domain")!)) as {
      versions: { selectableFields?: unknown }[];
    };
    delete spec.versions[0]!.selectableFields;
    world.cluster.objects.patch(definitions, { name: "domains.cloudplatform.dev" }, { spec });
    world.cluster.delete("Domain", "zone");
    await world.advance(60_000);
    expect(world.cloud.rows("/domains")).toEqual([]);
  });
});

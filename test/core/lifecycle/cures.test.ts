/** Each way out that the message of a stuck object names leads out: from there to Ready. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, madeMs, manage, messageOf, obey, paths, specs, stateOf } from "../support.ts";
import type { CaseKind } from "../support.ts";

const windowMs = 700_000;

const rulesOfWall = { inbound_policy: "DROP", outbound_policy: "ACCEPT", inbound: [], outbound: [] };

/** Rows that a creation as the specs ask for would find, or make. */
const fields: Record<CaseKind, JsonObject> = {
  SSHKey: { label: "a", ssh_key: specs.SSHKey.sshKey },
  Firewall: { label: "the-wall", rules: rulesOfWall },
  ComputeInstance: { label: "a-web", status: "running", ...specs.ComputeInstance },
  Domain: { domain: "example.org", type: "master", soa_email: "ada@example.org" },
  Bucket: { label: "a-bucket", cluster: "us-east-1" },
  ManagedMySQL: { label: "a-db", status: "active", ...specs.ManagedMySQL },
};
const names: Record<CaseKind, string> = {
  SSHKey: "a",
  Firewall: "the-wall",
  ComputeInstance: "a-web",
  Domain: "a-zone",
  Bucket: "a-bucket",
  ManagedMySQL: "a-db",
};
const kinds = Object.keys(specs) as CaseKind[];

function addRow({ cloud }: World, kind: CaseKind): string {
  return cloud.add(paths[kind], fields[kind]).id;
}

function create({ cluster }: World, kind: CaseKind): void {
  cluster.create(kind, names[kind], specs[kind]);
}

function state(world: World, kind: CaseKind): string | undefined {
  return stateOf(world, kind, names[kind]);
}

describe("a name that is taken in the cloud", () => {
  it.each(kinds)("%s: adopt.id takes over what is there, and nothing is made", async (kind) => {
    const world = createWorld();
    const id = addRow(world, kind);
    await world.settle();
    create(world, kind);
    await world.advance(60_000);
    expect(state(world, kind)).toBe("Conflict");
    expect(messageOf(world, kind, names[kind])).toContain(`set spec.management.adopt.id: "${id}"`);
    manage(world, kind, names[kind], { adopt: { id } });
    await world.advance(60_000);
    expect(state(world, kind)).toBe("Ready");
    expect(idOf(world, kind, names[kind])).toBe(id);
    expect(world.cloud.rows(paths[kind])).toHaveLength(1);
  });

  it.each(["SSHKey", "Firewall", "ComputeInstance", "ManagedMySQL"] as const)(
    "%s: another label is made under it",
    async (kind) => {
      const world = createWorld();
      addRow(world, kind);
      await world.settle();
      create(world, kind);
      await world.advance(60_000);
      expect(state(world, kind)).toBe("Conflict");
      world.cluster.patch(kind, names[kind], { spec: { label: "another-name" } });
      await world.advance(madeMs);
      expect(state(world, kind)).toBe("Ready");
      expect(world.cloud.rows(paths[kind])).toHaveLength(2);
    },
  );

  it("of an object that another one manages: it is named, and deleting that one lets this one go on", async () => {
    const world = createWorld();
    world.cluster.create("SSHKey", "first", { ...specs.SSHKey, label: "same" });
    await world.advance(10_000);
    world.cluster.create("SSHKey", "second", { ...specs.SSHKey, label: "same" });
    await world.advance(10_000);
    expect(messageOf(world, "SSHKey", "second")).toContain("SSHKey default/first");
    world.cluster.delete("SSHKey", "first");
    await world.advance(120_000);
    expect(world.cluster.get("SSHKey", "second")).toBeReady();
    expect(world.cloud.rows(paths.SSHKey)).toHaveLength(1);
  });
});

describe("what vanished and held data", () => {
  const holding = ["ComputeInstance", "Bucket", "ManagedMySQL"] as const;

  async function vanished(kind: CaseKind): Promise<{ world: World; id: string }> {
    const world = createWorld();
    create(world, kind);
    await world.advance(madeMs);
    const id = idOf(world, kind, names[kind]);
    world.cloud.remove(paths[kind], id);
    await world.advance(120_000);
    expect(state(world, kind)).toBe("Missing");
    return { world, id };
  }

  it.each(holding)("%s: missingPolicy Recreate makes a new one", async (kind) => {
    const { world, id } = await vanished(kind);
    manage(world, kind, names[kind], { missingPolicy: "Recreate" });
    await world.advance(madeMs);
    expect(state(world, kind)).toBe("Ready");
    expect(world.cloud.rows(paths[kind])).toHaveLength(1);
    if (kind !== "Bucket") expect(idOf(world, kind, names[kind])).not.toBe(id);
  });

  it.each(["ComputeInstance", "ManagedMySQL"] as const)(
    "%s: adopt.id takes what was restored in its place",
    async (kind) => {
      const { world } = await vanished(kind);
      const id = addRow(world, kind);
      manage(world, kind, names[kind], { adopt: { id } });
      const since = world.cloud.ledger().length;
      await world.advance(120_000);
      expect(state(world, kind)).toBe("Ready");
      expect(idOf(world, kind, names[kind])).toBe(id);
      expect(changes(world, since)).toEqual([]);
    },
  );

  it.each(holding)("%s: deleting the object ends, and asks for nothing to be deleted", async (kind) => {
    const { world } = await vanished(kind);
    const since = world.cloud.ledger().length;
    world.cluster.delete(kind, names[kind]);
    await world.advance(120_000);
    expect(world.cluster.get(kind, names[kind])).toBeUndefined();
    expect(changes(world, since)).toEqual([]);
  });
});

describe("an id that means something else by now", () => {
  /** A bucket's id is its name. */
  const anothers = (kind: CaseKind) => ({ ...fields[kind], ...(kind !== "Bucket" && { label: "a-strangers" }) });
  const told = ["SSHKey", "Firewall", "ComputeInstance", "ManagedMySQL"] as const;

  async function replaced(kind: CaseKind): Promise<{ world: World; id: string }> {
    const world = createWorld();
    create(world, kind);
    await world.advance(madeMs);
    const id = idOf(world, kind, names[kind]);
    world.cloud.replace(paths[kind], id, anothers(kind));
    await world.advance(120_000);
    expect(state(world, kind)).toBe("Conflict");
    return { world, id };
  }

  it.each(told)("%s: adopt.id takes another one", async (kind) => {
    const { world } = await replaced(kind);
    const id = addRow(world, kind);
    manage(world, kind, names[kind], { adopt: { id } });
    await world.advance(120_000);
    expect(state(world, kind)).toBe("Ready");
    expect(idOf(world, kind, names[kind])).toBe(id);
    expect(world.cloud.rows(paths[kind]).map(({ label }) => label)).toContain("a-strangers");
  });

  it.each([...told, "Bucket"] as const)("%s: adopt.id of the same id takes what it means now", async (kind) => {
    const { world, id } = await replaced(kind);
    manage(world, kind, names[kind], { adopt: { id } });
    await world.advance(120_000);
    expect(state(world, kind)).toBe("Ready");
    expect(idOf(world, kind, names[kind])).toBe(id);
    expect(world.cloud.rows(paths[kind])).toHaveLength(1);
  });

  it.each([...told, "Bucket"] as const)("%s: adopt.id that stood there before is no consent", async (kind) => {
    const world = createWorld();
    create(world, kind);
    await world.advance(madeMs);
    const id = idOf(world, kind, names[kind]);
    manage(world, kind, names[kind], { adopt: { id } });
    await world.advance(60_000);
    const since = world.cloud.ledger().length;
    world.cloud.replace(paths[kind], id, anothers(kind));
    world.restart();
    await world.advance(700_000);
    expect(state(world, kind)).toBe("Conflict");
    world.cluster.patch(kind, names[kind], { metadata: { annotations: { note: "edited" } } });
    await world.advance(120_000);
    expect(state(world, kind)).toBe("Conflict");
    expect(changes(world, since)).toEqual([]);
  });

  it.each([...told, "Bucket"] as const)("%s: adopt.id that was adopted by is no consent", async (kind) => {
    const world = createWorld();
    const id = addRow(world, kind);
    world.cluster.create(kind, names[kind], specs[kind], { management: { adopt: { id } } });
    await world.advance(120_000);
    expect(state(world, kind)).toBe("Ready");
    world.cloud.replace(paths[kind], id, anothers(kind));
    const since = world.cloud.ledger().length;
    await world.advance(120_000);
    expect(state(world, kind)).toBe("Conflict");
    expect(changes(world, since)).toEqual([]);
  });

  it.each(told)("%s: the annotation orphan, then a deletion, leave it in the cloud", async (kind) => {
    const { world } = await replaced(kind);
    expect(messageOf(world, kind, names[kind])).toContain("cloudplatform.dev/orphan=true");
    world.cluster.annotate(kind, names[kind], { "cloudplatform.dev/orphan": "true" });
    world.cluster.delete(kind, names[kind]);
    await world.advance(10_000);
    expect(world.cluster.get(kind, names[kind])).toBeUndefined();
    expect(world.cloud.rows(paths[kind])).toHaveLength(1);
  });

  it.each(told)("%s: an object that is deleted first says the command that lets it go", async (kind) => {
    const { world } = await replaced(kind);
    world.cluster.delete(kind, names[kind]);
    await world.advance(10_000);
    obey(world, kind, names[kind]);
    await world.advance(10_000);
    expect(world.cluster.get(kind, names[kind])).toBeUndefined();
    expect(world.cloud.rows(paths[kind])).toHaveLength(1);
  });
});

it("what is adopted by another object can be adopted once that one is gone", async () => {
  const world = createWorld();
  const id = addRow(world, "SSHKey");
  const management = { adopt: { id }, deletionPolicy: "Orphan" };
  world.cluster.create("SSHKey", "a", specs.SSHKey, { management });
  await world.advance(10_000);
  world.cluster.create("SSHKey", "b", { ...specs.SSHKey, label: "a" }, { management });
  await world.advance(10_000);
  expect(stateOf(world, "SSHKey", "b")).toBe("Conflict");
  world.cluster.delete("SSHKey", "a");
  await world.advance(windowMs);
  expect(world.cluster.get("SSHKey", "b")).toBeReady();
});

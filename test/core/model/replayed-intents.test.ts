/** A saved journal entry on a new object: in a namespace without `sharing.existing` it does not show that the cloud object was kept. */
import { journalAnnotation } from "../../../src/core/kind/annotations.ts";
import { describe, expect, it } from "vitest";
import { resources } from "../../../src/twin/definitions.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { calm, changes, idOf, instances, messageOf, minutes, shapes, stateOf, walls } from "../support.ts";

const tenant = "team-b";
const accountRef = { name: "default", namespace: "default" };
const wall = { ...shapes.Firewall.spec, label: "wall" };
const host = { ...shapes.ComputeInstance.spec, label: "host" };
const only = { namespaces: [tenant] };

const share = ({ cluster }: World, existing: string[] | null): void =>
  void cluster.patch("CloudAccount", "default", { spec: { sharing: { ...only, existing } } });

interface Scene {
  kind: "Firewall" | "ComputeInstance";
  spec: object;
  path: string;
}

const scenes: Scene[] = [
  { kind: "Firewall", spec: wall, path: walls },
  { kind: "ComputeInstance", spec: host, path: instances },
];

const state = (world: World, kind: string): string | undefined => stateOf(world, kind, "web", tenant);
const says = (world: World, kind: string): string => messageOf(world, kind, "web", tenant);

/** A world with a ready object in the namespace of the tenant. */
async function withObject({ kind, spec }: Scene): Promise<World> {
  const world = createWorld(calm);
  share(world, null);
  world.cluster.create(kind, "web", { ...spec, accountRef }, { namespace: tenant });
  await world.advance(minutes(5));
  expect(state(world, kind), says(world, kind)).toBe("Ready");
  return world;
}

const entryOn = ({ cluster }: World, kind: string): string =>
  cluster.get(kind, "web", tenant)?.metadata.annotations?.[journalAnnotation] ?? "";

function create({ cluster }: World, { kind, spec }: Scene, entry: string, fields: object = {}): void {
  const annotations = { [journalAnnotation]: entry };
  cluster.create(kind, "web", { ...spec, ...fields, accountRef }, { namespace: tenant, annotations });
}

/** The cluster loses the object, but not the cloud object. A backup without status brings the object back. */
function restore(world: World, scene: Scene): void {
  const entry = entryOn(world, scene.kind);
  world.crash();
  world.cluster.patch(scene.kind, "web", { metadata: { finalizers: [] } }, tenant);
  world.cluster.delete(scene.kind, "web", tenant);
  create(world, scene, entry);
  world.restart();
}

/** The tenant orphans the cloud object, and keeps the manifest. */
async function orphan(world: World, { kind }: Scene): Promise<{ id: string; entry: string }> {
  world.cluster.patch(kind, "web", { spec: { management: { deletionPolicy: "Orphan" } } }, tenant);
  await world.advance(minutes(1));
  const saved = { id: idOf(world, kind, "web", tenant), entry: entryOn(world, kind) };
  world.cluster.delete(kind, "web", tenant);
  await world.advance(minutes(1));
  expect(world.cluster.get(kind, "web", tenant)).toBeUndefined();
  return saved;
}

describe.each(scenes)("the saved entry of a $kind that its namespace orphaned", (scene) => {
  const { kind, spec } = scene;

  it.each([
    { policy: "Manage", restart: false },
    { policy: "Observe", restart: false },
    { policy: "Observe", restart: true },
  ])("takes nothing from an object of the account's namespace with policy $policy; restart: $restart", async (row) => {
    const world = await withObject(scene);
    const { id, entry } = await orphan(world, scene);
    world.cluster.create(kind, "taken", spec, { management: { adopt: { id } } });
    await world.advance(minutes(5));
    expect(stateOf(world, kind, "taken"), messageOf(world, kind, "taken")).toBe("Ready");
    if (row.policy === "Observe") world.cluster.patch(kind, "taken", { spec: { management: { policy: "Observe" } } });
    await world.advance(minutes(1));
    if (row.restart) world.restart();
    const since = world.cloud.ledger().length;
    create(world, scene, entry, { label: "renamed" });
    await world.advance(minutes(20));
    expect(state(world, kind)).toBe("CreateUncertain");
    expect(says(world, kind)).toContain("spec.sharing.existing");
    world.cluster.delete(kind, "web", tenant);
    await world.advance(minutes(5));
    expect(world.cluster.get(kind, "web", tenant)).toBeUndefined();
    expect(changes(world, since)).toEqual([]);
  });

  it("does not keep the account's namespace from adopting the cloud object", async () => {
    const world = await withObject(scene);
    const { id, entry } = await orphan(world, scene);
    create(world, scene, entry);
    await world.advance(minutes(5));
    world.cluster.create(kind, "taken", spec, { management: { adopt: { id } } });
    await world.advance(minutes(5));
    expect(stateOf(world, kind, "taken"), messageOf(world, kind, "taken")).toBe("Ready");
  });
});

it("the saved entry of a Firewall permits a new cloud object if the user allows it, after the former one was deleted", async () => {
  const [scene] = scenes as [Scene];
  const { kind, path } = scene;
  const world = await withObject(scene);
  const { id, entry } = await orphan(world, scene);
  world.cloud.remove(path, id);
  create(world, scene, entry);
  await world.advance(minutes(5));
  expect(state(world, kind)).toBe("CreateUncertain");
  const attempt = /cloudplatform.dev\/retry-create=(\S+)/.exec(says(world, kind))?.[1] ?? "";
  world.cluster.annotate(kind, "web", { "cloudplatform.dev/retry-create": attempt }, tenant);
  await world.advance(minutes(5));
  expect(state(world, kind), says(world, kind)).toBe("Ready");
});

describe.each(scenes)("a $kind that is restored without its status", (scene) => {
  const { kind, path } = scene;

  it("waits in a namespace without sharing.existing until the owner of the account shares existing cloud objects", async () => {
    const world = await withObject(scene);
    const id = idOf(world, kind, "web", tenant);
    const since = world.cloud.ledger().length;
    restore(world, scene);
    await world.advance(minutes(10));
    expect(state(world, kind)).toBe("CreateUncertain");
    expect(says(world, kind)).toContain(`add namespace ${tenant} to spec.sharing.existing`);
    share(world, [tenant]);
    await world.advance(minutes(5));
    expect(state(world, kind), says(world, kind)).toBe("Ready");
    expect(idOf(world, kind, "web", tenant)).toBe(id);
    share(world, null);
    world.restart();
    await world.advance(minutes(5));
    expect(state(world, kind), says(world, kind)).toBe("Ready");
    expect(changes(world, since)).toEqual([]);
    world.cluster.delete(kind, "web", tenant);
    await world.advance(minutes(5));
    expect(world.cloud.rows(path)).toEqual([]);
  });

  it("needs no permission if the object itself is the one that the entry names", async () => {
    const world = await withObject(scene);
    const id = idOf(world, kind, "web", tenant);
    const since = world.cloud.ledger().length;
    world.crash();
    const { status = {} } = world.cluster.get(kind, "web", tenant)!;
    const none = Object.fromEntries(Object.keys(status).map((field) => [field, null]));
    world.cluster.objects.patch(resources.get(kind)!, { namespace: tenant, name: "web" }, { status: none }, "status");
    world.restart();
    await world.advance(minutes(5));
    expect(state(world, kind), says(world, kind)).toBe("Ready");
    expect(idOf(world, kind, "web", tenant)).toBe(id);
    expect(changes(world, since)).toEqual([]);
  });
});

/** The process goes at any of its steps, or the cluster is restored: what was made is found again, once, and can be deleted. */
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { World } from "../../world/world.ts";
import {
  begin,
  calm,
  crashedAnywhere,
  create,
  idOf,
  left,
  made,
  minutes,
  shapeNames,
  shapes,
  stateOf,
} from "../support.ts";
import type { Shape } from "../support.ts";

const renamed = ["SSHKey", "Firewall", "ComputeInstance"] as const;

async function goes(world: World, kind: Shape, name = "web", withinMs = minutes(12)): Promise<boolean> {
  world.cluster.delete(kind, name);
  await world.advance(withinMs);
  return world.cluster.get(kind, name) === undefined && left(world).length === 0;
}

describe.each(renamed)("a %s whose creation got no answer, and whose label changed meanwhile", (kind) => {
  it.each(["lostAfter", "lateApply"] as const)("is one cloud object wherever the process goes: %s", async (how) => {
    const scene = async () => {
      const world = await begin(calm);
      world.cloud.fault({ kind: how, method: "POST", ms: 6_000 });
      create(world, kind, "web", { label: "before" });
      await world.advance(500);
      world.cluster.patch(kind, "web", { spec: { label: "after" } });
      return world;
    };
    const isRight = async (world: World) =>
      stateOf(world, kind, "web") === "Ready" &&
      made(world, shapes[kind].path) === 1 &&
      left(world)[0]?.fields["label"] === "after" &&
      (await goes(world, kind));
    expect(await crashedAnywhere(scene, isRight)).toEqual([]);
  });
});

describe.each(shapeNames)("a %s that is deleted while its creation is uncertain", (kind) => {
  it.each(["lostAfter", "lateApply"] as const)("goes wherever the process goes: %s", async (how) => {
    const scene = async () => {
      const world = await begin(calm);
      world.cloud.fault({ kind: how, method: "POST", ms: 6_000 });
      create(world, kind, "web");
      await world.advance(500);
      world.cluster.delete(kind, "web");
      return world;
    };
    const isRight = (world: World) =>
      Promise.resolve(world.cluster.get(kind, "web") === undefined && left(world).length === 0);
    expect(await crashedAnywhere(scene, isRight)).toEqual([]);
  });

  it("goes also when the cloud takes its time with the deletion, and the operator restarts meanwhile", async () => {
    const world = await begin();
    world.cloud.fault({ kind: "lostAfter", method: "POST" });
    create(world, kind, "web");
    await world.advance(500);
    world.cluster.delete(kind, "web");
    world.cloud.fault({ kind: "slow", method: "DELETE", ms: 20_000 });
    await world.advance(10_000);
    expect(left(world)).toEqual([]);
    world.restart();
    await world.advance(minutes(2));
    expect(world.cluster.get(kind, "web")).toBeUndefined();
  });
});

describe.each(shapeNames)("the creation of a %s", (kind) => {
  it("is made once wherever the process goes", async () => {
    const scene = async () => {
      const world = await begin(calm);
      create(world, kind, "web");
      return world;
    };
    const isRight = async (world: World) =>
      stateOf(world, kind, "web") === "Ready" && made(world, shapes[kind].path) === 1 && (await goes(world, kind));
    // Between a journal entry and the end of its POST nothing tells whether that left: what costs money waits for people.
    const mayWait = async (world: World) =>
      (made(world, shapes[kind].path) === 0 && stateOf(world, kind, "web") === "CreateUncertain") || isRight(world);
    expect(await crashedAnywhere(scene, kind === "ComputeInstance" ? mayWait : isRight)).toEqual([]);
  });
});

/** The object as a backup keeps it: annotations, and no status. */
function restore(world: World, { kind, metadata, spec }: KubeObject): void {
  const { name, namespace = "", annotations } = metadata;
  world.crash();
  world.cluster.patch(kind, name, { metadata: { finalizers: null } });
  world.cluster.delete(kind, name);
  world.cluster.create(kind, name, spec, { namespace, ...(annotations && { annotations }) });
  world.restart();
}

const alterations: { what: string; kind: Shape; change: object; shown: object }[] = [
  ...renamed.map((kind) => ({ what: "renamed", kind, change: { label: "after" }, shown: { label: "after" } })),
  { what: "left as it was", kind: "Bucket", change: {}, shown: {} },
  {
    what: "resized",
    kind: "ComputeInstance",
    change: { type: "g6-standard-2", allowDisruption: ["Resize"] },
    shown: { type: "g6-standard-2" },
  },
  {
    what: "rebuilt",
    kind: "ComputeInstance",
    change: { image: "compute/debian13", allowDisruption: ["Rebuild"] },
    shown: { image: "compute/debian13" },
  },
];

describe("what is restored from a backup without status", () => {
  it.each(alterations)("and was $what since its creation is found again: $kind", async ({ kind, change, shown }) => {
    const world = await begin();
    create(world, kind, "web");
    await world.advance(minutes(2));
    world.cluster.patch(kind, "web", { spec: change });
    await world.advance(minutes(4));
    expect(left(world)).toMatchObject([{ fields: shown }]);
    restore(world, world.cluster.get(kind, "web")!);
    await world.advance(minutes(15));
    expect(world.cluster.get(kind, "web")).toBeReady();
    expect(made(world, shapes[kind].path)).toBe(1);
    expect(left(world)).toMatchObject([{ id: idOf(world, kind, "web"), fields: shown }]);
    expect(await goes(world, kind)).toBe(true);
  });

  it.each(shapeNames)("and without its finalizer is not left behind in the cloud: %s", async (kind) => {
    const world = await begin();
    create(world, kind, "web");
    await world.advance(minutes(2));
    const { metadata, spec } = world.cluster.get(kind, "web")!;
    world.crash();
    world.cluster.patch(kind, "web", { metadata: { finalizers: null } });
    world.cluster.delete(kind, "web");
    world.restart();
    await world.advance(minutes(1));
    const since = world.cluster.writes().length;
    world.cluster.create(kind, "web", spec, { annotations: metadata.annotations as Record<string, string> });
    await world.advance(20_000);
    expect(world.cluster.get(kind, "web")).toBeReady();
    // Nothing may wake it a second time.
    const [first] = world.cluster.writes().slice(since);
    expect(first?.body).toMatchObject({ metadata: { finalizers: ["cloudplatform.dev/operator"] } });
    expect(await goes(world, kind)).toBe(true);
  });
});

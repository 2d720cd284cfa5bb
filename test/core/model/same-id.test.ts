/** A replacement that gets the id of what it replaces: ids are given again, and a bucket is named by its label. */
import { describe, expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import type { World } from "../../world/world.ts";
import { decide, kind as key, keys } from "../secrets/keys.ts";
import { begin, crashedAnywhere, create, idOf, left, made, minutes, shapeNames, shapes, stateOf } from "../support.ts";
import type { Shape } from "../support.ts";

/** Its cloud object was deleted behind the operator's back. */
async function missing(kind: Shape): Promise<World> {
  const world = await begin();
  world.cloud.settings.reuseIds = true;
  create(world, kind, "web", { management: { missingPolicy: "Recreate" } });
  await world.advance(minutes(3));
  const [row] = left(world);
  world.cloud.remove(shapes[kind].path, row!.id);
  return world;
}

async function replaced(kind: Shape): Promise<{ world: World; id: string }> {
  const world = await missing(kind);
  const id = idOf(world, kind, "web");
  await world.advance(minutes(12));
  expect([stateOf(world, kind, "web"), idOf(world, kind, "web")]).toEqual(["Ready", id]);
  return { world, id };
}

/** What costs money is not sent again where the operator ended between its journal entry and its request. */
const isAsked = (world: World, kind: Shape) =>
  kind === "ComputeInstance" && stateOf(world, kind, "web") === "CreateUncertain" && left(world).length === 0;

const told = ({ cluster }: World, reason: string) => cluster.events().filter((event) => event.reason === reason).length;

describe.each(shapeNames)("a %s that is created again under its id", (kind) => {
  it("is told once, and is silent then", async () => {
    const { world } = await replaced(kind);
    const writes = world.cluster.writes().length;
    await world.advance(minutes(30));
    expect([told(world, "Created"), told(world, "Recreated")]).toEqual([2, 0]);
    expect(world.cluster.writes().slice(writes)).toEqual([]);
    expect(made(world, shapes[kind].path)).toBe(2);
  });

  it("is known by its id from then on, whatever it shows", async () => {
    const { world, id } = await replaced(kind);
    const changed = kind === "Bucket" ? { hostname: "elsewhere" } : { label: "tampered" };
    world.cloud.change(shapes[kind].path, id, changed);
    await world.advance(minutes(12));
    expect([stateOf(world, kind, "web"), left(world).map((row) => row.id)]).toEqual(["Ready", [id]]);
    world.cluster.delete(kind, "web");
    await world.advance(minutes(3));
    expect([world.cluster.get(kind, "web"), left(world)]).toEqual([undefined, []]);
  });

  it("is one, wherever the operator crashes", async () => {
    const isOne = (world: World) =>
      isAsked(world, kind) || (stateOf(world, kind, "web") === "Ready" && left(world).length === 1);
    expect(
      await crashedAnywhere(
        () => missing(kind),
        (world) => Promise.resolve(isOne(world)),
      ),
    ).toEqual([]);
  });
});

it("what refers to a bucket that was created again is created", async () => {
  const { world } = await replaced("Bucket");
  const metadata = { namespace: "default", name: "robots" };
  world.cluster.objects.create(secrets, { metadata, stringData: { content: "a" } });
  const spec = { bucketRef: { name: "web" }, objectKey: "robots.txt", contentSecretRef: { name: "robots" } };
  world.cluster.create("BucketObject", "robots", spec);
  await world.advance(minutes(3));
  expect(world.cluster.get("BucketObject", "robots")).toBeReady();
});

it("a key that has the id of one whose secret was lost is not gone when a grant to it is withdrawn", async () => {
  const world = await begin();
  world.cloud.settings.reuseIds = true;
  world.cloud.fault({ kind: "lostAfter", method: "POST", brokenMs: 5_000 });
  world.cluster.create(key, "web");
  await world.advance(minutes(15));
  await decide(world);
  expect(world.cluster.get(key, "web")).toBeReady();
  const requests = made(world, keys);
  const [row] = left(world);
  world.cloud.withdraw("ada", [row!.serial]);
  await world.advance(minutes(30));
  expect([stateOf(world, key, "web"), made(world, keys)]).toEqual(["NotVisible", requests]);
});

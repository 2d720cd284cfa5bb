/** The replacement of an adopted key has the buckets of the adopted key, if the spec does not name buckets. */
import { describe, expect, it } from "vitest";
import type { World } from "../../world/world.ts";
import { conditionOf } from "../../world/world.ts";
import { begin, calm, changes, minutes, stateOf } from "../support.ts";
import { dataOf, keys, kind, living, rotate, secretName } from "./keys.ts";

const buckets = [{ cluster: "us-east-1", region: "us-east", bucket_name: "media", permissions: "read_only" }];

/** A world with an adopted key. */
async function withAdopted(row: object, spec: object = {}): Promise<World> {
  const world = await begin(calm);
  world.cloud.add("/object-storage/buckets", { label: "media", cluster: "us-east-1" });
  const { id } = world.cloud.byHand(keys, { label: "web", ...row }, "ada");
  world.cluster.create(kind, "web", spec, { management: { adopt: { id } } });
  await world.advance(minutes(1));
  return world;
}

function accessIn(world: World): unknown[] {
  return living(world).map(({ fields }) => (fields["limited"] === true ? fields["bucket_access"] : "every bucket"));
}

const sent = [{ cluster: "us-east-1", bucket_name: "media", permissions: "read_only" }];

describe("an adopted key for one bucket, without spec.bucketAccess", () => {
  it("is as specified", async () => {
    const world = await withAdopted({ bucket_access: buckets });
    expect(stateOf(world, kind, "web")).toBe("Ready");
    expect(conditionOf(world.cluster.get(kind, "web"), "Drifted")?.status).not.toBe("True");
    expect(changes(world)).toEqual([]);
  });

  it.each([
    { how: "by a rotation", lose: () => undefined },
    { how: "after the Secret is lost", lose: (world: World) => world.cluster.delete("Secret", secretName) },
    {
      how: "after the Secret is lost and the operator restarts",
      lose: (world: World) => {
        world.cluster.delete("Secret", secretName);
        world.crashAfter(3);
      },
    },
    {
      how: "after another client deletes the key while the operator is away",
      lose: (world: World) => {
        world.crash();
        for (const { path, id } of living(world)) world.cloud.remove(path, id);
      },
    },
  ])("is replaced $how by a key for the same bucket", async ({ lose }) => {
    const world = await withAdopted({ bucket_access: buckets });
    rotate(world, 1);
    await world.advance(minutes(2));
    expect(accessIn(world)).toEqual([sent]);
    const before = dataOf(world)?.["AWS_ACCESS_KEY_ID"];
    lose(world);
    await world.advance(minutes(1));
    world.restart();
    await world.advance(minutes(20));
    expect(stateOf(world, kind, "web")).toBe("Ready");
    expect(accessIn(world)).toEqual([sent]);
    const isReplaced = dataOf(world)?.["AWS_ACCESS_KEY_ID"] !== before;
    expect(isReplaced).toBe(lose.length > 0);
  });

  it("is created again for the same bucket after another client deletes it", async () => {
    const world = await withAdopted({ bucket_access: buckets });
    for (const { path, id } of living(world)) world.cloud.remove(path, id);
    await world.advance(minutes(20));
    expect(accessIn(world)).toEqual([sent]);
  });
});

it("a rotated key without a limit stays a key for every bucket", async () => {
  const world = await withAdopted({});
  rotate(world, 1);
  await world.advance(minutes(2));
  expect(accessIn(world)).toEqual(["every bucket"]);
});

it("a key for every bucket differs from a spec with buckets, by the name of the field", async () => {
  const bucketAccess = [{ bucketRef: { id: "us-east-1/media" }, permissions: "read_only" }];
  const world = await withAdopted({}, { bucketAccess });
  const { message = "" } = conditionOf(world.cluster.get(kind, "web"), "Drifted") ?? {};
  expect(message).toContain('spec.bucketAccess: cloud has "every bucket", spec says "listed buckets"');
});

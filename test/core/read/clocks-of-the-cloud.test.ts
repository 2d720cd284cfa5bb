/** The `Date` of the cloud API is ahead of its `created`, or behind: what a lost creation made is found all the same. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { begin, create, idOf, left, made, minutes, shapeNames, shapes, stateOf } from "../support.ts";

describe.each(shapeNames)("a %s whose creation got no answer", (kind) => {
  it.each([
    { aheadMs: 4_000, because: "`Date` is 4 s ahead" },
    { aheadMs: 30_000, because: "`Date` is 30 s ahead" },
    { aheadMs: -4_000, because: "`Date` is 4 s behind" },
    { aheadMs: 900, because: "`created` has whole seconds" },
  ])("is found: $because", async ({ aheadMs }) => {
    for (const how of ["lostAfter", "lateApply"] as const) {
      const world = await begin();
      world.cloud.settings.dateAheadMs = aheadMs;
      world.cloud.fault({ kind: how, method: "POST", ms: 6_000 });
      create(world, kind, "web");
      await world.advance(minutes(15));
      expect(world.cluster.get(kind, "web")).toBeReady();
      expect(made(world, shapes[kind].path)).toBe(1);
      expect(left(world)).toMatchObject([{ id: idOf(world, kind, "web") }]);
      world.cluster.delete(kind, "web");
      await world.advance(minutes(2));
      expect(left(world)).toEqual([]);
    }
  });

  it("is found also when a creation before has shown how far `Date` is ahead, and after a restart", async () => {
    const world = await begin();
    world.cloud.settings.dateAheadMs = 4_000;
    create(world, kind, "first");
    await world.advance(minutes(2));
    world.cloud.fault({ kind: "lateApply", method: "POST", ms: 6_000 });
    create(world, kind, "web", kind === "SSHKey" ? {} : { label: "web" });
    await world.advance(500);
    world.restart();
    await world.advance(minutes(15));
    expect(world.cluster.get(kind, "web")).toBeReady();
    expect(made(world, shapes[kind].path)).toBe(2);
  });

  it("does not take what somebody else made under that name just before", async () => {
    const world = await begin();
    world.cloud.settings.dateAheadMs = 4_000;
    world.cloud.add(shapes[kind].path, { label: "web", ...wireOf(kind) });
    world.cloud.fault({ kind: "lostAfter", method: "POST" });
    create(world, kind, "web");
    await world.advance(minutes(15));
    expect(stateOf(world, kind, "web")).toBe("Conflict");
    expect(made(world, shapes[kind].path)).toBe(0);
  });
});

it("a creation that the rate limit held back is no conflict with itself, also before anything was learnt of the clocks", async () => {
  const world = await begin();
  world.cloud.settings.dateAheadMs = 3_000;
  world.cloud.fault({ kind: "tooMany", method: "POST", ms: 5_000 });
  create(world, "Bucket", "web");
  await world.advance(minutes(2));
  expect(world.cluster.get("Bucket", "web")).toBeReady();
  expect(made(world, shapes.Bucket.path)).toBe(1);
});

/** As the API shows what `create` asks for. */
function wireOf(kind: (typeof shapeNames)[number]): JsonObject {
  switch (kind) {
    case "SSHKey":
      return { ssh_key: shapes.SSHKey.spec.sshKey };
    case "Firewall":
      return { rules: { inbound_policy: "DROP", outbound_policy: "ACCEPT", inbound: [], outbound: [] } };
    case "Bucket":
      return { cluster: "us-east-1" };
    case "ComputeInstance":
      return { ...shapes.ComputeInstance.spec };
  }
}

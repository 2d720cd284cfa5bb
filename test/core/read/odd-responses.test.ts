/** Answers that are none: `200 {}` and HTML; and what becomes of calls in flight when a session is replaced. */
import { describe, expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idsIn, madeMs, paths, specs, stateOf } from "../support.ts";
import type { CaseKind } from "../support.ts";

const kinds = Object.keys(specs) as CaseKind[];
const name = "one-thing";

describe.each(kinds)("%s", (kind) => {
  async function made(): Promise<World> {
    const world = createWorld();
    world.cluster.create(kind, name, specs[kind]);
    await world.advance(madeMs);
    expect(world.cluster.get(kind, name)).toBeReady();
    return world;
  }

  it.each(["GET", "DELETE", undefined])(
    "a deletion ends after a quarter of an hour of 200 {} to %s, with few log lines",
    async (method) => {
      const world = await made();
      world.cloud.fault({ kind: "empty", times: 100_000, ...(method !== undefined && { method }) });
      world.cluster.delete(kind, name);
      await world.advance(900_000);
      expect(world.logged().length).toBeLessThanOrEqual(20);
      expect(world.cluster.get(kind, name)).toBeDefined();
      world.cloud.clearFaults();
      await world.advance(700_000);
      expect(world.cluster.get(kind, name)).toBeUndefined();
      expect(idsIn(world, kind)).toEqual([]);
    },
  );

  it("what is settled stays so through an hour of 200 {}, and nothing is sent", async () => {
    const world = await made();
    const since = world.cloud.ledger().length;
    world.cloud.fault({ kind: "empty", times: 100_000 });
    await world.advance(3_600_000);
    expect(world.cluster.get(kind, name)).toBeReady();
    world.cloud.clearFaults();
    await world.advance(700_000);
    expect(world.cluster.get(kind, name)).toBeReady();
    expect(changes(world, since)).toEqual([]);
    expect(world.logged().length).toBeLessThanOrEqual(20);
  });

  it("a creation that begins while every answer is 200 {} makes one thing in the end", async () => {
    const world = createWorld();
    await world.settle();
    world.cloud.fault({ kind: "empty", times: 100_000, method: "GET" });
    world.cluster.create(kind, name, specs[kind]);
    await world.advance(600_000);
    world.cloud.clearFaults();
    await world.advance(madeMs + 600_000);
    expect(world.cluster.get(kind, name)).toBeReady();
    expect(idsIn(world, kind)).toHaveLength(1);
  });
});

it.each(["empty", "html502"] as const)(
  "a POST that is answered by %s and was not done is made once in the end",
  async (kind) => {
    const world = createWorld();
    world.cloud.fault({ kind, method: "POST" });
    world.cluster.create("SSHKey", name, specs.SSHKey);
    await world.advance(700_000);
    expect(world.cluster.get("SSHKey", name)).toBeReady();
    expect(idsIn(world, "SSHKey")).toHaveLength(1);
  },
);

describe("a session that is replaced while a POST is in flight", () => {
  const replacements: [string, (world: World) => void][] = [
    ["pollSeconds", ({ cluster }) => void cluster.patch("CloudAccount", "default", { spec: { pollSeconds: 30 } })],
    [
      "a rotated token",
      ({ cluster, cloud }) => {
        const { account, username, uid } = cloud.user("ada");
        cloud.addUser({ token: "rotated", account, username, uid });
        const ref = { namespace: "default", name: "cloud-token" };
        cluster.objects.patch(secrets, ref, { stringData: { token: "rotated" } });
      },
    ],
  ];

  for (const [what, replace] of replacements)
    it.each(["slow", "slowApply"] as const)(`by ${what} lets it end (%s), and nothing is made twice`, async (kind) => {
      const world = createWorld();
      world.cloud.fault({ kind, ms: 20_000, method: "POST" });
      world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
      await world.advance(5_000);
      replace(world);
      await world.advance(60_000);
      expect(stateOf(world, "ComputeInstance", "web")).not.toBe("Creating");
      await world.advance(120_000);
      expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
      expect(changes(world)).toEqual([`POST ${paths.ComputeInstance}`]);
      expect(idsIn(world, "ComputeInstance")).toHaveLength(1);
    });

  it("by a rotated token while the old one is revoked: what was asked for is found, and made once", async () => {
    const world = createWorld();
    world.cloud.fault({ kind: "lostAfter", method: "POST" });
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    await world.settle();
    replacements[1]?.[1](world);
    world.cloud.revoke("token-of-default");
    await world.advance(700_000);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(idsIn(world, "ComputeInstance")).toHaveLength(1);
  });
});

/** One call that is answered 401 is not a rejected token: the account asks before anything is shut. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { idsIn, messageOf, specs, stateOf } from "../support.ts";

const calls = /^\/(?!profile$)/;

function probes({ cloud }: World, since: number): number[] {
  return cloud
    .ledger()
    .slice(since)
    .flatMap(({ path, atMs }) => (path === "/profile" ? [atMs] : []));
}

function rename({ cluster }: World, names: string[], label = "renamed"): void {
  for (const name of names) cluster.patch("SSHKey", name, { spec: { label: `${label}-${name}` } });
}

async function withKeys(count: number): Promise<{ world: World; names: string[]; since: number }> {
  const world = createWorld();
  const names = Array.from({ length: count }, (_, index) => `key-${index}`);
  for (const name of names) world.cluster.create("SSHKey", name, specs.SSHKey);
  await world.advance(30_000);
  expect(names.filter((name) => stateOf(world, "SSHKey", name) !== "Ready")).toEqual([]);
  return { world, names, since: world.cloud.ledger().length };
}

describe("one 401 to one call", () => {
  it.each([
    { method: "PUT", act: (world: World) => rename(world, ["key-0"]), left: 1 },
    { method: "DELETE", act: (world: World) => world.cluster.delete("SSHKey", "key-0"), left: 0 },
    { method: "POST", act: (world: World) => void world.cluster.create("SSHKey", "late", specs.SSHKey), left: 2 },
  ])("($method) makes the account ask at once, and what was meant is done soon", async ({ method, act, left }) => {
    const { world, since } = await withKeys(1);
    world.cloud.fault({ kind: "unauthorized", method });
    act(world);
    await world.advance(1_000);
    const refused = world.cloud.ledger().find(({ status, number }) => number >= since && status === 401);
    expect(probes(world, since)).toEqual([refused?.atMs]);
    await world.advance(9_000);
    expect(world.cluster.get("CloudAccount", "default")).toBeReady();
    expect(idsIn(world, "SSHKey")).toHaveLength(left);
    for (const { metadata } of world.cluster.list("SSHKey"))
      expect(world.cluster.get("SSHKey", metadata.name)).toBeReady();
  });

  it("leaves all other objects as they are", async () => {
    const { world, names } = await withKeys(5);
    world.cloud.fault({ kind: "unauthorized", method: "PUT" });
    rename(world, ["key-0"]);
    await world.advance(500);
    expect(names.slice(1).filter((name) => stateOf(world, "SSHKey", name) !== "Ready")).toEqual([]);
  });

  it("of the account's own reads besides GET /profile closes nothing", async () => {
    const { world } = await withKeys(1);
    world.cloud.fault({ kind: "unauthorized", method: "GET", path: /^\/account$/ });
    world.cluster.patch("CloudAccount", "default", { spec: { pollSeconds: 50 } });
    rename(world, ["key-0"]);
    await world.advance(30_000);
    expect(world.cluster.get("CloudAccount", "default")).toBeReady();
    expect(world.cluster.get("SSHKey", "key-0")).toBeReady();
  });
});

it("a call that is answered 401 again and again says so, while the account stays connected", async () => {
  const { world } = await withKeys(2);
  world.cloud.fault({ kind: "unauthorized", method: "PUT", times: 1_000 });
  rename(world, ["key-0"]);
  await world.advance(60_000);
  expect(world.cluster.get("CloudAccount", "default")).toBeReady();
  expect(stateOf(world, "SSHKey", "key-0")).toBe("CloudUnavailable");
  expect(messageOf(world, "SSHKey", "key-0")).toContain("got status 401");
  expect(world.cluster.get("SSHKey", "key-1")).toBeReady();
});

it("many objects that meet 401 while the token is accepted ask seldom, and all is done in the end", async () => {
  const { world, names, since } = await withKeys(60);
  world.cloud.fault({ kind: "unauthorized", path: calls, times: 100_000 });
  rename(world, names);
  await world.advance(300_000);
  expect(probes(world, since).length).toBeLessThanOrEqual(50);
  world.cloud.clearFaults();
  await world.advance(360_000);
  expect(names.filter((name) => stateOf(world, "SSHKey", name) !== "Ready")).toEqual([]);
});

describe("a token that is rejected", () => {
  it.each([0, 3_000])(
    "is asked for once, by all who meet it; revoked %i ms after a 401 that was none",
    async (afterMs) => {
      const { world, names } = await withKeys(60);
      if (afterMs > 0) {
        world.cloud.fault({ kind: "unauthorized", method: "PUT" });
        rename(world, ["key-0"], "first");
        await world.advance(afterMs);
      }
      world.cloud.revoke("token-of-default");
      const since = world.cloud.ledger().length;
      rename(world, names);
      await world.advance(15_000);
      expect(stateOf(world, "CloudAccount", "default")).toBe("TokenRejected");
      expect(names.filter((name) => stateOf(world, "SSHKey", name) !== "TokenRejected")).toEqual([]);
      expect(probes(world, since)).toHaveLength(1);
      const shut = world.cloud.ledger().length;
      await world.advance(120_000);
      expect(world.cloud.ledger().length).toBe(shut);
    },
  );

  it("is found out while its account is being deleted", async () => {
    const { world } = await withKeys(1);
    world.cluster.delete("CloudAccount", "default");
    await world.advance(1_000);
    world.cloud.revoke("token-of-default");
    world.cluster.delete("SSHKey", "key-0");
    await world.advance(2_000);
    expect(stateOf(world, "SSHKey", "key-0")).toBe("TokenRejected");
  });
});

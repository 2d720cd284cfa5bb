/** Actions on a whole account: what permits one, and that nothing has its request sent twice. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World, WorldOptions } from "../../world/world.ts";
import { changes, messageOf, paths, stateOf } from "../support.ts";

const spec = { action: "CancelObjectStorage", confirmAccount: "ada", notAfter: "2099-01-01T00:00:00Z" };

function withBuckets(count: number, options: WorldOptions = { allowAccountActions: true }): World {
  const world = createWorld(options);
  for (let n = 0; n < count; n += 1) world.cloud.add(paths.Bucket, { label: `old-${n}`, cluster: "us-east-1" });
  return world;
}

function sent(world: World): number {
  return changes(world).filter((call) => call === "POST /object-storage/cancel").length;
}

describe("an action on an account", () => {
  it("waits for the setting of the operator, and runs once it was started with it", async () => {
    const options: WorldOptions = { allowAccountActions: false };
    const world = withBuckets(2, options);
    world.cluster.create("AccountAction", "end", spec);
    await world.advance(700_000);
    expect(stateOf(world, "AccountAction", "end")).toBe("NotPermitted");
    expect(messageOf(world, "AccountAction", "end")).toMatch(/with the chart value settings\.allowAccountActions$/);
    expect(changes(world)).toEqual([]);
    options.allowAccountActions = true;
    world.restart();
    await world.advance(60_000);
    expect(world.cluster.get("AccountAction", "end")).toBeReady();
    expect(sent(world)).toBe(1);
  });

  it.each([
    { confirmAccount: "ada", why: "the name of the user" },
    { confirmAccount: "euuid", why: "the euuid of the account" },
    { confirmAccount: "uid", why: "the uid of the user" },
  ])("is confirmed by $why", async ({ confirmAccount }) => {
    const world = withBuckets(2);
    await world.advance(2_000);
    const { status = {} } = world.cluster.get("CloudAccount", "default") ?? {};
    const names: Record<string, unknown> = { ...(status["identity"] as object) };
    const named = `${(names[confirmAccount] as string | number | undefined) ?? confirmAccount}`;
    world.cluster.create("AccountAction", "end", { ...spec, confirmAccount: named });
    await world.advance(60_000);
    expect(stateOf(world, "AccountAction", "end"), messageOf(world, "AccountAction", "end")).toBe("Ready");
    expect(world.cloud.rows(paths.Bucket)).toEqual([]);
    expect(sent(world)).toBe(1);
  });

  it.each([
    { confirmAccount: "default", why: "the name of the CloudAccount, which says nothing of whose it is" },
    { confirmAccount: "ADA", why: "another spelling" },
    { confirmAccount: "undefined", why: "what an identity without an euuid reads as" },
  ])("is not confirmed by $why", async ({ confirmAccount }) => {
    const world = withBuckets(1);
    world.cluster.create("AccountAction", "end", { ...spec, confirmAccount });
    await world.advance(700_000);
    expect(stateOf(world, "AccountAction", "end")).toBe("InvalidSpec");
    expect(messageOf(world, "AccountAction", "end")).toContain("spec.confirmAccount");
    expect(changes(world)).toEqual([]);
  });

  it("that is not permitted and names another account says both", async () => {
    const world = withBuckets(1, { allowAccountActions: false });
    world.cluster.create("AccountAction", "end", { ...spec, confirmAccount: "bob" });
    await world.advance(60_000);
    expect(stateOf(world, "AccountAction", "end")).toBe("NotPermitted");
    expect(messageOf(world, "AccountAction", "end")).toContain("settings.allowAccountActions");
    expect(messageOf(world, "AccountAction", "end")).toContain(
      'Besides, spec.confirmAccount: "bob" is not the account',
    );
  });

  it("needs a grant where it is in another namespace than its account", async () => {
    const world = withBuckets(1);
    world.cluster.patch("CloudAccount", "default", { spec: { sharing: { namespaces: ["shop"] } } });
    const accountRef = { name: "default", namespace: "default" };
    world.cluster.create("AccountAction", "end", { ...spec, accountRef }, { namespace: "shop" });
    await world.advance(700_000);
    const [object] = world.cluster.list("AccountAction");
    expect(JSON.stringify(object?.status)).toContain("sharing.accountWide");
    expect(changes(world)).toEqual([]);
  });

  it("is complete once it was accepted where there was nothing to remove", async () => {
    const world = withBuckets(0);
    world.cluster.create("AccountAction", "end", spec);
    await world.advance(60_000);
    expect(world.cluster.get("AccountAction", "end")).toBeReady();
    expect(sent(world)).toBe(1);
  });

  it("is not started after its time", async () => {
    const world = withBuckets(1);
    world.cluster.create("AccountAction", "end", { ...spec, notAfter: "2020-01-01T00:00:00Z" });
    await world.advance(700_000);
    expect(stateOf(world, "AccountAction", "end")).toBe("Expired");
    expect(changes(world)).toEqual([]);
  });
});

describe("an action on an account that got no response", () => {
  it.each([
    { buckets: 2, kind: "lostAfter", state: "Ready", why: "the buckets that are gone tell of it" },
    { buckets: 2, kind: "lostBefore", state: "OperationUncertain", why: "the buckets are still there" },
    { buckets: 0, kind: "lostAfter", state: "OperationUncertain", why: "there was no bucket that could tell of it" },
  ] as const)("is $state, because $why, and it is not repeated", async ({ buckets, kind, state }) => {
    const world = withBuckets(buckets);
    world.cloud.fault({ kind, method: "POST", path: /cancel/, times: 1 });
    world.cluster.create("AccountAction", "end", spec);
    await world.advance(1_400_000);
    world.restart();
    await world.advance(1_400_000);
    expect(stateOf(world, "AccountAction", "end"), messageOf(world, "AccountAction", "end")).toBe(state);
    expect(sent(world)).toBe(1);
  });

  it.each(Array.from({ length: 12 }, (_, index) => index * 3))(
    "is not sent twice by a crash at its call %i",
    async (steps) => {
      const world = withBuckets(1);
      await world.advance(5_000);
      world.cluster.create("AccountAction", "end", spec);
      world.crashAfter(steps);
      await world.advance(60_000);
      if (world.processes().length === 0) world.restart();
      await world.advance(1_400_000);
      expect(sent(world)).toBeLessThanOrEqual(1);
      expect(["Ready", "OperationUncertain"]).toContain(stateOf(world, "AccountAction", "end"));
    },
  );
});

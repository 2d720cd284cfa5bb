/** The policy Plan: what would be done is shown, and done once when the plan's hash is approved. */
import { approveAnnotation } from "../../../src/core/kind/annotations.ts";
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idsIn, madeMs, messageOf, paths, specs, stateOf } from "../support.ts";
import type { CaseKind } from "../support.ts";

const kinds = Object.keys(specs) as CaseKind[];
const management = { policy: "Plan" };

describe("creation", () => {
  it.each(kinds)("%s: is planned, and sent once after the approval", async (kind) => {
    const world = createWorld();
    world.cluster.create(kind, "planned", specs[kind], { management });
    await world.advance(700_000);
    expect(stateOf(world, kind, "planned")).toBe("WaitingForApproval");
    expect(changes(world, 0)).toEqual([]);
    const plan = planOf(world, kind, "planned");
    expect(plan?.operations).toHaveLength(1);
    expect(plan?.operations[0]).toMatchObject({ method: "POST" });
    expect(messageOf(world, kind, "planned")).toContain(`${approveAnnotation}=${plan?.hash}`);
    await approveAll(world, kind, "planned");
    expect(world.cluster.get(kind, "planned")).toBeReady();
    expect(idsIn(world, kind)).toHaveLength(1);
    expect(planOf(world, kind, "planned")).toBeUndefined();
  });

  it("an approval of something else starts nothing", async () => {
    const world = await withPlan("SSHKey");
    approve(world, "SSHKey", "planned", "0123456789abcdef");
    await world.advance(700_000);
    expect(changes(world, 0)).toEqual([]);
  });

  it("a plan that was approved before the spec changed is void", async () => {
    const world = await withPlan("SSHKey");
    const { hash = "" } = planOf(world, "SSHKey", "planned") ?? {};
    world.cluster.patch("SSHKey", "planned", { spec: { label: "other" } });
    approve(world, "SSHKey", "planned", hash);
    await world.advance(700_000);
    expect(changes(world, 0)).toEqual([]);
    expect(planOf(world, "SSHKey", "planned")?.hash).not.toBe(hash);
  });

  it("shows no value of a Secret", async () => {
    const world = await withPlan("ComputeInstance");
    const [operation] = planOf(world, "ComputeInstance", "planned")?.operations ?? [];
    expect(operation?.body).toContain('"root_pass":"(sensitive)"');
  });

  it("that was refused for a while is sent again without another approval", async () => {
    const world = await withPlan("SSHKey");
    world.cloud.fault({ kind: "tooMany", method: "POST", times: 2 });
    await approveAll(world, "SSHKey", "planned");
    expect(idsIn(world, "SSHKey")).toHaveLength(1);
  });
});

describe("what is there", () => {
  it("drift is planned; the same drift later needs another approval", async () => {
    const world = createWorld();
    world.cluster.create("SSHKey", "key", specs.SSHKey);
    await world.advance(madeMs);
    const [id = ""] = idsIn(world, "SSHKey");
    world.cluster.patch("SSHKey", "key", { spec: { management } });
    await world.advance(60_000);
    expect(world.cluster.get("SSHKey", "key")).toBeReady();
    const hashes = new Set<string | undefined>();
    for (let round = 0; round < 2; round += 1) {
      world.cloud.change(paths.SSHKey, id, { label: "drifted" });
      await world.advance(700_000);
      expect(world.cloud.rows(paths.SSHKey)[0]).toMatchObject({ label: "drifted" });
      hashes.add(planOf(world, "SSHKey", "key")?.hash);
      await approveAll(world, "SSHKey", "key");
      expect(world.cloud.rows(paths.SSHKey)[0]).toMatchObject({ label: "key" });
    }
    expect(hashes.size).toBe(2);
  });

  it("what was approved and not needed is not kept: the same drift later needs another approval", async () => {
    const world = createWorld();
    world.cluster.create("SSHKey", "key", specs.SSHKey);
    await world.advance(madeMs);
    const [id = ""] = idsIn(world, "SSHKey");
    world.cluster.patch("SSHKey", "key", { spec: { management } });
    world.cloud.change(paths.SSHKey, id, { label: "drifted" });
    await world.advance(700_000);
    world.cloud.fault({ kind: "busy", method: "PUT", times: 2 });
    approve(world, "SSHKey", "key", planOf(world, "SSHKey", "key")?.hash ?? "");
    await world.advance(200);
    expect(changes(world).at(-1)).toContain("PUT");
    world.cloud.change(paths.SSHKey, id, { label: "key" });
    await world.advance(700_000);
    expect(world.cluster.get("SSHKey", "key")).toBeReady();
    const since = changes(world).length;
    world.cloud.change(paths.SSHKey, id, { label: "drifted" });
    await world.advance(700_000);
    expect(stateOf(world, "SSHKey", "key")).toBe("WaitingForApproval");
    expect(changes(world)).toHaveLength(since);
  });

  it("a deletion waits for its approval", async () => {
    const world = createWorld();
    world.cluster.create("SSHKey", "key", specs.SSHKey);
    await world.advance(madeMs);
    world.cluster.patch("SSHKey", "key", { spec: { management } });
    world.cluster.delete("SSHKey", "key");
    await world.advance(700_000);
    expect(idsIn(world, "SSHKey")).toHaveLength(1);
    expect(planOf(world, "SSHKey", "key")?.operations).toMatchObject([{ method: "DELETE" }]);
    await approveAll(world, "SSHKey", "key");
    expect(idsIn(world, "SSHKey")).toEqual([]);
    expect(world.cluster.get("SSHKey", "key")).toBeUndefined();
  });

  it("a resize is planned with its note, and is not taken for done", async () => {
    const world = createWorld();
    const spec = { ...specs.ComputeInstance, allowDisruption: ["Resize"] };
    world.cluster.create("ComputeInstance", "vm", spec);
    await world.advance(madeMs);
    world.cluster.patch("ComputeInstance", "vm", { spec: { management, type: "g6-standard-2" } });
    await world.advance(700_000);
    world.restart();
    await world.advance(700_000);
    expect(planOf(world, "ComputeInstance", "vm")?.operations).toMatchObject([
      { path: expect.stringContaining("/resize") },
    ]);
    await approveAll(world, "ComputeInstance", "vm");
    expect(world.cluster.get("ComputeInstance", "vm")).toBeReady();
    expect(changes(world, 0).filter((one) => one.includes("/resize"))).toHaveLength(1);
  });
});

describe("a plan of an instance", () => {
  const prices = [
    { id: "g6-standard-1", price: { monthly: 12 }, addons: { backups: { price: { monthly: 2.5 } } } },
    { id: "g6-standard-2", price: { monthly: 24 }, addons: { backups: { price: { monthly: 5 } } } },
  ];

  async function planned(change: object, before: object = {}): Promise<World> {
    const world = createWorld();
    for (const type of prices) world.cloud.add("/compute/types", type);
    world.cluster.create("ComputeInstance", "vm", { ...specs.ComputeInstance, ...before });
    await world.advance(madeMs);
    world.cluster.patch("ComputeInstance", "vm", { spec: { management, ...change } });
    await world.advance(60_000);
    expect(stateOf(world, "ComputeInstance", "vm")).toBe("WaitingForApproval");
    return world;
  }

  it("contains each change, and says which one the operator would refuse", async () => {
    const world = await planned({
      type: "g6-standard-2",
      region: "us-west",
      label: "renamed",
      allowDisruption: ["Migrate"],
    });
    const plan = planOf(world, "ComputeInstance", "vm");
    expect(plan?.operations).toMatchObject([
      { method: "PUT", note: 'label: "vm" → "renamed"' },
      { path: expect.stringContaining("/migrate"), note: 'region: "us-east" → "us-west"' },
      { path: expect.stringContaining("/resize"), note: 'type: "g6-standard-1" → "g6-standard-2"' },
    ]);
    expect(plan?.operations.map(({ refused }) => refused)).toEqual([
      undefined,
      undefined,
      "spec.allowDisruption lacks Resize. Add it, or change spec.type back",
    ]);
    await approveAll(world, "ComputeInstance", "vm");
    expect(changes(world, 0).filter((one) => one.includes("/resize"))).toEqual([]);
    expect(world.cloud.rows(paths.ComputeInstance)).toMatchObject([{ label: "renamed", type: "g6-standard-1" }]);
    expect(stateOf(world, "ComputeInstance", "vm")).toBe("WaitingForApproval");
    expect(messageOf(world, "ComputeInstance", "vm")).toContain("spec.allowDisruption lacks Resize");
    expect(messageOf(world, "ComputeInstance", "vm")).not.toContain(approveAnnotation);
  });

  it("says that the instance stops, and the price before and after", async () => {
    const world = await planned({ type: "g6-standard-2", allowDisruption: ["Resize"] }, { backups: { enabled: true } });
    const plan = planOf(world, "ComputeInstance", "vm");
    expect(plan).toMatchObject({ stops: true, monthly: { before: "$14.50", after: "$29.00" } });
    const message = messageOf(world, "ComputeInstance", "vm");
    expect(message).toContain('type: "g6-standard-1" → "g6-standard-2"');
    expect(message).toContain("The instance stops. Price per month: $14.50 → $29.00");
  });

  it("says that the instance does not stop", async () => {
    const world = await planned({ alerts: { cpu: 80 } });
    const plan = planOf(world, "ComputeInstance", "vm");
    expect(plan).toMatchObject({ stops: false, monthly: { before: "$12.00", after: "$12.00" } });
    expect(messageOf(world, "ComputeInstance", "vm")).toContain("The instance does not stop");
  });

  it("shows the price of a creation and of a deletion", async () => {
    const world = createWorld();
    for (const type of prices) world.cloud.add("/compute/types", type);
    world.cluster.create("ComputeInstance", "vm", specs.ComputeInstance, { management });
    await world.advance(60_000);
    expect(planOf(world, "ComputeInstance", "vm")?.monthly).toEqual({ before: "$0.00", after: "$12.00" });
    await approveAll(world, "ComputeInstance", "vm");
    world.cluster.delete("ComputeInstance", "vm");
    await world.advance(60_000);
    expect(planOf(world, "ComputeInstance", "vm")?.monthly).toEqual({ before: "$12.00", after: "$0.00" });
  });

  it("is complete without a price list", async () => {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "vm", specs.ComputeInstance, { management });
    await world.advance(60_000);
    expect(planOf(world, "ComputeInstance", "vm")?.operations).toHaveLength(1);
  });
});

async function withPlan(kind: CaseKind): Promise<World> {
  const world = createWorld();
  world.cluster.create(kind, "planned", specs[kind], { management });
  await world.advance(60_000);
  return world;
}

interface Plan {
  hash: string;
  operations: { method: string; path: string; note: string; body?: string; refused?: string }[];
  stops?: boolean;
  monthly?: { before?: string; after?: string };
}

function planOf(world: World, kind: string, name: string): Plan | undefined {
  return (world.cluster.get(kind, name)?.status as { plan?: Plan } | undefined)?.plan;
}

function approve(world: World, kind: string, name: string, hash: string): void {
  world.cluster.annotate(kind, name, { [approveAnnotation]: hash });
}

/** Approves plan after plan until nothing is planned any more. */
async function approveAll(world: World, kind: string, name: string): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    const plan = planOf(world, kind, name);
    if (!plan) return;
    approve(world, kind, name, plan.hash);
    await world.advance(madeMs);
  }
}

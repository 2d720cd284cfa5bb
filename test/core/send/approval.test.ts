/** The policy Plan against people, edits and crashes that come between: nothing runs that is not approved as it is. */
import { approveAnnotation } from "../../../src/core/kind/annotations.ts";
import { describe, expect, it } from "vitest";
import { resources } from "../../../src/twin/definitions.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idsIn, madeMs, paths, specs, stateOf } from "../support.ts";

const management = { policy: "Plan" };

it("an approval that stays starts nothing again where somebody takes the record of it away", async () => {
  const { world, id } = await withKey();
  world.cloud.change(paths.SSHKey, id, { label: "drifted" });
  await world.advance(700_000);
  await approvePlan(world);
  expect(labels(world)).toEqual(["key"]);
  const before = changes(world).length;
  forgeStatus(world, { record: null });
  world.cloud.change(paths.SSHKey, id, { label: "drifted" });
  await world.advance(1_400_000);
  expect(changes(world)).toHaveLength(before);
  expect(stateOf(world, "SSHKey", "key")).toBe("WaitingForApproval");
});

it("an approval that stays makes nothing anew where somebody takes the whole status away", async () => {
  const world = createWorld();
  world.cluster.create("SSHKey", "key", specs.SSHKey, { management });
  await world.advance(60_000);
  await approvePlan(world);
  const [id = ""] = idsIn(world, "SSHKey");
  expect(id).not.toBe("");
  world.cloud.remove(paths.SSHKey, id);
  await world.advance(700_000);
  expect(stateOf(world, "SSHKey", "key")).toBe("WaitingForApproval");
  forgeStatus(world, { record: null });
  world.restart();
  await world.advance(1_400_000);
  expect(idsIn(world, "SSHKey")).toEqual([]);
});

it("a plan whose spec was edited when it was approved does not run, though the edit is not seen yet", async () => {
  const world = createWorld();
  world.cluster.create("SSHKey", "key", specs.SSHKey, { management });
  await world.advance(60_000);
  approve(world);
  world.cluster.watch.held = true;
  world.cluster.patch("SSHKey", "key", { spec: { label: "edited" } });
  await world.advance(1_400_000);
  expect(changes(world)).toEqual([]);
});

it("what is left of an approval is void once another plan is shown", async () => {
  const { world, id } = await withDriftedWall();
  world.cloud.fault({ kind: "busy", method: "PUT", times: 2 });
  approve(world, "Firewall", "wall");
  await world.advance(200);
  const before = changes(world);
  expect(before.at(-1)).toContain("PUT");
  const rules = { inbound: [], inbound_policy: "DROP", outbound: [], outbound_policy: "ACCEPT" };
  world.cloud.change(paths.Firewall, id, { label: "wall", rules: { ...rules, inbound_policy: "ACCEPT" } });
  await world.advance(700_000);
  expect(stateOf(world, "Firewall", "wall")).toBe("WaitingForApproval");
  world.cloud.change(paths.Firewall, id, { label: "drifted", rules });
  await world.advance(700_000);
  expect(changes(world)).toEqual(before);
});

it("an approval that is withdrawn while its request is put off is void", async () => {
  const { world, id } = await withKey();
  world.cloud.change(paths.SSHKey, id, { label: "drifted" });
  await world.advance(700_000);
  world.cloud.fault({ kind: "busy", method: "PUT", times: 2 });
  approve(world);
  await world.advance(200);
  const before = changes(world).length;
  world.cluster.annotate("SSHKey", "key", { [approveAnnotation]: null });
  await world.advance(700_000);
  expect(changes(world)).toHaveLength(before);
  expect(labels(world)).toEqual(["drifted"]);
});

it("a request that is put off is planned anew where the row has changed since the approval", async () => {
  const { world, id } = await withDriftedWall();
  const approved = hashOf(world, "Firewall", "wall");
  world.cloud.fault({ kind: "busy", method: "PUT", times: 2 });
  approve(world, "Firewall", "wall");
  await world.advance(200);
  const before = changes(world);
  expect(before.at(-1)).toContain("PUT");
  world.cloud.change(paths.Firewall, id, { label: "renamed by somebody" });
  await world.advance(700_000);
  expect(changes(world)).toEqual(before);
  expect(stateOf(world, "Firewall", "wall")).toBe("WaitingForApproval");
  expect(hashOf(world, "Firewall", "wall")).not.toBe(approved);
});

describe.each(["Plan", "Observe"])("a change that has not left when the policy becomes %s does not leave", (policy) => {
  /** Requests take a second to leave: what was decided before is under way meanwhile. */
  async function begun(kind: "Firewall" | "SSHKey", act: (world: World) => void): Promise<World> {
    const world = createWorld();
    world.cluster.create("Firewall", "wall", specs.Firewall);
    await world.advance(madeMs);
    world.cloud.settings.latencyMs = 1_000;
    const before = changes(world);
    act(world);
    for (let step = 0; step < 100 && changes(world).length === before.length; step += 1) await world.advance(100);
    expect(changes(world)).toHaveLength(before.length + 1);
    world.cluster.patch(kind, "wall", { spec: { management: { policy } } });
    await world.advance(700_000);
    expect(changes(world)).toEqual(before);
    return world;
  }

  it("an update", async () => {
    const world = await begun("Firewall", ({ cluster }) =>
      cluster.patch("Firewall", "wall", { spec: { label: "renamed" } }),
    );
    expect(world.cloud.rows(paths.Firewall)).toMatchObject([{ label: "wall" }]);
  });

  it("a step", async () => {
    const world = await begun("Firewall", ({ cluster }) =>
      cluster.patch("Firewall", "wall", { spec: { inboundPolicy: "ACCEPT" } }),
    );
    expect(world.cloud.rows(paths.Firewall)).toMatchObject([{ rules: { inbound_policy: "DROP" } }]);
  });

  it("a creation, which is made once the policy permits it again", async () => {
    const world = await begun("SSHKey", ({ cluster }) => cluster.create("SSHKey", "wall", specs.SSHKey));
    expect(idsIn(world, "SSHKey")).toEqual([]);
    world.cluster.patch("SSHKey", "wall", { spec: { management: { policy: "Manage" } } });
    await world.advance(madeMs);
    expect(world.cluster.get("SSHKey", "wall")).toBeReady();
    expect(idsIn(world, "SSHKey")).toHaveLength(1);
  });
});

it("what is missing is said to be created again when that is sent, not when it is planned", async () => {
  const { world, id } = await withKey();
  world.cloud.remove(paths.SSHKey, id);
  await world.advance(700_000);
  expect(stateOf(world, "SSHKey", "key")).toBe("WaitingForApproval");
  const told = () => world.cluster.events().filter(({ reason }) => reason === "Missing");
  expect(told()).toEqual([]);
  await approvePlan(world);
  expect(told()).toHaveLength(1);
  expect(world.cluster.get("SSHKey", "key")).toBeReady();
});

async function withKey(): Promise<{ world: World; id: string }> {
  const world = createWorld();
  world.cluster.create("SSHKey", "key", specs.SSHKey);
  await world.advance(madeMs);
  world.cluster.patch("SSHKey", "key", { spec: { management } });
  await world.advance(60_000);
  return { world, id: idsIn(world, "SSHKey")[0] ?? "" };
}

function labels({ cloud }: World): unknown[] {
  return cloud.rows(paths.SSHKey).map(({ label }) => label);
}

function hashOf({ cluster }: World, kind: string, name: string): string {
  return (cluster.get(kind, name)?.status as { plan?: { hash: string } } | undefined)?.plan?.hash ?? "none";
}

function approve(world: World, kind = "SSHKey", name = "key"): void {
  world.cluster.annotate(kind, name, { [approveAnnotation]: hashOf(world, kind, name) });
}

async function approvePlan(world: World): Promise<void> {
  approve(world);
  await world.advance(madeMs);
}

function forgeStatus({ cluster }: World, status: object): void {
  cluster.objects.patch(resources.get("SSHKey")!, { namespace: "default", name: "key" }, { status }, "status");
}

/** A firewall under Plan whose label somebody else has changed: the plan to correct it waits for approval. */
async function withDriftedWall(): Promise<{ world: World; id: string }> {
  const world = createWorld();
  world.cluster.create("Firewall", "wall", specs.Firewall);
  await world.advance(madeMs);
  world.cluster.patch("Firewall", "wall", { spec: { management } });
  const [id = ""] = idsIn(world, "Firewall");
  await world.advance(60_000);
  world.cloud.change(paths.Firewall, id, { label: "drifted" });
  await world.advance(700_000);
  return { world, id };
}

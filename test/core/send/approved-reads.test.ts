/** An approval covers the differences that the plan shows, also differences that only a step of the kind reads. */
import { describe, expect, it } from "vitest";
import { approveAnnotation } from "../../../src/core/kind/annotations.ts";
import type { JsonObject } from "../../../src/api/types.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, madeMs, manage, messageOf, obey, paths, specs, stateOf } from "../support.ts";
import type { CaseKind } from "../support.ts";

const soonMs = 120_000;
const resyncMs = 700_000;

function hashOf({ cluster }: World, kind: string, name: string): string {
  return (cluster.get(kind, name)?.status as { plan?: { hash: string } } | undefined)?.plan?.hash ?? "none";
}

function approve(world: World, kind: string, name: string, hash: string): void {
  world.cluster.annotate(kind, name, { [approveAnnotation]: hash });
}

/** The parts of a cloud object with their own endpoints. */
function besideOf({ cloud }: World, kind: CaseKind, id: string): Record<string, unknown> {
  return cloud.find(paths[kind], id)?.beside ?? {};
}

async function withBucket(): Promise<{ world: World; access: (acl: string) => void }> {
  const world = createWorld();
  world.cluster.create("Bucket", "media", { ...specs.Bucket, acl: "private" });
  await world.advance(madeMs);
  manage(world, "Bucket", "media", { policy: "Plan" });
  world.cluster.patch("Bucket", "media", { spec: { acl: "public-read" } });
  await world.advance(soonMs);
  const access = (acl: string) =>
    void Object.assign(besideOf(world, "Bucket", idOf(world, "Bucket", "media")), {
      access: { acl, cors_enabled: false },
    });
  return { world, access };
}

function expectOvertaken(world: World, hash: string): void {
  const text = `The approved plan ${hash} no longer fits, because the cloud object changed after the approval. The operator does not send the rest of it`;
  expect(messageOf(world, "Bucket", "media")).toContain(text);
}

describe("the plan of a bucket", () => {
  it("gets another hash if another client changes the access that the plan replaces", async () => {
    const { world, access } = await withBucket();
    expect(messageOf(world, "Bucket", "media")).toContain('acl: "private" → "public-read"');
    const reviewed = hashOf(world, "Bucket", "media");
    access("authenticated-read");
    await world.advance(resyncMs);
    const before = changes(world);
    expect(messageOf(world, "Bucket", "media")).toContain('acl: "authenticated-read" → "public-read"');
    expect(hashOf(world, "Bucket", "media")).not.toBe(reviewed);
    approve(world, "Bucket", "media", reviewed);
    await world.advance(resyncMs);
    expect(changes(world)).toEqual(before);
    expect(messageOf(world, "Bucket", "media")).toContain(
      `The annotation approves ${reviewed}, an earlier plan that no longer fits, because the cloud object changed`,
    );
    obey(world, "Bucket", "media");
    await world.advance(soonMs);
    expect(world.cluster.get("Bucket", "media")).toBeReady();
  });

  it("is not carried out if the operator sees the change only after the approval", async () => {
    const { world, access } = await withBucket();
    const before = changes(world);
    access("authenticated-read");
    const reviewed = hashOf(world, "Bucket", "media");
    approve(world, "Bucket", "media", reviewed);
    await world.advance(resyncMs);
    expect(changes(world)).toEqual(before);
    expect(stateOf(world, "Bucket", "media")).toBe("WaitingForApproval");
    expectOvertaken(world, reviewed);
  });

  it("is planned again if another client changes the access while the approved request waits", async () => {
    const { world, access } = await withBucket();
    world.cloud.fault({ kind: "busy", method: "POST", times: 2 });
    const reviewed = hashOf(world, "Bucket", "media");
    obey(world, "Bucket", "media");
    await world.advance(200);
    const before = changes(world);
    access("authenticated-read");
    await world.advance(resyncMs);
    expect(changes(world)).toEqual(before);
    expect(stateOf(world, "Bucket", "media")).toBe("WaitingForApproval");
    expectOvertaken(world, reviewed);
  });
});

describe("the plan of an adopted instance", () => {
  const machine = { ...specs.ComputeInstance, label: "old", status: "offline", tags: [], alerts: {} };
  const vlan = (label: string) => ({ purpose: "vlan", label });

  it("gets another hash if another client adds interfaces that the plan removes", async () => {
    const world = createWorld();
    const { id } = world.cloud.add(paths.ComputeInstance, { ...machine, backups: { enabled: false } });
    const profile: JsonObject = { id: 7, label: "boot", devices: {}, interfaces: [] };
    Object.assign(besideOf(world, "ComputeInstance", id), { configs: [profile] });
    const spec = { ...specs.ComputeInstance, label: "old", interfaces: [{ purpose: "public" }, vlan("v1")] };
    world.cluster.create("ComputeInstance", "taken", spec, { management: { adopt: { id } } });
    await world.advance(soonMs);
    expect(stateOf(world, "ComputeInstance", "taken")).toBe("AdoptionDiffers");
    const reviewed = hashOf(world, "ComputeInstance", "taken");
    profile["interfaces"] = [{ purpose: "public" }, vlan("v2"), vlan("v3")];
    await world.advance(resyncMs);
    expect(messageOf(world, "ComputeInstance", "taken")).toContain("v3");
    expect(hashOf(world, "ComputeInstance", "taken")).not.toBe(reviewed);
    approve(world, "ComputeInstance", "taken", reviewed);
    await world.advance(resyncMs);
    expect(changes(world)).toEqual([]);
  });
});

it("the remaining requests of an approved plan run after a refusal of one of them", async () => {
  const kind: CaseKind = "ComputeInstance";
  const world = createWorld();
  world.cluster.create(kind, "vm", specs[kind]);
  await world.advance(madeMs);
  const backups = { enabled: true, schedule: { day: "Sunday", window: "W2" } };
  world.cluster.patch(kind, "vm", { spec: { management: { policy: "Plan" }, label: "renamed", backups } });
  await world.advance(soonMs);
  world.cloud.fault({ kind: "busy", method: "POST", times: 1 });
  obey(world, kind, "vm");
  await world.advance(resyncMs);
  const row = world.cloud.rows(paths[kind])[0];
  expect(row).toMatchObject({ label: "renamed", backups: { enabled: true } });
});

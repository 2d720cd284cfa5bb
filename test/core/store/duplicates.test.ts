/** A create request that got no response is carried out after another one was made: the second cloud object is not silent. */
import { describe, expect, it } from "vitest";
import { conditionOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { keys } from "../secrets/keys.ts";
import {
  applied,
  begin,
  calm,
  changes,
  create,
  follow,
  idOf,
  left,
  messageOf,
  minutes,
  shapes,
  stateOf,
} from "../support.ts";

const { path } = shapes.SSHKey;

/** The first POST is carried out a minute after its answer was lost, half a minute after the second. */
async function late(ms = minutes(1)): Promise<World> {
  const world = await begin();
  world.cloud.fault({ kind: "lateApply", method: "POST", ms });
  create(world, "SSHKey", "web");
  return world;
}

const duplicate = ({ cluster }: World, kind = "SSHKey") => conditionOf(cluster.get(kind, "web"), "Duplicate");
const told = ({ cluster }: World) => cluster.events().filter(({ reason }) => reason === "CreatedLate");

/** The row that is not the object's own. */
function twinOf(world: World, kind = "SSHKey"): string {
  const [twin, ...more] = left(world).filter(({ id }) => id !== idOf(world, kind, "web"));
  expect(more).toEqual([]);
  return twin?.id ?? "none";
}

function isTold(world: World, kind: "SSHKey" | "ComputeInstance" | "Firewall" = "SSHKey"): void {
  const twin = twinOf(world, kind);
  expect(world.cluster.get(kind, "web")).toBeReady();
  expect(duplicate(world, kind)).toMatchObject({ status: "True", reason: "CreatedLate" });
  expect(duplicate(world, kind)?.message).toContain(` ${twin}: equal to an unanswered create request of this object`);
  expect(duplicate(world, kind)?.message).toContain(`spec.management.adopt.id: "${twin}"`);
}

it("is told by a condition and one event, and not changed", async () => {
  const world = await late();
  await world.advance(minutes(4));
  const since = world.cloud.ledger().length;
  await world.advance(minutes(30));
  isTold(world);
  expect(told(world)).toHaveLength(1);
  expect(changes(world, since)).toEqual([]);
});

it("is told by a process that knows of the attempts from the object alone", async () => {
  const world = await late(minutes(2));
  await world.advance(60_000);
  expect(world.cluster.get("SSHKey", "web")).toBeReady();
  world.restart();
  await world.advance(minutes(5));
  isTold(world);
});

it("is told where people had another cloud object adopted while the creation was uncertain", async () => {
  const world = await begin();
  const other = world.cloud.add(path, { label: "theirs", ssh_key: shapes.SSHKey.spec.sshKey });
  world.cloud.fault({ kind: "lateApply", method: "POST", ms: 20_000 });
  create(world, "SSHKey", "web");
  await world.advance(5_000);
  world.cluster.patch("SSHKey", "web", { spec: { management: { adopt: { id: other.id } } } });
  await world.advance(minutes(5));
  expect(idOf(world, "SSHKey", "web")).toBe(other.id);
  isTold(world);
});

it("is told where others created one like it in that second, which was found in its place", async () => {
  const world = await begin();
  world.cloud.fault({ kind: "lateApply", method: "POST", ms: 20_000 });
  create(world, "SSHKey", "web");
  await world.advance(100);
  const others = world.cloud.add(path, { label: "web", ssh_key: shapes.SSHKey.spec.sshKey });
  await world.advance(minutes(5));
  expect(idOf(world, "SSHKey", "web")).toBe(others.id);
  isTold(world);
});

it("is told where that went, and another one was created, before it is carried out", async () => {
  const world = await begin();
  world.cloud.fault({ kind: "lateApply", method: "POST", ms: minutes(3) });
  create(world, "SSHKey", "web", { management: { missingPolicy: "Recreate" } });
  await world.advance(100);
  const others = world.cloud.add(path, { label: "web", ssh_key: shapes.SSHKey.spec.sshKey });
  await world.advance(10_000);
  expect(idOf(world, "SSHKey", "web")).toBe(others.id);
  world.cloud.remove(path, others.id);
  await world.advance(minutes(5));
  expect(idOf(world, "SSHKey", "web")).not.toBe(others.id);
  isTold(world);
});

it("is told after the object was renamed, which renews its entry", async () => {
  const world = await late(minutes(3));
  await world.advance(minutes(1));
  world.cluster.patch("SSHKey", "web", { spec: { label: "renamed" } });
  await world.advance(minutes(5));
  isTold(world);
});

it("is told where the label was changed before the second attempt, so that names do not clash", async () => {
  const world = await begin();
  world.cloud.fault({ kind: "lateApply", method: "POST", ms: minutes(2) });
  create(world, "Firewall", "web");
  await world.advance(10_000);
  world.cluster.patch("Firewall", "web", { spec: { label: "renamed" } });
  await world.advance(minutes(6));
  isTold(world, "Firewall");
});

it("is told where people allowed the second attempt of what costs money", async () => {
  const world = await begin();
  world.cloud.fault({ kind: "lateApply", method: "POST", ms: minutes(13) });
  create(world, "ComputeInstance", "web");
  await world.advance(minutes(12));
  follow(world, "ComputeInstance", "web", "retry-create");
  await world.advance(minutes(5));
  isTold(world, "ComputeInstance");
});

it("is told once more when the object goes, since nothing tells of it afterwards", async () => {
  const world = await late();
  await world.advance(minutes(4));
  const twin = twinOf(world);
  world.cluster.delete("SSHKey", "web");
  await world.advance(minutes(1));
  expect(world.cluster.get("SSHKey", "web")).toBeUndefined();
  expect(left(world).map(({ id }) => id)).toEqual([twin]);
  expect(told(world)).toHaveLength(2);
});

describe("a key, whose row does not show when it was created", () => {
  const key = "ObjectStorageKey";

  /** Its creation has lost its answer, and by then people have another one adopted. */
  async function adopting(fault: { kind: "lostAfter" } | { kind: "lateApply"; ms: number }): Promise<World> {
    const world = await begin();
    const other = world.cloud.add(keys, { label: "theirs", limited: false, bucket_access: null });
    world.cloud.fault({ ...fault, method: "POST" });
    world.cluster.create(key, "web", {});
    await world.advance(1_000);
    world.cluster.patch(key, "web", { spec: { management: { adopt: { id: other.id } } } });
    await world.advance(1_000);
    expect(idOf(world, key, "web")).toBe(other.id);
    return world;
  }

  it.each([
    { fault: { kind: "lostAfter" }, because: "it was there before the adoption" },
    { fault: { kind: "lateApply", ms: 20_000 }, because: "it is carried out 20 s later" },
    { fault: { kind: "lateApply", ms: 110_000 }, because: "it is carried out 110 s later" },
  ] as const)("is told as long as it is there: $because", async ({ fault }) => {
    const world = await adopting(fault);
    await world.advance(minutes(30));
    const twin = twinOf(world, key);
    expect(duplicate(world, key)?.message).toContain(` ${twin}: equal to an unanswered create request of this object`);
    expect(told(world)).toHaveLength(1);
    world.restart();
    await world.advance(minutes(12));
    expect(duplicate(world, key)?.message).toContain(twin);
    world.cloud.remove(keys, twin);
    await world.advance(minutes(12));
    expect(duplicate(world, key)).toBeUndefined();
  });

  it.each([
    { fate: "deleted", ms: minutes(5) },
    { fate: "kept", ms: minutes(30) },
  ])("is told where the adoption could not be stored at once, and the object is $fate", async ({ fate, ms }) => {
    const world = await begin();
    const other = world.cloud.add(keys, { label: "theirs", limited: false, bucket_access: null });
    world.cloud.fault({ kind: "lostAfter", method: "POST" });
    world.cluster.create(key, "web", {});
    await world.advance(1_000);
    world.cluster.latency.ms = 2_000;
    world.cluster.patch(key, "web", { spec: { management: { adopt: { id: other.id } } } });
    await world.advance(500);
    if (fate === "deleted") world.cluster.delete(key, "web");
    else world.cluster.annotate(key, "web", { "example.com/touched": "yes" });
    await world.advance(ms);
    const writes = world.cluster.writes().filter(({ resource }) => resource === "objectstoragekeys");
    expect(writes.some(({ error }) => error?.includes("cannot be fulfilled"))).toBe(true);
    const [lost] = left(world);
    expect(told(world).map(({ note }) => note)).toEqual([
      expect.stringContaining(` ${lost?.id}: equal to an unanswered create request`),
    ]);
  });

  it.each([
    { reuseIds: false, ms: 500, because: "by the adoption" },
    { reuseIds: false, ms: 20_000, because: "after the deletion" },
    { reuseIds: true, ms: 20_000, because: "after the deletion, under the id of what was adopted" },
  ])("is told before the deleted object goes, where it is carried out $because", async ({ reuseIds, ms }) => {
    const world = await begin();
    world.cloud.settings.reuseIds = reuseIds;
    const other = world.cloud.add(keys, { label: "theirs", limited: false, bucket_access: null });
    world.cloud.fault({ kind: "lateApply", method: "POST", ms });
    world.cluster.create(key, "web", {});
    await world.advance(100);
    world.cluster.patch(key, "web", { spec: { management: { adopt: { id: other.id } } } });
    await world.advance(100);
    world.cluster.delete(key, "web");
    await world.advance(minutes(3));
    expect(world.cluster.get(key, "web")).toBeUndefined();
    const [lost, ...more] = left(world);
    expect(more).toEqual([]);
    const lateIn = expect.stringContaining(
      ` ${lost?.id}: equal to an unanswered create request of this object`,
    ) as string;
    expect(told(world).map(({ note }) => note)).toEqual([lateIn]);
  });

  it("stays in the cloud beside the key that a person created in that second, and the condition names both", async () => {
    const world = await begin();
    world.cloud.fault({ kind: "lateApply", method: "POST", ms: 20_000 });
    world.cluster.create(key, "web", {});
    await world.advance(100);
    const { id } = world.cloud.byHand(keys, { label: "web" }, "ada");
    await world.advance(minutes(15));
    expect(stateOf(world, key, "web")).toBe("CreateUncertain");
    expect(messageOf(world, key, "web")).toContain(id);
    expect(messageOf(world, key, "web")).toContain(left(world)[0]?.id);
    expect(applied(world, "DELETE")).toEqual([]);
  });
});

describe("what is told is over", () => {
  it("when the twin is deleted in the cloud", async () => {
    const world = await late();
    await world.advance(minutes(4));
    world.cloud.remove(path, twinOf(world));
    await world.advance(minutes(3));
    expect(duplicate(world)).toBeUndefined();
  });

  it("when another object takes it, as the message says", async () => {
    const world = await late();
    await world.advance(minutes(4));
    const management = { adopt: { id: twinOf(world) } };
    world.cluster.create("SSHKey", "other", { ...shapes.SSHKey.spec, label: "web" }, { management });
    await world.advance(minutes(12));
    expect(world.cluster.get("SSHKey", "other")).toBeReady();
    expect(duplicate(world)).toBeUndefined();
  });
});

describe("nothing is told", () => {
  it("where the first request was never carried out", async () => {
    const world = await begin();
    world.cloud.fault({ kind: "lostBefore", method: "POST" });
    create(world, "SSHKey", "web");
    await world.advance(minutes(30));
    expect(world.cluster.get("SSHKey", "web")).toBeReady();
    expect(duplicate(world)).toBeUndefined();
  });

  it("of what another object makes, and the ordinary creation writes as often as ever", async () => {
    const world = await begin();
    create(world, "SSHKey", "web");
    await world.advance(minutes(1));
    create(world, "SSHKey", "other");
    await world.advance(minutes(30));
    expect(applied(world, "POST")).toHaveLength(2);
    expect(duplicate(world)).toBeUndefined();
    const written = world.cluster
      .writes()
      .filter(({ resource, key }) => resource === "sshkeys" && key.endsWith("/web"));
    expect(written).toHaveLength(2);
  });
});

describe("what a renamed instance's first request created while the next one was held", () => {
  /** The second request is sent, after the object was renamed, while the first may still be carried out. */
  async function renamed(
    second: Parameters<World["cloud"]["fault"]>[0],
    ms: number,
  ): Promise<{ world: World; id: string }> {
    const world = await begin(calm);
    world.cloud.fault({ kind: "lateApply", method: "POST", ms: minutes(13) });
    create(world, "ComputeInstance", "web", { label: "first" });
    await world.advance(minutes(12));
    expect(stateOf(world, "ComputeInstance", "web")).toBe("CreateUncertain");
    world.cluster.patch("ComputeInstance", "web", { spec: { label: "second" } });
    world.cloud.fault(second);
    follow(world, "ComputeInstance", "web", "retry-create");
    await world.advance(ms);
    const [{ id } = { id: "" }] = left(world);
    return { world, id };
  }
  const isHeld = { kind: "tooMany", method: "POST", ms: 100_000 } as const;
  const isLost = { kind: "lostBefore", method: "POST" } as const;

  it("is named before another one is created", async () => {
    const { world, id } = await renamed(isHeld, minutes(15));
    expect(left(world)).toHaveLength(1);
    expect(messageOf(world, "ComputeInstance", "web")).toContain(`set spec.management.adopt.id: "${id}"`);
    world.cluster.patch("ComputeInstance", "web", { spec: { management: { adopt: { id } } } });
    await world.advance(minutes(5));
    expect(stateOf(world, "ComputeInstance", "web"), messageOf(world, "ComputeInstance", "web")).toBe("Ready");
    expect(left(world)).toMatchObject([{ id, fields: { label: "second" } }]);
  });

  it("is named where the next request got no response either", async () => {
    const { world, id } = await renamed(isLost, minutes(30));
    expect(messageOf(world, "ComputeInstance", "web")).toContain(`set spec.management.adopt.id: "${id}"`);
    expect(left(world)).toHaveLength(1);
  });

  it("is named while the object is deleted, and what is done about it is done", async () => {
    const { world, id } = await renamed(isLost, minutes(15));
    world.restart();
    world.cluster.delete("ComputeInstance", "web");
    await world.advance(minutes(25));
    expect(messageOf(world, "ComputeInstance", "web")).toContain(`perhaps created instance ${id}`);
    world.cloud.remove(shapes.ComputeInstance.path, id);
    follow(world, "ComputeInstance", "web", "orphan");
    await world.advance(minutes(1));
    expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
  });

  it("may be left aside where a person says so", async () => {
    const { world, id } = await renamed(isHeld, minutes(15));
    follow(world, "ComputeInstance", "web", "retry-create");
    await world.advance(minutes(5));
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(idOf(world, "ComputeInstance", "web")).not.toBe(id);
    expect(left(world)).toHaveLength(2);
  });
});

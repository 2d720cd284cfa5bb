/** An id that means something else by now, or that somebody wrote into a status: nothing is touched. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { originFromTime } from "../../../src/core/model/origin.ts";
import type { CloudRow } from "../../world/rows.ts";
import type { World } from "../../world/world.ts";
import {
  begin,
  changes,
  create,
  follow,
  forgeRecord,
  giveAway,
  idOf,
  left,
  minutes,
  shapeNames,
  shapes,
  stateOf,
  storeStatus,
  withReady,
} from "../support.ts";
import type { Shape } from "../support.ts";

/** It is left alone, the object is told so, and goes when people say so. */
async function isLeftAlone(world: World, kind: Shape, other: { fields: JsonObject; removed: unknown }) {
  const before = structuredClone(other.fields);
  const asked = world.cloud.ledger().length;
  await world.advance(minutes(25));
  expect(stateOf(world, kind, "web")).toBe("Conflict");
  world.cluster.patch(kind, "web", { spec: kind === "Bucket" ? { acl: "public-read" } : { label: "renamed" } });
  await world.advance(minutes(12));
  expect(stateOf(world, kind, "web")).toBe("Conflict");
  world.cluster.delete(kind, "web");
  await world.advance(minutes(12));
  expect(stateOf(world, kind, "web")).toBe("Conflict");
  follow(world, kind, "web", "orphan");
  await world.advance(minutes(1));
  expect(world.cluster.get(kind, "web")).toBeUndefined();
  expect(changes(world, asked)).toEqual([]);
  expect(other.fields).toEqual(before);
  expect(other.removed).toBeUndefined();
}

describe.each(shapeNames)("the id of a %s that was given to something else", (kind) => {
  it.each([false, true])("is a Conflict, and nothing is touched; restart: %s", async (restart) => {
    const { world, row } = await withReady(kind);
    const other = giveAway(world, row);
    if (restart) world.restart();
    await isLeftAlone(world, kind, other);
  });

  it("is not deleted with an object that was deleted while the operator was away", async () => {
    const { world, row } = await withReady(kind);
    world.crash();
    const other = giveAway(world, row);
    world.cluster.delete(kind, "web");
    world.restart();
    await world.advance(minutes(12));
    expect(stateOf(world, kind, "web")).toBe("Conflict");
    follow(world, kind, "web", "orphan");
    await world.advance(minutes(1));
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(other.removed).toBeUndefined();
  });

  it("is not deleted where it is replaced within one poll of the deletion", async () => {
    const { world, row } = await withReady(kind);
    const other = giveAway(world, row);
    world.cluster.delete(kind, "web");
    await world.advance(minutes(5));
    expect(stateOf(world, kind, "web")).toBe("Conflict");
    expect(other.removed).toBeUndefined();
  });
});

const withIds = shapeNames.filter((kind) => kind !== "Bucket");

describe.each(withIds)("a forged status of a %s", (kind) => {
  const foreign = (world: World, row: CloudRow): CloudRow => {
    const { id: _, ...fields } = structuredClone(row.fields);
    return world.cloud.add(row.path, { ...fields, label: "others" });
  };

  it("with another's id is put right by the process that knows", async () => {
    const { world, row } = await withReady(kind);
    const other = foreign(world, row);
    const before = structuredClone(other.fields);
    storeStatus(world, kind, "web", { id: other.id });
    await world.advance(minutes(12));
    expect(idOf(world, kind, "web")).toBe(row.id);
    forgeRecord(world, kind, "web", { id: other.id });
    world.cluster.delete(kind, "web");
    await world.advance(minutes(12));
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(row.removed).toBeDefined();
    expect(other).toMatchObject({ removed: undefined, fields: before });
  });

  it.each([
    { because: "with another's id", more: {} },
    { because: "with another's id and no origin", more: { origin: null } },
  ])("after a restart, $because, touches nothing foreign", async ({ more }) => {
    const world = await begin();
    const row = { path: shapes[kind].path, fields: rowOf(kind) } as CloudRow;
    const other = foreign(world, row);
    const before = structuredClone(other.fields);
    await world.advance(minutes(1));
    create(world, kind, "web");
    await world.advance(minutes(3));
    world.crash();
    forgeRecord(world, kind, "web", { id: other.id, ...more });
    world.restart();
    await world.advance(minutes(12));
    world.cluster.delete(kind, "web");
    await world.advance(minutes(12));
    expect(other).toMatchObject({ removed: undefined, fields: before });
  });
});

const forgeries: { because: string; more: object }[] = [
  { because: "and its origin", more: {} },
  { because: "and its origin, without a signature", more: { signature: null } },
  { because: "and its origin, as adopted", more: { adopted: true } },
  { because: "and a signature of another's", more: { signature: "A".repeat(43) } },
];

describe.each(withIds)("a %s whose status was given another's id", (kind) => {
  /** The other row was made so shortly before that its time of creation proves nothing. */
  async function forged(more: object): Promise<{ world: World; own: CloudRow; other: CloudRow; before: JsonObject }> {
    const world = await begin();
    const other = world.cloud.add(shapes[kind].path, { ...rowOf(kind), label: "others" });
    await world.advance(minutes(1));
    create(world, kind, "web");
    await world.advance(minutes(3));
    const own = left(world)[0]!;
    world.crash();
    const origin = originFromTime(other.fields["created"]);
    storeStatus(world, kind, "web", { id: other.id });
    forgeRecord(world, kind, "web", { id: other.id, origin, ...more });
    return { world, own, other, before: structuredClone(other.fields) };
  }

  it.each(forgeries)("$because, goes on with its own after a restart", async ({ more }) => {
    const { world, own, other, before } = await forged(more);
    world.restart();
    await world.advance(minutes(12));
    expect(world.cluster.get(kind, "web")).toBeReady();
    expect(idOf(world, kind, "web")).toBe(own.id);
    world.cluster.delete(kind, "web");
    await world.advance(minutes(5));
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(own.removed).toBeDefined();
    expect(other).toMatchObject({ removed: undefined, fields: before });
  });

  it.each(forgeries)("$because, and deleted, takes its own along and not the other", async ({ more }) => {
    const { world, own, other, before } = await forged(more);
    world.cluster.delete(kind, "web");
    world.restart();
    await world.advance(minutes(12));
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(own.removed).toBeDefined();
    expect(other).toMatchObject({ removed: undefined, fields: before });
  });

  it("takes nothing from the object that manages that one", async () => {
    const world = await begin();
    create(world, kind, "web");
    await world.advance(minutes(1));
    create(world, kind, "victim");
    await world.advance(minutes(3));
    const [own, other] = [idOf(world, kind, "web"), idOf(world, kind, "victim")];
    const { record } = world.cluster.get(kind, "victim")!.status as { record: string };
    world.crash();
    storeStatus(world, kind, "web", { id: other, record });
    world.restart();
    await world.advance(minutes(12));
    expect([stateOf(world, kind, "web"), stateOf(world, kind, "victim")]).toEqual(["Ready", "Ready"]);
    expect([idOf(world, kind, "web"), idOf(world, kind, "victim")]).toEqual([own, other]);
  });
});

function rowOf(kind: Shape): JsonObject {
  const rules = { inbound_policy: "DROP", outbound_policy: "ACCEPT", inbound: [], outbound: [] };
  if (kind === "SSHKey") return { ssh_key: shapes.SSHKey.spec.sshKey };
  return kind === "Firewall" ? { rules } : { ...shapes.ComputeInstance.spec };
}

it("an id that the cloud uses again right after our own DELETE holds nothing: the object goes, and the other one stays", async () => {
  const { world, row } = await withReady("SSHKey");
  world.cloud.settings.reuseIds = true;
  // Another object's creation is answered before the operator reads what became of its DELETE.
  world.cloud.fault({ kind: "slow", ms: 1_000, method: "GET", path: /sshkeys\/\d+$/, times: 2 });
  world.cluster.delete("SSHKey", "web");
  await world.advance(1_100);
  expect(row.removed).toBeDefined();
  create(world, "SSHKey", "other", { label: "others" });
  await world.advance(minutes(1));
  expect(idOf(world, "SSHKey", "other")).toBe(row.id);
  expect(world.cluster.get("SSHKey", "other")).toBeReady();
  expect(world.cluster.get("SSHKey", "web")).toBeUndefined();
  expect(left(world)).toHaveLength(1);
});

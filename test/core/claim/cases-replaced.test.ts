/** An id that means something else by now, or that somebody wrote into a status: nothing is touched. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import type { CloudRow } from "../../world/rows.ts";
import { resources } from "../../world/cluster.ts";
import type { World } from "../../world/world.ts";
import { begin, changes, create, follow, idOf, left, minutes, ready, shapeNames, shapes } from "./scenes.ts";
import type { Shape } from "./scenes.ts";

async function made(kind: Shape): Promise<{ world: World; row: CloudRow }> {
  const world = await begin();
  create(world, kind, "web");
  await world.advance(minutes(3));
  expect(ready(world, kind, "web")).toBe("Ready");
  return { world, row: left(world)[0]! };
}

/** Somebody else's: of another label where the id does not say it. */
function replace(world: World, { path, id, fields }: CloudRow, kind: Shape): CloudRow {
  const { created: _, ...rest } = structuredClone(fields);
  return world.cloud.replace(path, id, { ...rest, ...(kind !== "Bucket" && { label: "others" }) });
}

function storeStatus({ cluster }: World, kind: Shape, name: string, status: object): void {
  const resource = resources.get(kind)!;
  cluster.objects.patch(resource, { namespace: "default", name }, { status }, "status");
}

/** It is left alone, the object is told so, and goes when people say so. */
async function isLeftAlone(world: World, kind: Shape, other: { fields: JsonObject; removed: unknown }) {
  const before = structuredClone(other.fields);
  const asked = world.cloud.ledger().length;
  await world.advance(minutes(25));
  expect(ready(world, kind, "web")).toBe("Conflict");
  world.cluster.patch(kind, "web", { spec: kind === "Bucket" ? { acl: "public-read" } : { label: "renamed" } });
  await world.advance(minutes(12));
  expect(ready(world, kind, "web")).toBe("Conflict");
  world.cluster.delete(kind, "web");
  await world.advance(minutes(12));
  expect(ready(world, kind, "web")).toBe("Conflict");
  follow(world, kind, "web", "let-go");
  await world.advance(minutes(1));
  expect(world.cluster.get(kind, "web")).toBeUndefined();
  expect(changes(world, asked)).toEqual([]);
  expect(other.fields).toEqual(before);
  expect(other.removed).toBeUndefined();
}

describe.each(shapeNames)("the id of a %s that was given to something else", (kind) => {
  it.each([false, true])("is a Conflict, and nothing is touched; restart: %s", async (restart) => {
    const { world, row } = await made(kind);
    const other = replace(world, row, kind);
    if (restart) world.restart();
    await isLeftAlone(world, kind, other);
  });

  it("is not deleted with an object that was deleted while the operator was away", async () => {
    const { world, row } = await made(kind);
    world.crash();
    const other = replace(world, row, kind);
    world.cluster.delete(kind, "web");
    world.restart();
    await world.advance(minutes(12));
    expect(ready(world, kind, "web")).toBe("Conflict");
    follow(world, kind, "web", "let-go");
    await world.advance(minutes(1));
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(other.removed).toBeUndefined();
  });

  it("is not deleted where it is replaced within one sweep of the deletion", async () => {
    const { world, row } = await made(kind);
    const other = replace(world, row, kind);
    world.cluster.delete(kind, "web");
    await world.advance(minutes(5));
    expect(ready(world, kind, "web")).toBe("Conflict");
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
    const { world, row } = await made(kind);
    const other = foreign(world, row);
    const before = structuredClone(other.fields);
    storeStatus(world, kind, "web", { id: other.id });
    await world.advance(minutes(12));
    expect(idOf(world, kind, "web")).toBe(row.id);
    storeStatus(world, kind, "web", { id: other.id });
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
    storeStatus(world, kind, "web", { id: other.id, ...more });
    world.restart();
    await world.advance(minutes(12));
    world.cluster.delete(kind, "web");
    await world.advance(minutes(12));
    expect(other).toMatchObject({ removed: undefined, fields: before });
  });
});

function rowOf(kind: Shape): JsonObject {
  const rules = { inbound_policy: "DROP", outbound_policy: "ACCEPT", inbound: [], outbound: [] };
  if (kind === "SSHKey") return { ssh_key: shapes.SSHKey.spec.sshKey };
  return kind === "Firewall" ? { rules } : { ...shapes.ComputeInstance.spec };
}

/** A database is put back to a DatabaseBackup, or to a backup that no object manages. */
import { expect, it } from "vitest";
import { resources } from "../../../src/twin/definitions.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, manage, messageOf, obey, stateOf } from "../support.ts";

const minute = 60_000;
const databases = "/databases/mysql/instances";
const shop = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" };
const restore = { databaseRef: { name: "shop" }, action: "Restore", notAfter: "2099-01-01T00:00:00Z" };

async function withDatabases(...names: string[]): Promise<World> {
  const world = createWorld();
  world.cloud.settings.databaseMs = 1_000;
  for (const name of names) world.cluster.create("ManagedMySQL", name, shop);
  await world.advance(6 * minute);
  return world;
}

async function backedUp(world: World, database = "shop"): Promise<World> {
  world.cluster.create("DatabaseBackup", "nightly", { databaseRef: { name: database } });
  await world.advance(6 * minute);
  expect(world.cluster.get("DatabaseBackup", "nightly")).toBeReady();
  return world;
}

const restores = (world: World): string[] => changes(world).filter((call) => call.endsWith("/restore"));

it("by the name of a DatabaseBackup, once, and does not hold it afterwards", async () => {
  const world = await backedUp(await withDatabases("shop"));
  world.cluster.create("DatabaseAction", "back", { ...restore, backupRef: { name: "nightly" } });
  await world.advance(minute);
  expect(stateOf(world, "DatabaseAction", "back"), messageOf(world, "DatabaseAction", "back")).toBe("Ready");
  const of = `${databases}/${idOf(world, "ManagedMySQL", "shop")}/backups/${idOf(world, "DatabaseBackup", "nightly")}`;
  world.cluster.delete("DatabaseBackup", "nightly");
  await world.advance(10 * minute);
  expect(world.cluster.get("DatabaseBackup", "nightly")).toBeUndefined();
  world.restart();
  await world.advance(10 * minute);
  expect(restores(world)).toEqual([`POST ${of}/restore`]);
  expect(world.cluster.get("DatabaseAction", "back")).toBeReady();
});

it("is not done a second time where an older version of the object comes back, of when it was refused for now", async () => {
  const world = await backedUp(await withDatabases("shop"));
  world.cloud.fault({ kind: "tooMany", method: "POST", path: /restore$/, ms: 5_000 });
  world.cluster.create("DatabaseAction", "back", { ...restore, backupRef: { name: "nightly" } });
  await world.advance(2_000);
  expect(restores(world)).toHaveLength(1);
  const older = structuredClone(world.cluster.get("DatabaseAction", "back")!);
  await world.advance(minute);
  expect(world.cluster.get("DatabaseAction", "back")).toBeReady();
  expect(restores(world)).toHaveLength(2);
  world.crash();
  const { annotations } = older.metadata;
  const reference = { namespace: "default", name: "back" };
  const [resource, { status: now = {} }] = [
    resources.get("DatabaseAction")!,
    world.cluster.get("DatabaseAction", "back")!,
  ];
  const gone = Object.fromEntries(Object.keys(now).map((member) => [member, null]));
  world.cluster.objects.patch(resource, reference, { metadata: { annotations } });
  world.cluster.objects.patch(resource, reference, { status: { ...gone, ...older.status } }, "status");
  world.restart();
  await world.advance(30 * minute);
  expect(restores(world)).toHaveLength(2);
  expect(stateOf(world, "DatabaseAction", "back"), messageOf(world, "DatabaseAction", "back")).toBe(
    "OperationUncertain",
  );
  obey(world, "DatabaseAction", "back");
  await world.advance(minute);
  expect(restores(world)).toHaveLength(3);
});

it("waits for a DatabaseBackup that is not complete, and says so", async () => {
  const world = await withDatabases("shop");
  world.cluster.create("DatabaseAction", "back", { ...restore, backupRef: { name: "nightly" } });
  await world.advance(minute);
  expect(stateOf(world, "DatabaseAction", "back")).toBe("WaitingForReference");
  expect(messageOf(world, "DatabaseAction", "back")).toContain("DatabaseBackup nightly does not exist");
  await backedUp(world);
  await world.advance(minute);
  expect(restores(world)).toHaveLength(1);
});

it("is refused where the DatabaseBackup is of another database: its id may be that of another backup there", async () => {
  const world = await backedUp(await withDatabases("shop", "blog"), "blog");
  world.cluster.create("DatabaseAction", "back", { ...restore, backupRef: { name: "nightly" } });
  await world.advance(10 * minute);
  expect(stateOf(world, "DatabaseAction", "back")).toBe("InvalidSpec");
  expect(messageOf(world, "DatabaseAction", "back")).toContain("DatabaseBackup nightly is of another database");
  expect(restores(world)).toEqual([]);
});

it("is refused where the DatabaseBackup, which is paused, was made of a database that the name does not mean any more", async () => {
  const world = await backedUp(await withDatabases("shop"));
  const id = idOf(world, "DatabaseBackup", "nightly");
  manage(world, "DatabaseBackup", "nightly", { policy: "Paused" });
  manage(world, "ManagedMySQL", "shop", { deletionPolicy: "Orphan" });
  await world.advance(minute);
  world.cluster.delete("ManagedMySQL", "shop");
  await world.advance(minute);
  world.cluster.create("ManagedMySQL", "shop", { ...shop, label: "shop-2", connectionSecret: { name: "another" } });
  await world.advance(6 * minute);
  const its = `${databases}/${idOf(world, "ManagedMySQL", "shop")}/backups`;
  world.cloud.add(its, { id: Number(id), label: "auto", type: "auto", created: "2026-01-01T00:00:00" });
  world.cluster.create("DatabaseAction", "back", { ...restore, backupRef: { name: "nightly" } });
  await world.advance(10 * minute);
  expect(restores(world)).toEqual([]);
  expect(messageOf(world, "DatabaseAction", "back")).toContain("DatabaseBackup nightly is of another database");
});

it.each([
  {
    becomes: { label: "auto", type: "auto", created: "2026-02-02T00:00:00" },
    says: "is now a different cloud object with the same ID",
  },
  { becomes: undefined, says: "no longer exists" },
])("sends nothing where the backup, since it was seen last, $says", async ({ becomes, says }) => {
  const world = await backedUp(await withDatabases("shop"));
  const path = `${databases}/${idOf(world, "ManagedMySQL", "shop")}/backups`;
  const id = idOf(world, "DatabaseBackup", "nightly");
  if (becomes) world.cloud.replace(path, id, { id: Number(id), ...becomes });
  else world.cloud.remove(path, id);
  world.cluster.create("DatabaseAction", "back", { ...restore, backupRef: { name: "nightly" } });
  await world.advance(5_000);
  expect(messageOf(world, "DatabaseAction", "back")).toContain(says);
  await world.advance(10 * minute);
  expect(restores(world)).toEqual([]);
});

it("by the id of a backup that the cloud has made by itself", async () => {
  const world = await withDatabases("shop");
  const path = `${databases}/${idOf(world, "ManagedMySQL", "shop")}/backups`;
  const { id } = world.cloud.add(path, { label: "auto", type: "auto", created: "2026-01-01T00:00:00" });
  world.cluster.create("DatabaseAction", "back", { ...restore, backupRef: { id } });
  await world.advance(minute);
  expect(restores(world)).toEqual([`POST ${path}/${id}/restore`]);
});

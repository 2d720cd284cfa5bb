/** Creations that are answered with `{}`: what was accepted is found by its label once it appears, and is never asked for twice. */
import { describe, expect, it } from "vitest";
import type { FaultKind } from "../../world/faults.ts";
import { conditionOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import {
  applied,
  begin,
  calm,
  changes,
  crashedAnywhere,
  follow,
  idOf,
  left,
  made,
  messageOf,
  minutes,
  restore,
  stateOf,
} from "../support.ts";

const kind = "DatabaseBackup";
const name = "before-upgrade";
const databases = "/databases/mysql/instances";
const shop = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" };

/** With a database that runs. */
async function withDatabase(options = {}): Promise<World> {
  const world = await begin(options);
  world.cloud.settings.databaseMs = 1_000;
  world.cluster.create("ManagedMySQL", "shop", shop);
  await world.advance(minutes(6));
  expect(world.cluster.get("ManagedMySQL", "shop")).toBeReady();
  return world;
}

function ask(world: World, of = name): void {
  world.cluster.create(kind, of, { databaseRef: { name: "shop" } });
}

function pathOf(world: World): string {
  return `${databases}/${idOf(world, "ManagedMySQL", "shop")}/backups`;
}

function idsIn(world: World): string[] {
  return world.cloud.rows(pathOf(world)).map(({ id }) => JSON.stringify(id));
}

/** How often the database was asked for a backup. */
function asked(world: World): number {
  return world.cloud.ledger().filter(({ method, path }) => method === "POST" && path === pathOf(world)).length;
}

describe("a backup that is listed minutes after it was asked for", () => {
  it("is waited for, taken by its label, and told of", async () => {
    const world = await withDatabase();
    ask(world);
    await world.advance(minutes(1));
    expect(stateOf(world, kind, name)).toBe("Creating");
    expect(messageOf(world, kind, name)).toMatch(
      /^The create request was accepted\. The operator searches for the new/,
    );
    await world.advance(minutes(3));
    expect(world.cluster.get(kind, name)).toBeReady();
    expect(idsIn(world)).toEqual([idOf(world, kind, name)]);
    expect(asked(world)).toBe(1);
    const told = world.cluster.events().filter((event) => event.kind === kind);
    expect(told.map(({ reason }) => reason)).toEqual(["Created"]);
    expect(world.logged()).toEqual([]);
  });

  it("is taken soon after it is listed", async () => {
    const world = await withDatabase();
    world.cloud.settings.backupMs = 20_000;
    ask(world);
    await world.advance(25_000);
    expect(world.cluster.get(kind, name)).toBeReady();
  });

  it("is taken at once where it is listed at once", async () => {
    const world = await withDatabase();
    world.cloud.settings.backupMs = 0;
    const writes = world.cluster.writes().length;
    ask(world);
    await world.advance(1_000);
    expect(world.cluster.get(kind, name)).toBeReady();
    expect(world.cluster.writes().length - writes).toBe(2);
  });

  it("is not asked for again however long it takes, and is taken when it appears", async () => {
    const world = await withDatabase();
    world.cloud.settings.backupMs = minutes(40);
    ask(world);
    await world.advance(minutes(30));
    expect(stateOf(world, kind, name)).toBe("CreateUncertain");
    expect(messageOf(world, kind, name)).toContain("was accepted, and no matching database backup exists in the cloud");
    await world.advance(minutes(16));
    expect(world.cluster.get(kind, name)).toBeReady();
    expect(asked(world)).toBe(1);
  });

  it("is waited for as long as the database says that it is backed up", async () => {
    const world = await withDatabase();
    world.cloud.settings.backupMs = minutes(40);
    ask(world);
    await world.advance(1_000);
    world.cloud.change(databases, idOf(world, "ManagedMySQL", "shop"), { status: "backing_up" });
    await world.advance(minutes(30));
    expect(stateOf(world, kind, name)).toBe("WaitingForReference");
    expect(messageOf(world, kind, name)).toContain("ManagedMySQL shop is backing up");
    await world.advance(minutes(16));
    expect(world.cluster.get(kind, name)).toBeReady();
    expect(asked(world)).toBe(1);
  });

  it("is asked for again by leave of people, and what appears of both attempts is told of", async () => {
    const world = await withDatabase();
    world.cloud.settings.backupMs = minutes(20);
    ask(world);
    await world.advance(minutes(13));
    expect(stateOf(world, kind, name)).toBe("CreateUncertain");
    follow(world, kind, name, "retry-create");
    await world.advance(minutes(40));
    expect(asked(world)).toBe(2);
    expect(world.cluster.get(kind, name)).toBeReady();
    const [first, second] = idsIn(world);
    expect(idOf(world, kind, name)).toBe(first);
    expect(conditionOf(world.cluster.get(kind, name), "Duplicate")?.message).toContain(
      `Database backup ${second}: equal to an unanswered create request`,
    );
  });
});

describe("a backup of a database that is not active", () => {
  it("is not asked for until it is", async () => {
    const world = await begin();
    world.cluster.create("ManagedMySQL", "shop", shop);
    ask(world);
    await world.advance(minutes(5));
    expect(stateOf(world, kind, name)).toBe("WaitingForReference");
    expect(messageOf(world, kind, name)).toContain("ManagedMySQL shop is provisioning");
    expect(changes(world)).toEqual([`POST ${databases}`]);
    await world.advance(minutes(30));
    expect(world.cluster.get(kind, name)).toBeReady();
  });
});

describe("a backup whose request is lost", () => {
  it.each<FaultKind>(["lostAfter", "lateApply", "html502After"])("is made once: %s", async (how) => {
    const world = await withDatabase();
    world.cloud.fault({ kind: how, method: "POST", ms: 6_000 });
    ask(world);
    await world.advance(minutes(20));
    expect(world.cluster.get(kind, name)).toBeReady();
    expect(asked(world)).toBe(1);
  });

  // What a gateway makes up looks like the response of the cloud: only that nothing appears tells.
  it.each<FaultKind>(["lostBefore", "empty"])("is not asked for again on a guess: %s", async (how) => {
    const world = await withDatabase();
    world.cloud.fault({ kind: how, method: "POST" });
    ask(world);
    await world.advance(minutes(20));
    expect(stateOf(world, kind, name)).toBe("CreateUncertain");
    expect(asked(world)).toBe(1);
    follow(world, kind, name, "retry-create");
    await world.advance(minutes(5));
    expect(world.cluster.get(kind, name)).toBeReady();
    expect(made(world, pathOf(world))).toBe(1);
  });

  // Each test has a share of the steps at which the process goes.
  it.each([0, 1, 2, 3])("is one backup wherever the process goes: from step %i", async (first) => {
    const scene = async () => {
      const world = await withDatabase(calm);
      ask(world);
      return world;
    };
    const isRight = async (world: World) => {
      const state = stateOf(world, kind, name);
      const count = made(world, pathOf(world));
      // Between a journal entry and the end of its POST nothing tells whether that left.
      if (count === 0 && state === "CreateUncertain") return asked(world) === 0;
      return state === "Ready" && count === 1 && asked(world) === 1 && goes(world);
    };
    expect(await crashedAnywhere(scene, isRight, 4, first)).toEqual([]);
  });
});

async function goes(world: World): Promise<boolean> {
  world.cluster.delete(kind, name);
  await world.advance(minutes(12));
  return world.cluster.get(kind, name) === undefined && world.cloud.rows(pathOf(world)).length === 0;
}

describe("a backup that is deleted while it is made", () => {
  it("is deleted once it is listed", async () => {
    const world = await withDatabase();
    ask(world);
    await world.advance(5_000);
    expect(await goes(world)).toBe(true);
    expect(asked(world)).toBe(1);
    expect(applied(world, "DELETE")).toHaveLength(1);
  });

  it("goes with its database by one request", async () => {
    const world = await withDatabase();
    ask(world);
    await world.advance(5_000);
    world.cluster.delete(kind, name);
    world.cluster.delete("ManagedMySQL", "shop");
    await world.advance(minutes(15));
    expect(world.cluster.list("ManagedMySQL")).toEqual([]);
    expect(world.cluster.get(kind, name)).toBeUndefined();
    expect(applied(world, "DELETE")).toHaveLength(1);
    expect(left(world)).toEqual([]);
  });
});

describe("backups of one label", () => {
  it("that is there before is a conflict, and nothing is asked for", async () => {
    const world = await withDatabase();
    world.cloud.add(pathOf(world), { label: name, type: "auto" });
    ask(world);
    await world.advance(minutes(2));
    expect(stateOf(world, kind, name)).toBe("Conflict");
    expect(asked(world)).toBe(0);
  });

  it("are told apart where the cloud makes one by itself meanwhile", async () => {
    const world = await withDatabase();
    ask(world);
    await world.advance(1_000);
    const automatic = world.cloud.add(pathOf(world), { label: name, type: "auto" });
    await world.advance(minutes(6));
    expect(world.cluster.get(kind, name)).toBeReady();
    expect(idOf(world, kind, name)).not.toBe(automatic.id);
  });

  it("that two objects want is made for one of them", async () => {
    const world = await withDatabase();
    world.cluster.create(kind, "one", { databaseRef: { name: "shop" }, label: "same" });
    world.cluster.create(kind, "two", { databaseRef: { name: "shop" }, label: "same" });
    await world.advance(minutes(6));
    expect(new Set(["one", "two"].map((one) => stateOf(world, kind, one)))).toEqual(new Set(["Conflict", "Ready"]));
    expect(asked(world)).toBe(1);
  });
});

it("a backup that is missing is reported, and not replaced by a later one", async () => {
  const world = await withDatabase();
  ask(world);
  await world.advance(minutes(4));
  world.cloud.remove(pathOf(world), idOf(world, kind, name));
  await world.advance(minutes(20));
  expect(stateOf(world, kind, name)).toBe("Missing");
  expect(asked(world)).toBe(1);
});

it("a restored object finds its backup again", async () => {
  const world = await withDatabase();
  ask(world);
  await world.advance(minutes(4));
  const id = idOf(world, kind, name);
  restore(world, kind, name);
  await world.advance(minutes(15));
  expect(world.cluster.get(kind, name)).toBeReady();
  expect(idOf(world, kind, name)).toBe(id);
  expect(asked(world)).toBe(1);
});

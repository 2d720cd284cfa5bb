/** Ways out of an uncertain creation or operation: what the message says leads to Ready, or to the end of the object. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, idsIn, manage, messageOf, obey, paths, specs, stateOf } from "../support.ts";

const windowMs = 700_000;
const path = paths.ComputeInstance;
const row = { label: "web", status: "running", ...specs.ComputeInstance };
const entry = "cloudplatform.dev/journal";

type Situation = (world: World) => Promise<void>;

const noneFound: Situation = async (world) => {
  world.cloud.fault({ kind: "lostBefore", method: "POST", path: /instances$/ });
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(windowMs);
};

const severalFound: Situation = async (world) => {
  world.cloud.fault({ kind: "lostAfter", method: "POST", path: /instances$/ });
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.settle();
  world.cloud.add(path, { ...row, tags: ["cpo-test"] });
  await world.advance(windowMs);
};

/** Somebody took the journal entry off an object that has no id yet. */
const entryRemoved: Situation = async (world) => {
  await world.settle();
  world.cloud.fault({ kind: "lostBefore", method: "POST", path: /instances$/ });
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.settle();
  world.crash();
  world.cluster.annotate("ComputeInstance", "web", { [entry]: null });
  world.restart();
  await world.advance(windowMs);
};

/** …or wrote one that this installation never signed. */
const entryForged: Situation = async (world) => {
  await noneFound(world);
  world.crash();
  const { annotations = {} } = world.cluster.get("ComputeInstance", "web")!.metadata;
  const forged = annotations[entry]!.replace(/"known":\[\]/, '"known":["7"]');
  world.cluster.annotate("ComputeInstance", "web", { [entry]: forged });
  world.restart();
  await world.advance(windowMs);
};

const situations: [string, Situation][] = [
  ["no object matches", noneFound],
  ["the entry was removed", entryRemoved],
  ["the entry is not signed", entryForged],
];

async function stuckIn(situation: Situation): Promise<World> {
  const world = createWorld();
  await situation(world);
  expect(stateOf(world, "ComputeInstance", "web")).toBe("CreateUncertain");
  return world;
}

describe.each(situations)("a creation is uncertain, for %s", (_, situation) => {
  it("the annotation that the message names allows one more, and only one", async () => {
    const world = await stuckIn(situation);
    obey(world, "ComputeInstance", "web");
    await world.advance(windowMs);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(world.cloud.rows(path)).toHaveLength(1);
  });

  it("adopt.id takes what was made by hand", async () => {
    const world = await stuckIn(situation);
    const { id } = world.cloud.add(path, { ...row, label: "by-hand", created: "2026-01-01T00:00:01" });
    manage(world, "ComputeInstance", "web", { adopt: { id } });
    await world.advance(120_000);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(idOf(world, "ComputeInstance", "web")).toBe(id);
    expect(world.cloud.rows(path)).toHaveLength(1);
  });

  it("a deletion waits for the command that its message names", async () => {
    const world = await stuckIn(situation);
    world.cluster.delete("ComputeInstance", "web");
    await world.advance(120_000);
    expect(stateOf(world, "ComputeInstance", "web")).toBe("CreateUncertain");
    obey(world, "ComputeInstance", "web");
    await world.advance(10_000);
    expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
  });
});

describe("a creation is uncertain, for several objects match", () => {
  it.each([0, 1])("adopt.id takes the one that is meant (%i), and leaves the other one", async (which) => {
    const world = await stuckIn(severalFound);
    const ids = idsIn(world, "ComputeInstance");
    manage(world, "ComputeInstance", "web", { adopt: { id: ids[which] } });
    const since = world.cloud.ledger().length;
    await world.advance(120_000);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(idOf(world, "ComputeInstance", "web")).toBe(ids[which]);
    expect(changes(world, since)).toEqual([]);
  });

  it("it resolves itself when but one is left", async () => {
    const world = await stuckIn(severalFound);
    const [, stranger = ""] = idsIn(world, "ComputeInstance");
    world.cloud.remove(path, stranger);
    await world.advance(200_000);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  });

  it("a deletion with adopt.id deletes that one", async () => {
    const world = await stuckIn(severalFound);
    world.cluster.delete("ComputeInstance", "web");
    await world.advance(10_000);
    const [first, second] = idsIn(world, "ComputeInstance");
    manage(world, "ComputeInstance", "web", { adopt: { id: first } });
    await world.advance(120_000);
    expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
    expect(world.cloud.rows(path)).toMatchObject([{ id: Number(second) }]);
  });

  it("a deletion with orphan leaves both", async () => {
    const world = await stuckIn(severalFound);
    world.cluster.delete("ComputeInstance", "web");
    await world.advance(10_000);
    obey(world, "ComputeInstance", "web");
    await world.advance(10_000);
    expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
    expect(world.cloud.rows(path)).toHaveLength(2);
  });
});

it("while a lost creation is searched for, adopt.id settles it at once", async () => {
  const world = createWorld();
  world.cloud.fault({ kind: "lostAfter", method: "POST", path: /instances$/ });
  world.cloud.settings.listLagMs = 300_000;
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(60_000);
  expect(stateOf(world, "ComputeInstance", "web")).toBe("Creating");
  const [made] = idsIn(world, "ComputeInstance");
  manage(world, "ComputeInstance", "web", { adopt: { id: made } });
  await world.advance(30_000);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
});

it("what shows up late resolves an uncertain creation by itself", async () => {
  const world = createWorld();
  world.cloud.fault({ kind: "lateApply", ms: 900_000, method: "POST", path: /instances$/ });
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(windowMs);
  expect(stateOf(world, "ComputeInstance", "web")).toBe("CreateUncertain");
  await world.advance(500_000);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  expect(world.cloud.rows(path)).toHaveLength(1);
});

it("an attempt that was allowed and is lost again needs leave of its own", async () => {
  const world = await stuckIn(noneFound);
  world.cloud.fault({ kind: "lostBefore", method: "POST", path: /instances$/ });
  obey(world, "ComputeInstance", "web");
  await world.advance(windowMs);
  expect(stateOf(world, "ComputeInstance", "web")).toBe("CreateUncertain");
  obey(world, "ComputeInstance", "web");
  await world.advance(windowMs);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  expect(world.cloud.rows(path)).toHaveLength(1);
});

describe("an operation is uncertain", () => {
  async function resizeLost(): Promise<World> {
    const world = createWorld();
    const spec = { ...specs.ComputeInstance, allowDisruption: ["Resize"] };
    world.cluster.create("ComputeInstance", "web", spec);
    await world.advance(120_000);
    world.cloud.fault({ kind: "lostBefore", path: /resize$/ });
    world.cluster.patch("ComputeInstance", "web", { spec: { type: "g6-standard-2" } });
    await world.advance(windowMs);
    expect(stateOf(world, "ComputeInstance", "web")).toBe("OperationUncertain");
    return world;
  }

  it("the annotation that the message names sends it once more", async () => {
    const world = await resizeLost();
    const since = world.cloud.ledger().length;
    obey(world, "ComputeInstance", "web");
    await world.advance(windowMs);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(world.cloud.rows(path)).toMatchObject([{ type: "g6-standard-2" }]);
    expect(changes(world, since)).toHaveLength(1);
  });

  it("the annotation that the message names works after a restart, too", async () => {
    const world = await resizeLost();
    world.crash();
    obey(world, "ComputeInstance", "web");
    world.restart();
    await world.advance(windowMs);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(world.cloud.rows(path)).toMatchObject([{ type: "g6-standard-2" }]);
  });

  it("a spec that is changed back is as the cloud shows", async () => {
    const world = await resizeLost();
    const since = world.cloud.ledger().length;
    world.cluster.patch("ComputeInstance", "web", { spec: { type: specs.ComputeInstance.type } });
    await world.advance(120_000);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(changes(world, since)).toEqual([]);
  });

  it("what somebody did by hand resolves it", async () => {
    const world = await resizeLost();
    const since = world.cloud.ledger().length;
    world.cloud.change(path, idOf(world, "ComputeInstance", "web"), { type: "g6-standard-2" });
    await world.advance(200_000);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(changes(world, since)).toEqual([]);
  });

  it("another wish is carried out", async () => {
    const world = await resizeLost();
    world.cluster.patch("ComputeInstance", "web", { spec: { type: "g6-standard-4" } });
    await world.advance(windowMs);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(world.cloud.rows(path)).toMatchObject([{ type: "g6-standard-4" }]);
  });

  it("a deletion goes through", async () => {
    const world = await resizeLost();
    world.cluster.delete("ComputeInstance", "web");
    await world.advance(60_000);
    expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
    expect(world.cloud.rows(path)).toEqual([]);
  });
});

describe("a disruption that is not allowed", () => {
  async function refused(): Promise<World> {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    await world.advance(120_000);
    world.cluster.patch("ComputeInstance", "web", { spec: { type: "g6-standard-2" } });
    await world.advance(10_000);
    expect(messageOf(world, "ComputeInstance", "web")).toContain("Resize in spec.allowDisruption");
    return world;
  }

  it.each([
    ["allowing it carries it out", { allowDisruption: ["Resize"] }, "g6-standard-2"],
    ["changing the field back ends it", { type: specs.ComputeInstance.type }, specs.ComputeInstance.type],
  ])("%s", async (_, spec, type) => {
    const world = await refused();
    world.cluster.patch("ComputeInstance", "web", { spec });
    await world.advance(200_000);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(world.cloud.rows(path)).toMatchObject([{ type }]);
  });
});

/** One owner for one cloud object, across names, kinds and all CloudAccounts of one real account. */
import { describe, expect, it } from "vitest";
import type { World } from "../../world/world.ts";
import {
  applied,
  begin,
  changes,
  create,
  idOf,
  left,
  made,
  minutes,
  restore,
  shapeNames,
  shapes,
  stateOf,
} from "../support.ts";
import type { Shape } from "../support.ts";

const rules = { inbound_policy: "DROP", outbound_policy: "ACCEPT", inbound: [], outbound: [] };
const second = { accountRef: { name: "second" } };

/** Another CloudAccount for the real account of the first, by its token or by one of another user. */
async function twice(user: "same" | "another" | "restricted" = "same"): Promise<World> {
  const world = await begin();
  if (user !== "same") {
    const { account } = world.cloud.user("ada");
    const restricted = user === "restricted";
    world.cloud.addUser({ token: "token-of-bob", username: "bob", account, restricted });
    world.cluster.secret("bob-token", { token: "token-of-bob" });
  }
  const tokenSecretRef = { name: user === "same" ? "cloud-token" : "bob-token" };
  world.cluster.create("CloudAccount", "second", { tokenSecretRef });
  await world.settle();
  return world;
}

/** What exists in the cloud that nobody manages. */
function found(world: World, kind: Shape): string {
  const { label, path, ...fields } = {
    SSHKey: { label: "there", path: shapes.SSHKey.path, ssh_key: shapes.SSHKey.spec.sshKey },
    Firewall: { label: "there", path: shapes.Firewall.path, rules },
    Bucket: { label: "there", path: shapes.Bucket.path, cluster: "us-east-1" },
    ComputeInstance: {
      label: "there",
      path: shapes.ComputeInstance.path,
      ...shapes.ComputeInstance.spec,
      status: "running",
    },
  }[kind];
  return world.cloud.add(path, { label, ...fields }).id;
}

const byBoth = [
  { user: "same", because: "with one token" },
  { user: "another", because: "with tokens of two users" },
] as const;

/** A user's SSH keys are no other user's. */
const shared = (user: string): Shape[] => shapeNames.filter((kind) => user === "same" || kind !== "SSHKey");

/** Two objects of two CloudAccounts, the second a little later, adopt what is there. */
async function bothAdopt(world: World, kind: Shape): Promise<void> {
  const management = { adopt: { id: found(world, kind) } };
  const label = (name: string) => (kind === "Bucket" ? "there" : name);
  create(world, kind, "one", { label: label("one"), management });
  await world.advance(2_000);
  create(world, kind, "two", { label: label("two"), management, ...second });
}

/** Whose claim came second goes, and nothing in the cloud goes with it. */
async function expectTwoGone(world: World, kind: Shape): Promise<void> {
  world.cluster.delete(kind, "two");
  await world.advance(minutes(5));
  expect(world.cluster.get(kind, "two")).toBeUndefined();
  expect(applied(world, "DELETE")).toEqual([]);
}

function verdicts(world: World, kind: Shape): string[] {
  return ["one", "two"].map((name) => stateOf(world, kind, name) ?? "none").toSorted();
}

describe.each(byBoth)("two CloudAccounts for one real account, $because", ({ user }) => {
  it.each(shared(user))("adopting one %s have one owner, and nobody writes in turns", async (kind) => {
    for (const restart of [false, true]) {
      const world = await twice(user);
      await bothAdopt(world, kind);
      await world.advance(minutes(5));
      const before = world.cloud.ledger().length;
      if (restart) world.restart();
      await world.advance(minutes(30));
      expect([stateOf(world, kind, "one"), stateOf(world, kind, "two")]).toEqual(["Ready", "Conflict"]);
      expect(changes(world, before)).toEqual([]);
      await expectTwoGone(world, kind);
      expect(world.cloud.rows(shapes[kind].path)).toHaveLength(1);
      expect(world.cluster.get(kind, "one")).toBeReady();
    }
  });

  it.each(shared(user))("making one %s each under one label in one apply make one", async (kind) => {
    const world = await twice(user);
    const label = "same-label";
    create(world, kind, "one", { label });
    create(world, kind, "two", { label, ...second });
    await world.advance(minutes(5));
    expect(verdicts(world, kind)).toEqual(["Conflict", "Ready"]);
    expect(made(world, shapes[kind].path)).toBe(1);
    const [loser, winner] = stateOf(world, kind, "one") === "Conflict" ? ["one", "two"] : ["two", "one"];
    world.cluster.delete(kind, loser);
    await world.advance(minutes(5));
    expect(world.cluster.get(kind, loser)).toBeUndefined();
    expect(left(world)).toMatchObject([{ id: idOf(world, kind, winner) }]);
  });

  it.each(shared(user))("making one %s each, with the answer lost, own one", async (kind) => {
    for (const how of ["lostAfter", "lateApply"] as const) {
      const world = await twice(user);
      world.cloud.fault({ kind: how, method: "POST", ms: 6_000, times: 2 });
      create(world, kind, "one", { label: "same-label" });
      create(world, kind, "two", { label: "same-label", ...second });
      await world.advance(minutes(15));
      expect(verdicts(world, kind)).toEqual(["Conflict", "Ready"]);
      expect(made(world, shapes[kind].path)).toBe(1);
    }
  });
});

describe("two CloudAccounts for one real account, of which one may not read whose it is,", () => {
  it.each(shared("restricted"))("have one owner of a %s that both adopt, also after a restart", async (kind) => {
    const world = await twice("restricted");
    await bothAdopt(world, kind);
    await world.advance(2_000);
    for (const restart of [false, true]) {
      if (restart) world.restart();
      const before = world.cloud.ledger().length;
      await world.advance(minutes(30));
      expect([stateOf(world, kind, "one"), stateOf(world, kind, "two")]).toEqual(["Ready", "Conflict"]);
      expect(changes(world, before)).toEqual([]);
    }
    await expectTwoGone(world, kind);
  });
});

describe("after a restore without status, while the CloudAccount of its object", () => {
  it.each([
    { is: "is not connected yet", restored: true },
    { is: "is not there yet", restored: false },
  ])("$is, what it manages is adopted by no other account's object", async ({ restored }) => {
    const world = await twice("another");
    create(world, "Firewall", "one");
    await world.advance(minutes(1));
    const adopt = { id: idOf(world, "Firewall", "one") };
    create(world, "Firewall", "two", { label: "two", management: { adopt }, ...second });
    await world.advance(minutes(1));
    const before = world.cloud.ledger().length;
    world.crash();
    for (const name of ["one", "two"]) restore(world, "Firewall", name);
    for (const name of ["default", "second"]) restore(world, "CloudAccount", name);
    const { spec } = world.cluster.get("CloudAccount", "default")!;
    if (!restored) world.cluster.delete("CloudAccount", "default");
    world.cloud.fault({ kind: "maintenance", path: /profile/, token: "token-of-default", times: 20 });
    world.restart();
    await world.advance(minutes(30));
    expect(stateOf(world, "Firewall", "two")).toBe("Conflict");
    if (!restored) world.cluster.create("CloudAccount", "default", spec);
    await world.advance(minutes(30));
    expect([stateOf(world, "Firewall", "one"), stateOf(world, "Firewall", "two")]).toEqual(["Ready", "Conflict"]);
    expect(changes(world, before)).toEqual([]);
  });
});

describe.each(shapeNames)("of two objects of %s with one label in one apply", (kind) => {
  const label = "same-label";
  const pair = async (): Promise<World> => {
    const world = await begin();
    world.cluster.latency.ms = 5;
    world.cloud.settings.latencyMs = 20;
    create(world, kind, "one", { label });
    create(world, kind, "two", { label });
    return world;
  };

  it("one is made, and the other gets its turn when the first is gone", async () => {
    const world = await pair();
    await world.advance(minutes(5));
    expect(verdicts(world, kind)).toEqual(["Conflict", "Ready"]);
    expect(made(world, shapes[kind].path)).toBe(1);
    const [loser, winner] = stateOf(world, kind, "one") === "Conflict" ? ["one", "two"] : ["two", "one"];
    world.cluster.delete(kind, winner);
    await world.advance(minutes(15));
    expect(world.cluster.get(kind, loser)).toBeReady();
    expect(left(world)).toMatchObject([{ id: idOf(world, kind, loser) }]);
  });

  it("the other gets its turn when the first is refused", async () => {
    const world = await twice("another");
    const { path } = shapes[kind];
    world.cloud.fault({ kind: "notFound", method: "POST", token: "token-of-bob", times: 1_000_000 });
    create(world, kind, "one", { label, ...second });
    create(world, kind, "two", { label });
    await world.advance(minutes(15));
    expect(stateOf(world, kind, "one")).not.toBe("Ready");
    expect(world.cluster.get(kind, "two")).toBeReady();
    expect(made(world, path)).toBe(1);
  });

  it("one is made also across a restart at any moment", async () => {
    for (const afterMs of [10, 30, 50, 70, 90, 110, 150]) {
      const world = await pair();
      await world.advance(afterMs);
      world.restart();
      await world.advance(minutes(15));
      expect(made(world, shapes[kind].path)).toBeLessThanOrEqual(1);
      expect(verdicts(world, kind)[0]).toMatch(/Conflict/);
    }
  });
});

describe("whoever waits for another object to release", () => {
  it.each(shapeNames)("the name of a %s gets it as soon as that object is gone", async (kind) => {
    const world = await begin();
    create(world, kind, "one", { label: "same-label" });
    await world.advance(minutes(3));
    create(world, kind, "two", { label: "same-label" });
    await world.advance(minutes(20));
    expect(stateOf(world, kind, "two")).toBe("Conflict");
    world.cluster.delete(kind, "one");
    await world.advance(minutes(1));
    expect(world.cluster.get(kind, "one")).toBeUndefined();
    expect(world.cluster.get(kind, "two")).toBeReady();
    expect(left(world)).toMatchObject([{ id: idOf(world, kind, "two") }]);
  });

  it.each(shapeNames)("a %s that it adopts gets it as soon as that object has let it go", async (kind) => {
    const world = await begin();
    const adopting = { label: "there", management: { adopt: { id: found(world, kind) }, deletionPolicy: "Orphan" } };
    create(world, kind, "one", adopting);
    await world.advance(2_000);
    create(world, kind, "two", adopting);
    await world.advance(minutes(20));
    expect([stateOf(world, kind, "one"), stateOf(world, kind, "two")]).toEqual(["Ready", "Conflict"]);
    world.cluster.delete(kind, "one");
    await world.advance(5_000);
    expect(world.cluster.get(kind, "two")).toBeReady();
    expect(applied(world, "DELETE")).toEqual([]);
  });
});

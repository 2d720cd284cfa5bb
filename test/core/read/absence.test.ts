/** What answers 404 is gone only where that can be told: the finalizer waits, and goes in the end. */
import { describe, expect, it } from "vitest";
import type { Fault } from "../../world/faults.ts";
import { token } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import {
  applied,
  begin,
  crashedAnywhere,
  create,
  follow,
  forgeRecord,
  idOf,
  left,
  minutes,
  shapeNames,
  shapes,
  stateOf,
  untilSent,
} from "../support.ts";
import type { Shape } from "../support.ts";

const always = 1_000_000;

async function made(kind: Shape): Promise<World> {
  const world = await begin();
  create(world, kind, "web");
  await world.advance(minutes(3));
  expect(world.cluster.get(kind, "web")).toBeReady();
  return world;
}

const broken: { because: string; faults: Omit<Fault, "times">[] }[] = [
  { because: "404 to everything", faults: [{ kind: "notFound" }] },
  { because: "404 to all but the profile", faults: [{ kind: "notFound", path: /^\/(?!profile$)/ }] },
  { because: "404 to deletions alone", faults: [{ kind: "notFound", method: "DELETE" }] },
  {
    because: "404 to items, and nothing to the lists",
    faults: [
      { kind: "notFound", path: /\/(\d+|us-east-1\/web)$/ },
      { kind: "empty", method: "GET" },
    ],
  },
  {
    because: "404 to items, and HTML to the lists",
    faults: [
      { kind: "notFound", path: /\/(\d+|us-east-1\/web)$/ },
      { kind: "html502", method: "GET" },
    ],
  },
];

/** While faults last it stays, with its cloud object; then both go. */
async function goesOnceMended(world: World, kind: Shape): Promise<void> {
  expect(left(world)).toHaveLength(1);
  expect(world.cluster.get(kind, "web")).toBeDefined();
  world.cloud.clearFaults();
  await world.advance(minutes(30));
  expect(world.cluster.get(kind, "web")).toBeUndefined();
  expect(left(world)).toEqual([]);
}

describe.each(shapeNames)("a %s that is deleted while a broken gateway answers", (kind) => {
  it.each(broken)("$because stays, and goes when the gateway is mended", async ({ faults }) => {
    for (const restart of [false, true]) {
      const world = await made(kind);
      for (const fault of faults) world.cloud.fault({ ...fault, times: always });
      world.cluster.delete(kind, "web");
      await world.advance(minutes(5));
      if (restart) world.restart();
      await world.advance(minutes(20));
      await goesOnceMended(world, kind);
    }
  });
});

describe.each(shapeNames)("a %s of which another account answers for a while", (kind) => {
  async function misled(forMs: number, then: (world: World) => void): Promise<World> {
    const world = await made(kind);
    const eve = world.cloud.addUser({ token: "token-of-eve", username: "eve" });
    world.cloud.addToken("another-of-ada", "ada");
    world.cloud.addToken(token, "eve");
    then(world);
    await world.advance(forMs);
    expect(world.cloud.history().filter(({ holder, madeBy }) => holder.startsWith(eve.account) && madeBy)).toEqual([]);
    world.cloud.addToken(token, "ada");
    return world;
  }

  it.each([6_000, minutes(20)])("is not taken to be deleted: %s ms", async (forMs) => {
    const world = await misled(forMs, ({ cluster }) => cluster.delete(kind, "web"));
    await world.advance(minutes(5));
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(left(world)).toEqual([]);
  });

  it("is not taken to be deleted by a restricted user whose DELETE got no clear response before", async () => {
    const world = await begin({ start: false });
    world.cloud.user("ada").restricted = true;
    world.cloud.addUser({ token: "token-of-eve", username: "eve" });
    world.cloud.addToken("another-of-ada", "ada");
    world.restart();
    await world.settle();
    create(world, kind, "web");
    await world.advance(minutes(2));
    world.cloud.fault({ kind: "html502", method: "DELETE" });
    world.cluster.delete(kind, "web");
    await untilSent(world, "DELETE");
    world.cloud.addToken(token, "eve");
    await world.advance(10_000);
    expect(world.cluster.get(kind, "web")).toBeDefined();
    world.cloud.addToken(token, "ada");
    await world.advance(minutes(5));
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(left(world)).toEqual([]);
  });

  it("is not made again there", async () => {
    const world = await misled(minutes(20), ({ cluster }) =>
      cluster.patch(kind, "web", { spec: { management: { missingPolicy: "Recreate" } } }),
    );
    await world.advance(minutes(5));
    expect(world.cluster.get(kind, "web")).toBeReady();
    expect(left(world)).toHaveLength(1);
  });
});

describe.each(shapeNames)("a %s whose grant is withdrawn", (kind) => {
  async function withdrawn(): Promise<World> {
    const world = await made(kind);
    world.cloud.withdraw("ada", [left(world)[0]?.serial ?? 0]);
    return world;
  }

  it("within one poll of its deletion stays, says so, and goes when the grant is back", async () => {
    const world = await withdrawn();
    world.cluster.delete(kind, "web");
    await world.advance(minutes(20));
    expect(stateOf(world, kind, "web")).toBe("NotVisible");
    expect(left(world)).toHaveLength(1);
    world.cloud.user("ada").hidden.clear();
    await world.advance(minutes(6));
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(left(world)).toEqual([]);
  });

  it("is not made again", async () => {
    const world = await withdrawn();
    await world.advance(minutes(20));
    expect(stateOf(world, kind, "web")).toBe("NotVisible");
    expect(applied(world, "POST")).toEqual([shapes[kind].path]);
  });

  it.each([false, true])("stays where somebody writes that it was deleted by us; deleting: %s", async (deleting) => {
    const world = await withdrawn();
    forgeRecord(world, kind, "web", { deletedID: idOf(world, kind, "web") });
    if (deleting) world.cluster.delete(kind, "web");
    await world.advance(minutes(20));
    expect(stateOf(world, kind, "web")).toBe("NotVisible");
    expect(applied(world, "POST")).toEqual([shapes[kind].path]);
    expect(left(world)).toHaveLength(1);
  });

  it("goes when its message's orphan is followed, and leaves the cloud as it is", async () => {
    const world = await withdrawn();
    world.cluster.delete(kind, "web");
    await world.advance(minutes(5));
    follow(world, kind, "web", "orphan");
    await world.advance(minutes(1));
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(left(world)).toHaveLength(1);
  });
});

describe.each(shapeNames)("a %s of a restricted user", (kind) => {
  async function scene(before: (world: World) => void = () => undefined): Promise<World> {
    const world = await begin({ start: false });
    world.cloud.user("ada").restricted = true;
    world.restart();
    await world.settle();
    create(world, kind, "web");
    await world.advance(minutes(2));
    expect(world.cluster.get(kind, "web")).toBeReady();
    before(world);
    world.cluster.delete(kind, "web");
    return world;
  }

  it("goes when it is deleted, wherever the process goes", async () => {
    const isRight = (world: World) =>
      Promise.resolve(world.cluster.get(kind, "web") === undefined && left(world).length === 0);
    expect(await crashedAnywhere(() => scene(), isRight)).toEqual([]);
  });

  it.each(["lostAfter", "html502After"] as const)("goes when the answer to its deletion is lost: %s", async (how) => {
    const world = await scene();
    world.cloud.fault({ kind: how, method: "DELETE" });
    await world.advance(minutes(5));
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(left(world)).toEqual([]);
  });

  it.each([false, true])("stays where its grant goes between read and deletion; restart: %s", async (restart) => {
    const world = await scene((begun) => (begun.cloud.settings.latencyMs = 1_000));
    await untilSent(world, "DELETE");
    world.cloud.withdraw("ada", [left(world)[0]?.serial ?? 0]);
    await world.advance(minutes(2));
    if (restart) world.restart();
    await world.advance(minutes(20));
    expect(stateOf(world, kind, "web")).toBe("NotVisible");
    expect(left(world)).toHaveLength(1);
    world.cloud.user("ada").hidden.clear();
    await world.advance(minutes(30));
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(left(world)).toEqual([]);
  });

  it.each(["refused", "lostAfter"] as const)("…also where the write that says so fails: %s", async (how) => {
    const world = await scene((begun) => (begun.cloud.settings.latencyMs = 1_000));
    await untilSent(world, "DELETE");
    world.cloud.withdraw("ada", [left(world)[0]?.serial ?? 0]);
    world.cluster.writeFaults.push({ verb: "patch-status", how, times: 1 });
    await world.advance(minutes(20));
    expect(world.cluster.writeFaults[0]?.times).toBe(0);
    expect(stateOf(world, kind, "web")).toBe("NotVisible");
    expect(left(world)).toHaveLength(1);
  });

  it("stays where its deletion was refused, the write that says so fails, and its grant goes", async () => {
    const world = await scene((begun) => {
      begun.cloud.settings.latencyMs = 1_000;
      begun.cloud.fault({ kind: "refused", method: "DELETE" });
    });
    await untilSent(world, "DELETE");
    world.cluster.writeFaults.push({ verb: "patch-status", how: "refused", times: 2 });
    world.cloud.withdraw("ada", [left(world)[0]?.serial ?? 0]);
    await world.advance(minutes(20));
    expect(stateOf(world, kind, "web")).toBe("NotVisible");
    expect(left(world)).toHaveLength(1);
  });

  it.each([
    { how: "refused", restart: false },
    { how: "refused", restart: true },
    { how: "tooMany", restart: false },
    { how: "tooMany", restart: true },
  ] as const)(
    "stays where its grant goes after its deletion was refused: $how; restart: $restart",
    async ({ how, restart }) => {
      const world = await scene((begun) =>
        begun.cloud.fault({ kind: how, method: "DELETE", ms: 90_000, times: always }),
      );
      await world.advance(minutes(1));
      world.cloud.withdraw("ada", [left(world)[0]?.serial ?? 0]);
      if (restart) world.restart();
      await world.advance(minutes(30));
      expect(stateOf(world, kind, "web")).toBe("NotVisible");
      expect(left(world)).toHaveLength(1);
      world.cloud.clearFaults();
      world.cloud.user("ada").hidden.clear();
      await world.advance(minutes(30));
      expect(world.cluster.get(kind, "web")).toBeUndefined();
      expect(left(world)).toEqual([]);
    },
  );

  it.each(broken)("stays while a broken gateway answers $because", async ({ faults }) => {
    const world = await scene((begun) => faults.forEach((fault) => begun.cloud.fault({ ...fault, times: always })));
    await world.advance(minutes(5));
    world.restart();
    await world.advance(minutes(5));
    await goesOnceMended(world, kind);
  });
});

it("an object is kept where items answer 404 while lists go on showing it", async () => {
  for (const kind of shapeNames) {
    const world = await made(kind);
    world.cloud.settings.latencyMs = 100;
    world.cloud.fault({ kind: "notFound", path: /\/(\d+|us-east-1\/web)$/, times: always });
    world.cluster.delete(kind, "web");
    await world.advance(minutes(1));
    expect(left(world)).toHaveLength(1);
    expect(world.cluster.get(kind, "web")).toBeDefined();
  }
});

it.each(["lostBefore", "lostAfter", "lateApply"] as const)(
  "a record whose creation is uncertain goes when its domain is gone: %s",
  async (kind) => {
    const world = await begin();
    world.cluster.create("Domain", "zone", { domain: "zone.test", type: "master", soaEmail: "ada@zone.test" });
    await world.advance(minutes(1));
    world.cloud.fault({ kind, method: "POST", path: /\/records$/, ms: 6_000 });
    const record = { domainRef: { name: "zone" }, type: "A", name: "www", target: "192.0.2.1" };
    world.cluster.create("DomainRecord", "www", record);
    await world.advance(500);
    world.cluster.delete("Domain", "zone");
    world.cluster.delete("DomainRecord", "www");
    await world.advance(minutes(15));
    expect(world.cluster.get("Domain", "zone")).toBeUndefined();
    expect(world.cluster.get("DomainRecord", "www")).toBeUndefined();
  },
);

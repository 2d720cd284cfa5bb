/** Enrollments in beta programs: answered with `{}`, named by the program, and never undone. */
import { describe, expect, it } from "vitest";
import type { FaultKind } from "../../world/faults.ts";
import type { World } from "../../world/world.ts";
import { begin, calm, changes, crashedAnywhere, idOf, made, messageOf, minutes, stateOf } from "../support.ts";

const kind = "BetaEnrollment";
const betas = "/account/betas";
const program = { program: "fast-disks" };
const post = `POST ${betas}`;

function events(world: World): string[] {
  return world.cluster.events().flatMap((event) => (event.kind === kind ? [`${event.reason}: ${event.note}`] : []));
}

it("an account is enrolled with one request and two writes, and nothing follows", async () => {
  const world = await begin();
  const writes = world.cluster.writes().length;
  world.cluster.create(kind, "join", program);
  await world.advance(1_000);
  expect(world.cluster.get(kind, "join")).toBeReady();
  expect(idOf(world, kind, "join")).toBe("fast-disks");
  expect(world.cluster.writes().length - writes).toBe(2);
  await world.advance(minutes(40));
  expect(changes(world)).toEqual([post]);
  expect(events(world)).toEqual(["Created: Created beta enrollment fast-disks"]);
});

describe("the account stays enrolled when its object is deleted, which is said", () => {
  it.each([{}, { policy: "Plan" }, { policy: "Observe", adopt: { id: "fast-disks" } }])(
    "with the management %o",
    async (management) => {
      const world = await begin();
      world.cluster.create(kind, "join", program);
      await world.advance(minutes(1));
      world.cluster.patch(kind, "join", { spec: { management } });
      await world.advance(minutes(1));
      world.cluster.delete(kind, "join");
      await world.advance(minutes(1));
      expect(world.cluster.get(kind, "join")).toBeUndefined();
      expect(changes(world)).toEqual([post]);
      expect(events(world).at(-1)).toBe(
        "Orphaned: Beta enrollment fast-disks stays in the cloud: the cloud API has no request to leave a beta program",
      );
    },
  );

  it("and an object of the same program takes it up again only where that is said", async () => {
    const world = await begin();
    world.cloud.add(betas, { id: "fast-disks" });
    world.cluster.create(kind, "join", program);
    await world.advance(minutes(1));
    expect(stateOf(world, kind, "join")).toBe("Conflict");
    expect(messageOf(world, kind, "join")).toContain('set spec.management.adopt.id: "fast-disks"');
    world.cluster.patch(kind, "join", { spec: { management: { adopt: { id: "fast-disks" } } } });
    await world.advance(minutes(1));
    expect(world.cluster.get(kind, "join")).toBeReady();
    expect(changes(world)).toEqual([]);
  });
});

describe("an enrollment whose request is lost", () => {
  it("is not sent again if the service accepts the request and does nothing", async () => {
    const world = await begin();
    world.cloud.fault({ kind: "empty", method: "POST" });
    world.cluster.create(kind, "join", program);
    await world.advance(minutes(2));
    expect(stateOf(world, kind, "join")).toBe("CreateUncertain");
    expect(changes(world)).toHaveLength(1);
  });

  it.each<FaultKind>(["lostAfter", "lateApply", "html502After", "lostBefore"])("is made once: %s", async (how) => {
    const world = await begin();
    world.cloud.fault({ kind: how, method: "POST", ms: 6_000 });
    world.cluster.create(kind, "join", program);
    await world.advance(minutes(2));
    expect(world.cluster.get(kind, "join")).toBeReady();
    expect(made(world, betas)).toBe(1);
    expect(changes(world)).toHaveLength(how === "lostBefore" ? 2 : 1);
  });

  it("is made once wherever the process goes", async () => {
    const scene = async () => {
      const world = await begin(calm);
      world.cluster.create(kind, "join", program);
      return world;
    };
    const isRight = (world: World) =>
      Promise.resolve(stateOf(world, kind, "join") === "Ready" && made(world, betas) === 1);
    expect(await crashedAnywhere(scene, isRight)).toEqual([]);
  });
});

it("of two objects of one program one enrolls, and the other says so", async () => {
  const world = await begin();
  world.cluster.create(kind, "one", program);
  world.cluster.create(kind, "two", program);
  await world.advance(minutes(2));
  expect(new Set(["one", "two"].map((name) => stateOf(world, kind, name)))).toEqual(new Set(["Ready", "Conflict"]));
  expect(changes(world)).toEqual([post]);
});

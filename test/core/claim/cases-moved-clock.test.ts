/**
 * The `Date` of the cloud API moves after it was learnt how far it is ahead of `created`: another gateway answers, or a
 * clock was set. What a creation made is never called somebody else's, nor left behind, by a figure that holds no more.
 */
import { describe, expect, it } from "vitest";
import type { World } from "../../world/world.ts";
import {
  applied,
  begin,
  create,
  follow,
  idOf,
  left,
  made,
  messageOf,
  minutes,
  ready,
  shapeNames,
  shapes,
  untilSent,
} from "./scenes.ts";
import type { Shape } from "./scenes.ts";

const second = (kind: Shape): object => (kind === "SSHKey" ? {} : { label: "web" });

/** An account of which a creation has shown that `Date` and `created` are the same. */
async function learnt(kind: Shape, feedMs = 10_000): Promise<World> {
  const world = await begin({ timing: { feedMs, sweepMs: 60_000 } });
  create(world, kind, "first");
  await world.advance(minutes(2));
  return world;
}

describe.each(shapeNames)("a %s whose creation got no response", (kind) => {
  it.each([30_000, -30_000, 5_000])(
    "is found: `Date` moved by %d ms since and answers have shown it",
    async (movedMs) => {
      for (const how of ["lostAfter", "lateApply"] as const) {
        const world = await learnt(kind);
        world.cloud.settings.dateAheadMs = movedMs;
        await world.advance(minutes(2));
        world.cloud.fault({ kind: how, method: "POST", ms: 6_000 });
        create(world, kind, "web", second(kind));
        await world.advance(minutes(15));
        expect(ready(world, kind, "web")).toBe("Ready");
        expect(made(world, shapes[kind].path)).toBe(2);
        world.cluster.delete(kind, "web");
        await world.advance(minutes(2));
        expect(left(world)).toMatchObject([{ id: idOf(world, kind, "first") }]);
      }
    },
  );
});

describe("what was not there before a request, and seems to be older than it", () => {
  /** The clock of `created` falls back by half a minute after the intent, which nothing announces. */
  async function doubted(): Promise<{ world: World; id: string }> {
    const world = await learnt("SSHKey");
    world.cloud.onTouch(({ method }, { fields }) => {
      if (method === "POST" && fields["label"] === "web")
        fields["created"] = new Date(world.clock.date().getTime() - 30_000).toISOString().slice(0, 19);
    });
    world.cloud.fault({ kind: "lostAfter", method: "POST" });
    create(world, "SSHKey", "web");
    await world.advance(minutes(3));
    const { id } = left(world).at(-1)!;
    return { world, id };
  }

  it("is named, and can be chosen", async () => {
    const { world, id } = await doubted();
    expect(ready(world, "SSHKey", "web")).toBe("CreateUncertain");
    expect(messageOf(world, "SSHKey", "web")).toContain(`spec.management.adopt.id: "${id}"`);
    world.cluster.patch("SSHKey", "web", { spec: { management: { adopt: { id } } } });
    await world.advance(minutes(2));
    expect([ready(world, "SSHKey", "web"), idOf(world, "SSHKey", "web")]).toEqual(["Ready", id]);
    world.cluster.delete("SSHKey", "web");
    await world.advance(minutes(2));
    expect(left(world)).toHaveLength(1);
  });

  it("is no hindrance to another name, by leave", async () => {
    const { world, id } = await doubted();
    const message = messageOf(world, "SSHKey", "web");
    world.cluster.patch("SSHKey", "web", { spec: { label: "another" } });
    await world.advance(minutes(2));
    expect(messageOf(world, "SSHKey", "web")).toBe(message);
    follow(world, "SSHKey", "web", "retry-create");
    await world.advance(minutes(2));
    expect(ready(world, "SSHKey", "web")).toBe("Ready");
    expect(idOf(world, "SSHKey", "web")).not.toBe(id);
  });

  it.each([true, false])(
    "is not left behind by a deletion without a word; said before the deletion: %s",
    async (said) => {
      const { world, id } = await doubted();
      if (!said) world.restart();
      world.cluster.delete("SSHKey", "web");
      await world.advance(minutes(5));
      expect(world.cluster.get("SSHKey", "web")).toBeDefined();
      expect(messageOf(world, "SSHKey", "web")).toContain(id);
      expect(applied(world, "DELETE")).toEqual([]);
    },
  );

  it("goes with its object when it is chosen", async () => {
    const { world, id } = await doubted();
    world.cluster.delete("SSHKey", "web");
    await world.advance(minutes(1));
    world.cluster.patch("SSHKey", "web", { spec: { management: { adopt: { id } } } });
    await world.advance(minutes(2));
    expect(world.cluster.get("SSHKey", "web")).toBeUndefined();
    expect(left(world)).toHaveLength(1);
  });

  it("stays when the object is let go", async () => {
    const { world } = await doubted();
    world.cluster.delete("SSHKey", "web");
    await world.advance(minutes(1));
    follow(world, "SSHKey", "web", "let-go");
    await world.advance(minutes(2));
    expect(world.cluster.get("SSHKey", "web")).toBeUndefined();
    expect(left(world)).toHaveLength(2);
  });
});

it.each(shapeNames)("a %s is deleted when the clock that was wrong at its creation is set right", async (kind) => {
  const world = await begin();
  world.cloud.settings.dateAheadMs = 4_000;
  world.cloud.settings.latencyMs = 30;
  await world.advance(5_000);
  // Each of them before the answer to another one shows how far the clock is ahead.
  for (const name of ["one", "two", "three"]) create(world, kind, name, { label: name });
  await world.advance(minutes(5));
  world.cloud.settings.dateAheadMs = 0;
  await world.advance(minutes(60));
  create(world, kind, "other", { label: "other" });
  await world.advance(minutes(5));
  for (const name of ["one", "two", "three"]) world.cluster.delete(kind, name);
  await world.advance(minutes(30));
  expect(left(world)).toMatchObject([{ id: idOf(world, kind, "other") }]);
  expect(world.cluster.list(kind)).toHaveLength(1);
});

it.each(["SSHKey", "ComputeInstance"] as const)(
  "a %s whose intent has a time of one answer that was nearly an hour ahead is searched for no longer than others",
  async (kind) => {
    const world = await begin();
    world.cloud.settings.latencyMs = 30;
    await world.advance(5_000);
    world.cloud.settings.dateAheadMs = 3_240_000;
    world.cloud.fault({ kind: "lostBefore", method: "POST" });
    create(world, kind, "web");
    await untilSent(world, "POST");
    world.cloud.settings.dateAheadMs = 0;
    await world.advance(minutes(11));
    expect(ready(world, kind, "web"), messageOf(world, kind, "web")).toBe(
      kind === "SSHKey" ? "Ready" : "CreateUncertain",
    );
  },
);

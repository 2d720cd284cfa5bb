/** The journal entry is removed or garbled while it is not known what came of a creation. */
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
  shapeNames,
  shapes,
  stateOf,
} from "../support.ts";
import type { Shape } from "../support.ts";

const annotation = "cloudplatform.dev/journal";

const tamperings: { because: string; garble: (text: string) => string | null }[] = [
  { because: "removed", garble: () => null },
  { because: "no JSON", garble: () => "{broken" },
  { because: "empty", garble: () => "{}" },
  { because: "of another name", garble: (text) => text.replace('"name":"web"', '"name":"abc"') },
  { because: "with another pattern", garble: (text) => text.replace(/"pattern":\{/, '"pattern":{"status":"abc",') },
  { because: "with its signature taken off", garble: (text) => text.replace(/,"signature":"[^"]*"/, "") },
];

function tamper({ cluster }: World, kind: Shape, garble: (text: string) => string | null): void {
  const text = cluster.get(kind, "web")?.metadata.annotations?.[annotation] ?? "";
  expect(text).not.toBe("");
  cluster.annotate(kind, "web", { [annotation]: garble(text) });
}

/** The answer to the POST is lost; it was done at once, or is done 6 s later. */
async function uncertain(kind: Shape, how: "lostAfter" | "lateApply" | "lostBefore" = "lateApply"): Promise<World> {
  const world = await begin();
  world.cloud.fault({ kind: how, method: "POST", ms: 6_000 });
  create(world, kind, "web");
  await world.advance(500);
  return world;
}

describe.each(shapeNames)("while the creation of a %s is uncertain, and its entry is", (kind) => {
  const { path } = shapes[kind];

  it.each(tamperings)("$because, what the process knows counts: nothing is made twice", async ({ garble }) => {
    for (const how of ["lostAfter", "lateApply"] as const) {
      const world = await uncertain(kind, how);
      tamper(world, kind, garble);
      await world.advance(minutes(12));
      expect(world.cluster.get(kind, "web")).toBeReady();
      expect(made(world, path)).toBe(1);
    }
  });

  it.each(tamperings)("$because, and it is deleted, nothing stays behind", async ({ garble }) => {
    for (const how of ["lostAfter", "lateApply"] as const) {
      const world = await uncertain(kind, how);
      tamper(world, kind, garble);
      world.cluster.delete(kind, "web");
      await world.advance(minutes(12));
      expect(world.cluster.get(kind, "web")).toBeUndefined();
      expect(left(world)).toEqual([]);
    }
  });
});

/** …and the process is gone, so that nothing but the object could say what was made. */
async function forgotten(
  kind: Shape,
  garble: (text: string) => string | null,
  how: "lateApply" | "lostBefore" = "lateApply",
): Promise<World> {
  const world = await uncertain(kind, how);
  world.crash();
  tamper(world, kind, garble);
  world.restart();
  await world.advance(minutes(15));
  return world;
}

describe.each(shapeNames)("after a restart, a %s whose entry is", (kind) => {
  const { path } = shapes[kind];

  it.each(tamperings)("$because is uncertain: nothing is made, and it does not go by itself", async ({ garble }) => {
    const world = await forgotten(kind, garble);
    expect(stateOf(world, kind, "web")).toBe("CreateUncertain");
    world.cluster.delete(kind, "web");
    await world.advance(minutes(15));
    expect(stateOf(world, kind, "web")).toBe("CreateUncertain");
    expect(made(world, path)).toBe(1);
    expect(left(world)).toHaveLength(1);
  });

  it.each(tamperings)("$because takes what adopt.id names", async ({ garble }) => {
    const world = await forgotten(kind, garble);
    const [row] = left(world);
    world.cluster.patch(kind, "web", { spec: { management: { adopt: { id: row?.id } } } });
    await world.advance(minutes(3));
    expect(world.cluster.get(kind, "web")).toBeReady();
    world.cluster.delete(kind, "web");
    await world.advance(minutes(3));
    expect(left(world)).toEqual([]);
  });

  it.each(tamperings)("$because is made when its message's retry-create is followed", async ({ garble }) => {
    const world = await forgotten(kind, garble, "lostBefore");
    expect(made(world, path)).toBe(0);
    follow(world, kind, "web", "retry-create");
    await world.advance(minutes(3));
    expect(world.cluster.get(kind, "web")).toBeReady();
    expect(left(world)).toMatchObject([{ id: idOf(world, kind, "web") }]);
  });

  it("removed makes nothing beside what exists, also with retry-create", async () => {
    const world = await forgotten(kind, () => null);
    follow(world, kind, "web", "retry-create");
    await world.advance(minutes(15));
    expect(stateOf(world, kind, "web")).toBe("Conflict");
    expect(made(world, path)).toBe(1);
  });

  it.each(tamperings)("$because goes when its message's orphan is followed", async ({ garble }) => {
    const world = await forgotten(kind, garble);
    world.cluster.delete(kind, "web");
    await world.advance(minutes(3));
    expect(messageOf(world, kind, "web")).toContain("orphan");
    follow(world, kind, "web", "orphan");
    await world.advance(minutes(1));
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(applied(world, "DELETE")).toEqual([]);
  });
});

/** A person creates what a lost create request asked for: the operator deletes only what is proven to be its own. */
import { describe, expect, it } from "vitest";
import type { Fault } from "../../world/faults.ts";
import type { World } from "../../world/world.ts";
import { kind, keys, living, rightIn } from "./keys.ts";
import { applied, begin, calm, follow, left, made, messageOf, minutes, stateOf, untilSent } from "../support.ts";

const images = "/images";
const handOff = { source: { handOff: { region: "us-east" } } };

/** A key `web` whose POST meets this fault. */
async function asked(fault: Omit<Fault, "method">): Promise<World> {
  const world = await begin(calm);
  world.cloud.fault({ ...fault, method: "POST" });
  world.cluster.create(kind, "web");
  await untilSent(world, "POST");
  return world;
}

function expectUntouched(world: World, id: string): void {
  expect(applied(world, "DELETE")).toEqual([]);
  expect(living(world).map((row) => row.id)).toContain(id);
}

describe.each([
  { user: "ada", whose: "the user of the operator's token" },
  { user: "eve", whose: "another user" },
])("after a 502 for a POST that no service received, a key of $whose with the same label", ({ user }) => {
  it.each([
    { ms: 0, when: "at once" },
    { ms: 15_000, when: "15 seconds later" },
  ])("is not deleted if it was created $when, and the condition names its ID and the cure", async ({ ms }) => {
    const world = await asked({ kind: "html502" });
    await world.advance(ms);
    const { id } = world.cloud.byHand(keys, { label: "web" }, user);
    await world.advance(minutes(30));
    expectUntouched(world, id);
    expect(made(world, keys)).toBe(0);
    expect(stateOf(world, kind, "web")).toBe("CreateUncertain");
    expect(messageOf(world, kind, "web")).toContain(id);
    world.cluster.patch(kind, "web", { spec: { label: "another" } });
    follow(world, kind, "web", "retry-create");
    await world.advance(minutes(10));
    expectUntouched(world, id);
    expect(rightIn(world)).toEqual([]);
  });

  it("is not deleted together with the custom resource", async () => {
    const world = await asked({ kind: "html502" });
    const { id } = world.cloud.byHand(keys, { label: "web" }, user);
    world.cluster.delete(kind, "web");
    await world.advance(minutes(30));
    expectUntouched(world, id);
    follow(world, kind, "web", "orphan");
    await world.advance(minutes(1));
    expectUntouched(world, id);
    expect(world.cluster.get(kind, "web")).toBeUndefined();
  });
});

it("a key that another user created while the request was under way is not deleted", async () => {
  const world = await asked({ kind: "html502", brokenMs: 20_000 });
  await world.advance(5_000);
  const { id } = world.cloud.byHand(keys, { label: "web" }, "eve");
  await world.advance(minutes(30));
  expectUntouched(world, id);
  expect(stateOf(world, kind, "web")).toBe("CreateUncertain");
});

it("two keys that may be the result of one request stay until the user names the right one", async () => {
  const world = await begin(calm);
  world.cloud.fault({ kind: "lostAfter", method: "POST" });
  world.cloud.onTouch(({ method }) => {
    if (method === "POST" && made(world, keys) === 1) world.cloud.add(keys, { label: "web" });
  });
  world.cluster.create(kind, "web");
  await world.advance(minutes(2));
  expect(stateOf(world, kind, "web")).toBe("CreateUncertain");
  expect(applied(world, "DELETE")).toEqual([]);
  const [own] = left(world);
  world.cluster.patch(kind, "web", { spec: { label: "web-2", management: { adopt: { id: own?.id } } } });
  await world.advance(minutes(2));
  expect(rightIn(world)).toEqual([]);
  expect(living(world)).toHaveLength(2);
});

describe.each([true, false])("a key that the service created before a gateway gave up; restart: %s", (restart) => {
  it("stays until the user deletes it, because nothing proves whose key it is", async () => {
    const world = await asked({ kind: "html502After", brokenMs: 20_000 });
    const [own] = living(world);
    await world.advance(5_000);
    if (restart) world.restart();
    await world.advance(minutes(10));
    expectUntouched(world, own?.id ?? "none");
    expect(stateOf(world, kind, "web")).toBe("CreateUncertain");
    world.cloud.remove(keys, own?.id ?? "none");
    await world.advance(minutes(10));
    expect(rightIn(world)).toEqual([]);
  });
});

describe("an Image of a person, with the label of an Image whose create request got a 502", () => {
  const scene = async (): Promise<{ world: World; id: string }> => {
    const world = await begin(calm);
    world.cloud.fault({ kind: "html502", method: "POST" });
    world.cluster.create("Image", "web", handOff);
    await untilSent(world, "POST");
    const row = { label: "web", is_public: false, size: 0, status: "pending_upload" };
    return { world, id: world.cloud.byHand(images, row, "ada").id };
  };

  it("is not deleted, and the condition names it", async () => {
    const { world, id } = await scene();
    await world.advance(minutes(30));
    expect(applied(world, "DELETE")).toEqual([]);
    expect(stateOf(world, "Image", "web")).toBe("CreateUncertain");
    expect(messageOf(world, "Image", "web")).toContain(id);
  });

  it("is not deleted with the custom resource", async () => {
    const { world } = await scene();
    world.cluster.delete("Image", "web");
    await world.advance(minutes(30));
    expect(applied(world, "DELETE")).toEqual([]);
  });
});

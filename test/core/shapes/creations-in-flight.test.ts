/** A creation on its way keeps its name, and what it brings is kept or deleted as its object said last. */
import { expect, it } from "vitest";
import { begin, changes, create, left, messageOf, minutes, stateOf, untilSent } from "../support.ts";
import type { Shape } from "../support.ts";
import type { World } from "../../world/world.ts";

const kinds = ["SSHKey", "ComputeInstance"] as const;
/** What leaves the cloud object in the cloud. */
const leaving = [{ policy: "Observe" }, { deletionPolicy: "Orphan" }];

function each<Flag extends string>(flag: Flag) {
  return kinds.flatMap((kind) =>
    leaving.flatMap((management) =>
      [false, true].map((yes) => ({ kind, management, [flag]: yes }) as Left & Record<Flag, boolean>),
    ),
  );
}

interface Left {
  kind: Shape;
  management: object;
}

/** `one` goes without its cloud object during its creation, and `two` asks for its name. */
async function leave(world: World, { kind, management, restart }: Left & { restart: boolean }): Promise<void> {
  world.cluster.patch(kind, "one", { spec: { management } });
  if (restart) world.restart();
  await world.advance(100);
  world.cluster.delete(kind, "one");
  await world.advance(1_000);
  create(world, kind, "two", { label: "web" });
  await world.advance(5_000);
}

it.each(each("restart"))(
  "$kind: the name of a creation on its way is not free before that may not appear any more, though its object goes with $management; restart: $restart",
  async (of) => {
    const { kind } = of;
    const world = await begin();
    world.cloud.fault({ kind: "lostBefore", method: "POST" });
    create(world, kind, "one", { label: "web" });
    await untilSent(world, "POST");
    await leave(world, of);
    expect(stateOf(world, kind, "one")).toBe("CreateUncertain");
    expect(stateOf(world, kind, "two")).toBe("WaitingForChange");
    expect(changes(world)).toHaveLength(1);
    await world.advance(minutes(30));
    expect(world.cluster.get(kind, "one")).toBeUndefined();
    expect(world.cluster.get(kind, "two")).toBeReady();
    expect(changes(world)).toHaveLength(2);
  },
);

it.each(each("restart"))(
  "$kind: nor is that of a creation that replaces what is missing; $management; restart: $restart",
  async (of) => {
    const { kind } = of;
    const world = await replacing(kind);
    await leave(world, of);
    expect([stateOf(world, kind, "one"), stateOf(world, kind, "two")]).toEqual(["CreateUncertain", "WaitingForChange"]);
    await world.advance(minutes(30));
    expect(world.cluster.get(kind, "one")).toBeUndefined();
    expect(stateOf(world, kind, "two")).toBe("Conflict");
    expect(left(world)).toHaveLength(1);
  },
);

it.each(kinds)("%s: nor while the object that it replaces something for only observes", async (kind) => {
  const world = await replacing(kind);
  world.cluster.patch(kind, "one", { spec: { management: { policy: "Observe" } } });
  await world.advance(1_000);
  create(world, kind, "two", { label: "web" });
  await world.advance(minutes(30));
  expect(stateOf(world, kind, "two")).toBe("Conflict");
  expect(left(world)).toHaveLength(1);
});

/** What `one` had is missing, and the request for another one is carried out later than anybody waits for its response. */
async function replacing(kind: Shape): Promise<World> {
  const world = await begin();
  create(world, kind, "one", { label: "web", management: { missingPolicy: "Recreate" } });
  await world.advance(minutes(20));
  for (const { path, id } of left(world)) world.cloud.remove(path, id);
  const sent = changes(world).length;
  world.cloud.fault({ kind: "lateApply", method: "POST", ms: 25_000 });
  for (let ms = 0; ms < minutes(60) && changes(world).length === sent; ms += 100) await world.advance(100);
  return world;
}

it.each(each("waits"))(
  "$kind: what $management keeps is not deleted where somebody takes the finalizer off during the creation; deleted before: $waits",
  async ({ kind, management, waits }) => {
    const world = await begin();
    world.cloud.fault({ kind: "lateApply", method: "POST", ms: 25_000 });
    create(world, kind, "one", { label: "web" });
    await untilSent(world, "POST");
    world.cluster.patch(kind, "one", { spec: { management } });
    await world.advance(100);
    if (waits) world.cluster.delete(kind, "one");
    await world.advance(1_000);
    world.cluster.patch(kind, "one", { metadata: { finalizers: [] } });
    if (!waits) world.cluster.delete(kind, "one");
    await world.advance(500);
    create(world, kind, "two", { label: "web" });
    await world.advance(minutes(30));
    expect(changes(world)).toHaveLength(1);
    expect(stateOf(world, kind, "two")).toBe("Conflict");
  },
);

it("its object goes at once where somebody lets it go", async () => {
  const world = await begin();
  world.cloud.fault({ kind: "lostBefore", method: "POST" });
  create(world, "SSHKey", "one", { label: "web" });
  await untilSent(world, "POST");
  world.cluster.patch("SSHKey", "one", { spec: { management: { policy: "Observe" } } });
  await world.advance(100);
  world.cluster.delete("SSHKey", "one");
  await world.advance(1_000);
  expect(messageOf(world, "SSHKey", "one")).toContain("cloudplatform.dev/orphan=true");
  world.cluster.patch("SSHKey", "one", { metadata: { annotations: { "cloudplatform.dev/orphan": "true" } } });
  await world.advance(1_000);
  expect(world.cluster.get("SSHKey", "one")).toBeUndefined();
});

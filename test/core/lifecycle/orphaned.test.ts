/** An object is orphaned while it is not known what came of its creation: it goes at once, and says what may stay. */
import { describe, expect, it } from "vitest";
import type { World } from "../../world/world.ts";
import { begin, create, left, minutes } from "../support.ts";

const warnings = ({ cluster }: World): string[] =>
  cluster
    .events()
    .filter(({ type, action }) => type === "Warning" && action === "Delete")
    .map(({ reason, note }) => `${reason}: ${note}`);

/** A world in which the response to the creation of an instance was lost; where `restarted`, another process goes on. */
async function lost(restarted: boolean): Promise<World> {
  const world = await begin();
  world.cloud.fault({ kind: "lostAfter", method: "POST" });
  create(world, "ComputeInstance", "web");
  await world.settle();
  if (restarted) world.restart();
  return world;
}

const manage = (management: object) => (world: World) =>
  void world.cluster.patch("ComputeInstance", "web", { spec: { management } });

const ways: { what: string; why: string; let: (world: World) => void }[] = [
  { what: "its policy is Observe", why: "the policy of this object is Observe", let: manage({ policy: "Observe" }) },
  {
    what: "its deletion policy is Orphan",
    why: "deletionPolicy is Orphan",
    let: manage({ deletionPolicy: "Orphan" }),
  },
  {
    what: "people let it go",
    why: "this object has the annotation cloudplatform.dev/orphan",
    let: ({ cluster }) => void cluster.annotate("ComputeInstance", "web", { "cloudplatform.dev/orphan": "true" }),
  },
];

describe.each([
  { by: "the process that sent it", restarted: false },
  { by: "another process", restarted: true },
])("what a creation without a response may have made is said once by $by", ({ restarted }) => {
  it.each(ways)("where $what", async ({ why, let: go }) => {
    const world = await lost(restarted);
    go(world);
    world.cluster.delete("ComputeInstance", "web");
    await world.advance(minutes(12));
    expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
    expect(left(world)).toHaveLength(1);
    expect(warnings(world)).toEqual([
      expect.stringMatching(
        /^CreateUncertain: The create request got no (?:complete )?response.*\. An instance with label "web" can stay in CloudAccount default\/default: /,
      ),
    ]);
    expect(warnings(world)[0]?.endsWith(`: ${why}`)).toBe(true);
  });
});

it("where nothing records any more what was created, that is said", async () => {
  const world = await lost(true);
  world.cluster.annotate("ComputeInstance", "web", { "cloudplatform.dev/journal": "garbled" });
  manage({ deletionPolicy: "Orphan" })(world);
  world.cluster.delete("ComputeInstance", "web");
  await world.advance(minutes(12));
  expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
  expect(warnings(world)).toEqual([
    expect.stringMatching(
      /^CreateUncertain: The annotation cloudplatform.dev\/journal with the journal of this object .+\. An instance of this object can stay in CloudAccount default\/default: deletionPolicy is Orphan$/,
    ),
  ]);
});

it("nothing is said of a creation that was refused", async () => {
  const world = await begin();
  world.cloud.fault({ kind: "refused", reason: "no", method: "POST" });
  create(world, "ComputeInstance", "web", { management: { deletionPolicy: "Orphan" } });
  await world.settle();
  world.restart();
  world.cluster.delete("ComputeInstance", "web");
  await world.advance(minutes(1));
  expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
  expect(left(world)).toEqual([]);
  expect(warnings(world)).toEqual([]);
});

it("where it is recorded what was created, that is what stays", async () => {
  const world = await begin();
  create(world, "ComputeInstance", "web", { management: { deletionPolicy: "Orphan" } });
  await world.advance(minutes(3));
  world.cluster.delete("ComputeInstance", "web");
  await world.advance(minutes(1));
  expect(warnings(world)).toEqual([]);
  expect(left(world)).toHaveLength(1);
});

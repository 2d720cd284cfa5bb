/** The API server stores what the operator is about to send, and its response is lost: this process knows that nothing was sent. */
import { expect, it } from "vitest";
import type { World } from "../../world/world.ts";
import {
  applied,
  begin,
  create,
  instances,
  left,
  messageOf,
  minutes,
  shapeNames,
  stateOf,
  withReady,
} from "../support.ts";

/** The response to the next writes of metadata is lost. */
function lose(world: World, times: number): void {
  world.cluster.writeFaults.push({ verb: "patch", how: "lostAfter", times });
}

const notAfter = "2099-01-01T00:00:00Z";

it.each(shapeNames.flatMap((kind) => [1, 3].map((times) => ({ kind, times }))))(
  "a $kind whose entry was stored $times times without a response is created once, by itself",
  async ({ kind, times }) => {
    const world = await begin();
    lose(world, times);
    create(world, kind, "web");
    await world.advance(minutes(3));
    expect(stateOf(world, kind, "web"), messageOf(world, kind, "web")).toBe("Ready");
    expect(applied(world, "POST")).toHaveLength(1);
    world.cluster.delete(kind, "web");
    await world.advance(minutes(12));
    expect(left(world)).toEqual([]);
  },
);

it("a response to the creation that is lost after that is searched for, as any other", async () => {
  const world = await begin();
  lose(world, 1);
  world.cloud.fault({ kind: "lostAfter", method: "POST" });
  create(world, "ComputeInstance", "web");
  await world.advance(minutes(5));
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  expect(applied(world, "POST")).toHaveLength(1);
});

it.each([1, 3])("an action whose record was stored %i times without a response is carried out once", async (times) => {
  const { world, row } = await withReady("ComputeInstance");
  lose(world, times);
  world.cluster.create("ComputeAction", "again", { instanceRef: { name: "web" }, action: "Reboot", notAfter });
  await world.advance(minutes(15));
  expect(messageOf(world, "ComputeAction", "again")).toMatch(/^\w+ is complete$/);
  expect(applied(world, "POST").filter((path) => path.startsWith(`${instances}/${row.id}/`))).toHaveLength(1);
});

it.each([1, 3])("a resize whose record was stored %i times without a response is carried out once", async (times) => {
  const { world, row } = await withReady("ComputeInstance");
  lose(world, times);
  world.cluster.patch("ComputeInstance", "web", { spec: { type: "g6-standard-2", allowDisruption: ["Resize"] } });
  await world.advance(minutes(15));
  expect(stateOf(world, "ComputeInstance", "web"), messageOf(world, "ComputeInstance", "web")).toBe("Ready");
  expect(applied(world, "POST").filter((path) => path === `${instances}/${row.id}/resize`)).toHaveLength(1);
});

it("what is refused since an older version was read does not push out what was stored without a response", async () => {
  const { world } = await withReady("ComputeInstance");
  world.cluster.watch.delayMs = 3_000;
  lose(world, 2);
  world.cluster.patch("ComputeInstance", "web", { spec: { type: "g6-standard-2", allowDisruption: ["Resize"] } });
  await world.advance(minutes(25));
  expect(stateOf(world, "ComputeInstance", "web"), messageOf(world, "ComputeInstance", "web")).toBe("Ready");
  expect(applied(world, "POST", /resize$/)).toHaveLength(1);
});

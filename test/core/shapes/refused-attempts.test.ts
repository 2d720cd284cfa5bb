/** That an attempt was refused counts only where the operator itself says so: otherwise something is created twice. */
import { describe, expect, it } from "vitest";
import { statedEntryIn } from "../../../src/core/model/journal.ts";
import type { World } from "../../world/world.ts";
import {
  begin,
  calm,
  changes,
  create,
  forgeRecord,
  instances,
  left,
  made,
  messageOf,
  minutes,
  shapeNames,
  shapes,
  stateOf,
  storeStatus,
} from "../support.ts";
import type { Shape } from "../support.ts";
import { recordOf } from "../../world/record.ts";

/** The answer to the POST is lost, it is done 6 s later, and somebody writes that it was refused. */
async function forged(kind: Shape, restart: boolean): Promise<World> {
  const world = await begin();
  world.cloud.fault({ kind: "lateApply", method: "POST", ms: 6_000 });
  create(world, kind, "web");
  await world.advance(500);
  if (restart) world.crash();
  forgeRecord(world, kind, "web", { refusedAttempt: statedEntryIn(world.cluster.get(kind, "web")!)?.attempt });
  if (restart) world.restart();
  return world;
}

describe.each(shapeNames)(
  "while it is not known what came of the creation of a %s, a refusal that is made up",
  (kind) => {
    it.each([false, true])("has no other sent; restart: %s", async (restart) => {
      const world = await forged(kind, restart);
      await world.advance(minutes(12));
      expect(world.cluster.get(kind, "web")).toBeReady();
      expect(changes(world).filter((change) => change === `POST ${shapes[kind].path}`)).toHaveLength(1);
      expect(made(world, shapes[kind].path)).toBe(1);
    });

    it.each([false, true])("leaves nothing behind a deletion; restart: %s", async (restart) => {
      const world = await forged(kind, restart);
      world.cluster.delete(kind, "web");
      await world.advance(minutes(12));
      expect(world.cluster.get(kind, "web")).toBeUndefined();
      expect(left(world)).toEqual([]);
    });
  },
);

describe("after a restart, an instance whose creation was refused", () => {
  async function refused(
    tamper: (world: World) => void = () => undefined,
    kind: "busy" | "tooMany" = "busy",
  ): Promise<World> {
    const world = await begin();
    world.cloud.fault({ kind, method: "POST", times: Infinity });
    create(world, "ComputeInstance", "web");
    await world.advance(minutes(1));
    expect(recordOf(world.cluster.get("ComputeInstance", "web"))).toHaveProperty("refusedAttempt");
    world.crash();
    world.cloud.clearFaults();
    tamper(world);
    world.restart();
    await world.advance(minutes(20));
    return world;
  }

  it("is created when the cloud is not busy any more", async () => {
    const world = await refused();
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  });

  it("is created when there is room in the rate limit again", async () => {
    const world = await refused(undefined, "tooMany");
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(made(world, instances)).toBe(1);
  });

  it("is uncertain where its record was removed", async () => {
    const world = await refused((begun) => storeStatus(begun, "ComputeInstance", "web", { record: null }));
    expect(stateOf(world, "ComputeInstance", "web")).toBe("CreateUncertain");
    expect(made(world, instances)).toBe(0);
  });
});

it("a Domain whose first request is carried out right before the second one is found, and not said to be refused", async () => {
  for (let ms = 28_000; ms <= 36_000; ms += 500) {
    const world = await begin(calm);
    world.cloud.settings.latencyMs = 1_000;
    world.cloud.fault({ kind: "lateApply", method: "POST", ms });
    world.cluster.create("Domain", "web", { domain: "web.test", type: "master", soaEmail: "ada@web.test" });
    await world.advance(minutes(1.2));
    expect(stateOf(world, "Domain", "web"), `${ms} ms: ${messageOf(world, "Domain", "web")}`).toBe("Ready");
    expect(JSON.stringify(world.cluster.writes())).not.toContain("Refused");
  }
});

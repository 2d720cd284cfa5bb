/** Somebody's admission policy takes out what the operator writes into metadata: without it nothing is created. */
import { journalAnnotation } from "../../../src/core/kind/annotations.ts";
import { finalizer } from "../../../src/core/kind/resource.ts";
import { describe, expect, it } from "vitest";
import { conditionOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import {
  applied,
  begin,
  create,
  left,
  messageOf,
  minutes,
  shapeNames,
  stateOf,
  untilSent,
  withReady,
} from "../support.ts";

const cases = shapeNames.flatMap((kind) => (["finalizers", "annotations"] as const).map((what) => ({ kind, what })));

it.each(cases)("a $kind is created once its $what are stored, and says what is missing", async ({ kind, what }) => {
  const world = await begin();
  world.cluster.writeFaults.push({ verb: "patch", how: what, times: Infinity });
  create(world, kind, "web");
  await world.advance(minutes(20));
  expect(applied(world, "POST")).toEqual([]);
  expect(stateOf(world, kind, "web")).toBe("ClusterUnavailable");
  const missing =
    what === "finalizers" ? "the finalizer cloudplatform.dev/operator" : "the annotation cloudplatform.dev/journal";
  expect(messageOf(world, kind, "web")).toBe(
    `The API server stored this object without ${missing}, which the operator has written. The operator creates and changes nothing until the admission policy or webhook keeps the field`,
  );
  const writes = world.cluster.writes().filter(({ key }) => key === "default/web").length;
  expect(writes, "writes in 20 minutes").toBeLessThan(60);
  world.cluster.writeFaults.length = 0;
  await world.advance(minutes(15));
  expect(world.cluster.get(kind, "web")).toBeReady();
  world.cluster.delete(kind, "web");
  await world.advance(minutes(10));
  expect(left(world)).toEqual([]);
});

/** Somebody's webhook takes the record off again, whatever stood there before. */
function takeOff(world: World): () => void {
  const fault = { verb: "patch", how: "record", times: Infinity } as const;
  world.cluster.writeFaults.push(fault);
  return () => void (world.cluster.writeFaults.length = 0);
}

it.each(shapeNames)(
  "a %s whose record is taken off and the response to that is lost is created once both end",
  async (kind) => {
    const world = await begin();
    world.cluster.writeFaults.push({ verb: "patch", how: "recordLost", times: 1 });
    const end = takeOff(world);
    create(world, kind, "web");
    await world.advance(minutes(3));
    expect(applied(world, "POST")).toEqual([]);
    end();
    await world.advance(minutes(15));
    expect(stateOf(world, kind, "web"), messageOf(world, kind, "web")).toBe("Ready");
  },
);

describe.each(["SSHKey", "Firewall", "Bucket"] as const)(
  "a %s whose first request is carried out late, for a process that is gone, while records are taken off",
  (kind) => {
    async function late(ms: number): Promise<World> {
      const world = await begin();
      world.cloud.fault({ kind: "lateApply", method: "POST", ms });
      create(world, kind, "web");
      await world.advance(10_000);
      world.restart();
      return world;
    }

    it("leaves nothing without a word when it is deleted", async () => {
      const world = await late(minutes(2));
      takeOff(world);
      await world.advance(minutes(1));
      world.cluster.delete(kind, "web");
      await world.advance(minutes(20));
      const told = world.cluster.events().filter(({ reason }) => ["CreateUncertain", "CreatedLate"].includes(reason));
      const isGone = world.cluster.get(kind, "web") === undefined;
      expect(isGone && left(world).length > 0 && told.length === 0, messageOf(world, kind, "web")).toBe(false);
    });

    it("tells of it once records are stored again", async () => {
      const world = await late(minutes(3));
      const end = takeOff(world);
      await world.advance(minutes(1));
      end();
      await world.advance(minutes(20));
      expect(stateOf(world, kind, "web"), messageOf(world, kind, "web")).toBe("Ready");
      expect(left(world).length > 1 && !conditionOf(world.cluster.get(kind, "web"), "Duplicate")).toBe(false);
    });
  },
);

it.each(["annotations", "finalizers", "lostAfter"] as const)(
  "an instance of which nothing was sent is created once the %s of its next record are stored",
  async (how) => {
    const world = await begin();
    world.cluster.latency.answerMs = 300;
    create(world, "ComputeInstance", "web");
    const isRecorded = () => world.cluster.get("ComputeInstance", "web")?.metadata.annotations?.[journalAnnotation];
    for (let ms = 0; ms < minutes(1) && isRecorded() === undefined; ms += 10) await world.advance(10);
    // While the response is on its way: what was recorded is not sent any more.
    world.cluster.patch("ComputeInstance", "web", { spec: { label: "another" } });
    world.cluster.writeFaults.push({ verb: "patch", how, times: 1 });
    await world.advance(minutes(20));
    expect(stateOf(world, "ComputeInstance", "web"), messageOf(world, "ComputeInstance", "web")).toBe("Ready");
    expect(applied(world, "POST")).toHaveLength(1);
  },
);

it.each(["annotations", "finalizers"] as const)(
  "an action whose %s are not stored at first is carried out once, by itself",
  async (how) => {
    const { world } = await withReady("ComputeInstance");
    world.cluster.writeFaults.push({ verb: "patch", how, times: 1 });
    const spec = { instanceRef: { name: "web" }, action: "Reboot", notAfter: "2099-01-01T00:00:00Z" };
    world.cluster.create("ComputeAction", "again", spec);
    await world.advance(minutes(15));
    expect(messageOf(world, "ComputeAction", "again")).toMatch(/^\w+ is complete$/);
    expect(applied(world, "POST", /reboot$/)).toHaveLength(1);
  },
);

describe.each([true, false])(
  "an entry is put back while the record cannot be written, and taken off later; writes refused: %s",
  (refuse) => {
    it.each(["same", "another"])("creates none beside what the earlier attempt creates: %s object", async (which) => {
      const world = await begin();
      world.cloud.fault({ kind: "lateApply", method: "POST", ms: minutes(9) });
      create(world, "ComputeInstance", "web");
      await untilSent(world, "POST");
      await world.advance(2_000);
      const before = world.cluster.get("ComputeInstance", "web")!;
      const annotations = { ...before.metadata.annotations };
      world.crash();
      const fault = { verb: "patch", how: "refused", times: refuse ? Infinity : 0 } as const;
      world.cluster.writeFaults.push(fault);
      if (which === "another") {
        world.cluster.patch("ComputeInstance", "web", { metadata: { finalizers: [] } });
        world.cluster.delete("ComputeInstance", "web");
        create(world, "ComputeInstance", "web");
      } else
        world.cluster.patch("ComputeInstance", "web", {
          metadata: { finalizers: [], annotations: { [journalAnnotation]: null } },
        });
      if (refuse) {
        world.restart();
        await world.advance(20_000);
      }
      // A backup is applied to it.
      world.cluster.patch("ComputeInstance", "web", { metadata: { finalizers: [finalizer], annotations } });
      if (!refuse) world.restart();
      world.cluster.writeFaults.length = 0;
      await world.advance(minutes(1));
      const state = stateOf(world, "ComputeInstance", "web");
      world.cluster.annotate("ComputeInstance", "web", { [journalAnnotation]: null });
      await world.advance(minutes(30));
      expect(applied(world, "POST"), `${state}; ${messageOf(world, "ComputeInstance", "web")}`).toHaveLength(1);
    });
  },
);

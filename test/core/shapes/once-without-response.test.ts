/** What runs once, where no response tells what came of it, or where its record is of a key that was lost. */
import { journalAnnotation } from "../../../src/core/kind/annotations.ts";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { resources } from "../../../src/twin/definitions.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, madeMs, messageOf, obey, specs, stateOf } from "../support.ts";

const reboot = { instanceRef: { name: "vm" }, action: "Reboot" };

async function withInstance(): Promise<World> {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "vm", specs.ComputeInstance);
  await world.advance(madeMs);
  return world;
}

/** The operator goes while its request is on its way, and another begins a minute later. */
async function killed(kind: "lostAfter" | "lostBefore"): Promise<World> {
  const world = await withInstance();
  world.cloud.fault({ kind, method: "POST", path: /reboot/ });
  world.cluster.create("ComputeAction", "once", reboot);
  await world.advance(200);
  expect(reboots(world)).toBe(1);
  world.crash();
  await world.advance(60_000);
  return world;
}

function reboots(world: World): number {
  return changes(world).filter((one) => one.includes("/reboot")).length;
}

describe("an action whose operator went before the response came", () => {
  it("is complete where an event says that it was done", async () => {
    const world = await killed("lostAfter");
    world.restart();
    await world.advance(60_000);
    expect(world.cluster.get("ComputeAction", "once")).toBeReady();
    expect(reboots(world)).toBe(1);
  });

  it("has failed where an event says so", async () => {
    const world = await killed("lostAfter");
    for (const event of eventsOf(world)) if (event["action"] === "compute_reboot") event["status"] = "failed";
    world.restart();
    await world.advance(60_000);
    expect(stateOf(world, "ComputeAction", "once")).toBe("Failed");
    expect(messageOf(world, "ComputeAction", "once")).toContain("an event of the cloud reports a failure");
    expect(reboots(world)).toBe(1);
  });

  it("is left to people where no event tells of it", async () => {
    const world = await killed("lostBefore");
    world.restart();
    await world.advance(1_400_000);
    expect(stateOf(world, "ComputeAction", "once")).toBe("OperationUncertain");
  });

  it("is left to people where an event tells of what somebody else did long after", async () => {
    const world = await killed("lostBefore");
    world.restart();
    await world.advance(1_400_000);
    world.cloud.asOperator("POST", "/compute/instances/1001/reboot", {});
    await world.advance(1_400_000);
    expect(stateOf(world, "ComputeAction", "once")).toBe("OperationUncertain");
  });
});

it("a complete action whose status was taken away is complete again", async () => {
  const world = await withInstance();
  world.cluster.create("ComputeAction", "once", reboot);
  await world.advance(60_000);
  world.cluster.objects.patch(
    resources.get("ComputeAction")!,
    { namespace: "default", name: "once" },
    { status: { run: null, record: null } },
    "status",
  );
  world.restart();
  await world.advance(60_000);
  expect(world.cluster.get("ComputeAction", "once")).toBeReady();
  expect(reboots(world)).toBe(1);
});

it("an action that is restored with a record which nobody can prove any more is left to people", async () => {
  const world = await withInstance();
  world.cluster.create("ComputeAction", "once", reboot);
  await world.advance(60_000);
  const { annotations = {} } = world.cluster.get("ComputeAction", "once")?.metadata ?? {};
  world.cluster.delete("ComputeAction", "once");
  await world.advance(60_000);
  const ofFormerKey =
    annotations[journalAnnotation]?.replace(/(?<="signature":")./, (first) => (first === "_" ? "A" : "_")) ?? "";
  world.cluster.create("ComputeAction", "once", reboot, { annotations: { [journalAnnotation]: ofFormerKey } });
  await world.advance(1_400_000);
  expect(reboots(world)).toBe(1);
  expect(stateOf(world, "ComputeAction", "once")).toBe("OperationUncertain");
  obey(world, "ComputeAction", "once");
  await world.advance(60_000);
  expect(world.cluster.get("ComputeAction", "once")).toBeReady();
  expect(reboots(world)).toBe(2);
});

it("an action that was allowed again is not sent once more, where a backup from before that is restored", async () => {
  const world = await killed("lostBefore");
  world.restart();
  await world.advance(1_400_000);
  world.crash();
  obey(world, "ComputeAction", "once");
  const { annotations = {} } = world.cluster.get("ComputeAction", "once")?.metadata ?? {};
  world.restart();
  await world.advance(60_000);
  expect(world.cluster.get("ComputeAction", "once")).toBeReady();
  expect(reboots(world)).toBe(2);
  world.cluster.delete("ComputeAction", "once");
  await world.advance(60_000);
  world.cluster.create("ComputeAction", "once", reboot, { annotations });
  await world.advance(1_400_000);
  expect(reboots(world)).toBe(2);
  expect(stateOf(world, "ComputeAction", "once")).toBe("OperationUncertain");
  obey(world, "ComputeAction", "once");
  await world.advance(60_000);
  expect(world.cluster.get("ComputeAction", "once")).toBeReady();
  expect(reboots(world)).toBe(3);
});

function eventsOf({ cloud }: World): JsonObject[] {
  return (cloud.settings as unknown as { events: JsonObject[] }).events;
}

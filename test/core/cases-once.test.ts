/** What runs once: no crash, edit or lost record has its request sent twice. */
import { expect, it } from "vitest";
import { intentAnnotation } from "../../src/core/claim/intent.ts";
import { resources } from "../world/cluster.ts";
import { createWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { changes, madeMs, messageOf, specs, stateOf } from "./situations.ts";

it("an action that is done is not repeated where somebody takes status.run away", async () => {
  const world = await withAction();
  expect(stateOf(world, "ComputeAction", "once")).toBe("Ready");
  forgeStatus(world, { run: null });
  world.restart();
  await world.advance(1_400_000);
  expect(reboots(world)).toBe(1);
});

it("an action is not repeated where somebody takes status and intent away", async () => {
  const world = await withAction();
  forgeStatus(world, { run: null, operations: null });
  world.cluster.annotate("ComputeAction", "once", { [intentAnnotation]: null });
  world.restart();
  await world.advance(1_400_000);
  expect(reboots(world)).toBe(1);
});

it("an action is not repeated where somebody takes the intent away, and status.run besides", async () => {
  const world = await withAction();
  forgeStatus(world, { run: null });
  world.cluster.annotate("ComputeAction", "once", { [intentAnnotation]: null });
  world.restart();
  await world.advance(1_400_000);
  expect(reboots(world)).toBe(1);
});

it("a request without a clear response is not repeated where somebody says in the status that it is settled", async () => {
  const world = await withInstance();
  world.cloud.fault({ kind: "lostAfter", method: "POST", path: /reboot/ });
  run(world);
  await world.advance(5_000);
  const { operations: [one] = [] } = (world.cluster.get("ComputeAction", "once")?.status ?? {}) as {
    operations?: object[];
  };
  forgeStatus(world, { operations: [{ ...one, settled: true }] });
  await world.advance(1_400_000);
  expect(reboots(world)).toBe(1);
});

it.each(["busy", "unreachable", "unauthorized"] as const)(
  "%s: what was certainly refused is sent again, also after a restart",
  async (kind) => {
    const world = await withInstance();
    world.cloud.fault({ kind, method: "POST", path: /reboot/, times: 2 });
    run(world);
    await world.advance(300);
    world.restart();
    await world.advance(700_000);
    expect(stateOf(world, "ComputeAction", "once")).toBe("Ready");
  },
);

it("no crash has it sent twice", async () => {
  for (let steps = 0; steps < 60; steps += 3) {
    const world = await withInstance();
    run(world);
    world.crashAfter(steps);
    await world.advance(60_000);
    if (world.processes().length > 0) break;
    world.restart();
    await world.advance(700_000);
    expect(reboots(world), `${steps}`).toBeLessThanOrEqual(1);
    const state = stateOf(world, "ComputeAction", "once");
    expect(["Ready", "OperationUncertain"], `${steps} ${messageOf(world, "ComputeAction", "once")}`).toContain(state);
  }
});

it("two operators send it once, and do not write in turns how far it is", async () => {
  const world = await withInstance();
  world.secondOperator();
  await world.advance(60_000);
  run(world);
  const before = world.cluster.writes().length;
  await world.advance(1_000);
  expect(world.cluster.writes().length - before).toBeLessThan(20);
  expect(reboots(world)).toBe(1);
});

it("what became of a request is not judged by the instance that replaces its own", async () => {
  const world = await withInstance();
  world.cloud.fault({ kind: "lostBefore", method: "POST", path: /shutdown/ });
  world.cluster.create("ComputeAction", "once", { instanceRef: { name: "vm" }, action: "Shutdown" });
  await world.advance(1_000);
  world.cluster.delete("ComputeInstance", "vm");
  await world.advance(60_000);
  world.cluster.create("ComputeInstance", "vm", { ...specs.ComputeInstance, powerState: "Offline" });
  await world.advance(1_400_000);
  expect(stateOf(world, "ComputeInstance", "vm")).toBe("Ready");
  expect(stateOf(world, "ComputeAction", "once")).toBe("OperationUncertain");
});

async function withInstance(): Promise<World> {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "vm", specs.ComputeInstance);
  await world.advance(madeMs);
  return world;
}

function run(world: World): void {
  world.cluster.create("ComputeAction", "once", { instanceRef: { name: "vm" }, action: "Reboot" });
}

async function withAction(): Promise<World> {
  const world = await withInstance();
  run(world);
  await world.advance(60_000);
  return world;
}

function reboots(world: World): number {
  return changes(world).filter((one) => one.includes("/reboot")).length;
}

function forgeStatus({ cluster }: World, status: object): void {
  cluster.objects.patch(resources.get("ComputeAction")!, { namespace: "default", name: "once" }, { status }, "status");
}

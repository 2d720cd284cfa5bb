/** What runs once: no crash, edit or lost record has its request sent twice. */
import { journalAnnotation } from "../../../src/core/kind/annotations.ts";
import { describe, expect, it } from "vitest";
import { resources } from "../../../src/twin/definitions.ts";
import { forgedRecord } from "../../world/record.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, madeMs, messageOf, obey, paths, specs, stateOf } from "../support.ts";

it("an action that is done is not repeated where somebody takes the run away", async () => {
  const world = await withAction();
  expect(world.cluster.get("ComputeAction", "once")).toBeReady();
  forgeStatus(world, { run: null, record: null });
  world.restart();
  await world.advance(1_400_000);
  expect(reboots(world)).toBe(1);
});

describe("an action with ttlSecondsAfterFinished", () => {
  const ending = async (more: object = {}): Promise<World> => {
    const world = await withAction();
    world.cluster.patch("ComputeAction", "once", { spec: { ttlSecondsAfterFinished: 3_600, ...more } });
    await world.advance(3_000_000);
    expect(world.cluster.get("ComputeAction", "once")).toBeReady();
    await world.advance(1_000_000);
    return world;
  };

  it("goes when that has passed since its end, and its instance stays", async () => {
    const world = await ending();
    expect(world.cluster.get("ComputeAction", "once")).toBeUndefined();
    expect(world.cluster.get("ComputeInstance", "vm")).toBeReady();
    expect(reboots(world)).toBe(1);
  });

  it("goes in time, also where no watch tells of its last status, which the answer to its write has shown", async () => {
    const world = createWorld();
    // It has no object, whose changes would wake the action.
    const { id } = world.cloud.add("/compute/instances", { ...specs.ComputeInstance, label: "vm", status: "running" });
    const spec = { instanceRef: { id }, action: "Reboot", ttlSecondsAfterFinished: 0 };
    world.cluster.create("ComputeAction", "once", spec);
    await world.advance(1_000);
    world.cluster.watch.held = true;
    await world.advance(60_000);
    expect(reboots(world)).toBe(1);
    expect(world.cluster.get("ComputeAction", "once")).toBeUndefined();
  });

  it("stays where it is protected", async () => {
    const world = await ending({ management: { protect: true } });
    expect(world.cluster.get("ComputeAction", "once")).toBeReady();
  });

  it("stays where its spec is refused: what never ran has no end", async () => {
    const world = await withInstance();
    world.cluster.create("ComputeAction", "once", {
      instanceRef: { name: "vm" },
      action: "DeleteNothing",
      ttlSecondsAfterFinished: 60,
    });
    await world.advance(120_000);
    expect(world.cluster.get("ComputeAction", "once")).toBeDefined();
  });
});

it.each([
  { action: "Boot", powerState: "Running" },
  { action: "Shutdown", powerState: "Offline" },
])("$action of an instance that is so already is complete, and sends nothing", async ({ action, powerState }) => {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "vm", { ...specs.ComputeInstance, powerState });
  await world.advance(600_000);
  world.cluster.patch("ComputeInstance", "vm", { spec: { powerState: null } });
  await world.advance(60_000);
  const since = world.cloud.ledger().length;
  world.cluster.create("ComputeAction", "once", { instanceRef: { name: "vm" }, action });
  await world.advance(60_000);
  expect(stateOf(world, "ComputeAction", "once"), messageOf(world, "ComputeAction", "once")).toBe("Ready");
  expect(changes(world, since)).toEqual([]);
});

it("an action is not repeated where somebody takes status and entry away", async () => {
  const world = await withAction();
  forgeStatus(world, { conditions: null, run: null, record: null });
  world.cluster.annotate("ComputeAction", "once", { [journalAnnotation]: null });
  world.restart();
  await world.advance(1_400_000);
  expect(reboots(world)).toBe(1);
});

it("an action is not repeated where somebody takes the entry away, and the run besides", async () => {
  const world = await withAction();
  forgeStatus(world, { run: null, record: null });
  world.cluster.annotate("ComputeAction", "once", { [journalAnnotation]: null });
  world.restart();
  await world.advance(1_400_000);
  expect(reboots(world)).toBe(1);
});

it("a request without a clear response is not repeated where somebody says in the status that nothing was begun", async () => {
  const world = await withInstance();
  world.cloud.fault({ kind: "lostBefore", method: "POST", path: /reboot/ });
  run(world);
  await world.advance(5_000);
  forgeStatus(world, {
    run: null,
    record: forgedRecord(world.cluster.get("ComputeAction", "once"), {
      run: null,
      operations: [{ id: "0", action: "Reboot", time: "2026-01-01T00:00:00Z", settled: true }],
    }),
  });
  await world.advance(1_400_000);
  expect(stateOf(world, "ComputeAction", "once")).toBe("OperationUncertain");
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
    expect(world.cluster.get("ComputeAction", "once")).toBeReady();
  },
);

it.each([
  { kind: "busy", why: "a job that its row does not show" },
  { kind: "unreachable", why: "no connection" },
  { kind: "unauthorized", why: "a token that is doubted" },
] as const)(
  "what is refused for long ($why) is asked for at growing intervals, and runs once that is over",
  async ({ kind }) => {
    const world = await withInstance();
    const fault = { kind, method: "POST", path: /reboot/, times: 100_000 } as const;
    world.cloud.fault(fault);
    run(world);
    const asked = (): number => world.cloud.ledger().filter(({ path }) => path.endsWith("/reboot")).length;
    await world.advance(120_000);
    const first = asked();
    expect(first, messageOf(world, "ComputeAction", "once")).toBeLessThan(10);
    await world.advance(1_200_000);
    expect(asked() - first).toBeLessThan(30);
    world.cloud.clearFaults();
    await world.advance(400_000);
    expect(world.cluster.get("ComputeAction", "once")).toBeReady();
  },
);

it.each(Array.from({ length: 20 }, (_, index) => index * 3))(
  "no crash has it sent twice: at its call %i",
  async (steps) => {
    const world = await withInstance();
    run(world);
    world.crashAfter(steps);
    await world.advance(60_000);
    if (world.processes().length === 0) world.restart();
    await world.advance(700_000);
    expect(reboots(world)).toBeLessThanOrEqual(1);
    const state = stateOf(world, "ComputeAction", "once");
    expect(["Ready", "OperationUncertain"], messageOf(world, "ComputeAction", "once")).toContain(state);
  },
);

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

it.each([3, 4, 5, 6])("two operators carry it out once, after it was refused %i times", async (times) => {
  const world = await withInstance();
  world.secondOperator();
  await world.advance(60_000);
  world.cloud.fault({ kind: "busy", method: "POST", path: /reboot/, times });
  run(world);
  await world.advance(700_000);
  expect(world.cluster.get("ComputeAction", "once")).toBeReady();
  expect(reboots(world)).toBe(times + 1);
});

it("two operators are silent for an hour after the run has ended", async () => {
  const world = await withInstance();
  world.secondOperator();
  await world.advance(60_000);
  run(world);
  const before = world.cluster.writes().length;
  await world.advance(120_000);
  expect(world.cluster.get("ComputeAction", "once")).toBeReady();
  expect(world.cluster.get("ComputeInstance", "vm")).toBeReady();
  const written = world.cluster.writes().length;
  expect(written - before).toBeLessThan(40);
  await world.advance(3_600_000);
  expect(world.cluster.writes().slice(written)).toEqual([]);
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
  expect(world.cluster.get("ComputeInstance", "vm")).toBeReady();
  expect(stateOf(world, "ComputeAction", "once")).toBe("Failed");
});

describe("an accepted request", () => {
  const shutDown = (world: World): void =>
    void world.cluster.create("ComputeAction", "once", { instanceRef: { name: "vm" }, action: "Shutdown" });

  it("is complete when the row shows its result, and not before", async () => {
    const world = await withInstance();
    world.cloud.settings.beginMs = 60_000;
    shutDown(world);
    await world.advance(60_000);
    expect(stateOf(world, "ComputeAction", "once")).toBe("Running");
    await world.advance(60_000);
    expect(world.cluster.get("ComputeAction", "once")).toBeReady();
    expect(changes(world).filter((one) => one.includes("/shutdown"))).toHaveLength(1);
  });

  it.each([
    { status: "finished", state: "Ready", reason: "somebody has booted it since" },
    { status: "notification", state: "Ready", reason: "what is done at once has no job that would finish" },
    { status: "failed", state: "Failed", reason: "it is not done, and is not sent again" },
  ])("whose event says $status ends so, whatever the row shows: $reason", async ({ status, state }) => {
    const world = await withInstance();
    world.cloud.settings.beginMs = 3_600_000;
    shutDown(world);
    await world.advance(10_000);
    expect(stateOf(world, "ComputeAction", "once")).toBe("Running");
    const told = world.cloud.events().findLast(({ action }) => action === "compute_shutdown");
    Object.assign(told!, { status });
    await world.advance(60_000);
    expect(stateOf(world, "ComputeAction", "once")).toBe(state);
    expect(changes(world).filter((one) => one.includes("/shutdown"))).toHaveLength(1);
  });
});

describe("an older signed entry that somebody puts back, without a status", () => {
  const spec = { instanceRef: { name: "vm" }, action: "Shutdown" };

  /** The record says that nothing came of the first request; the second was carried out, and somebody has booted it since. */
  async function putBack(more: object): Promise<World> {
    const world = await withInstance();
    world.cloud.fault({ kind: "busy", method: "POST", path: /shutdown/ });
    world.cluster.create("ComputeAction", "once", { ...spec, ...more });
    await world.advance(60_000);
    expect(world.cluster.get("ComputeAction", "once")).toBeReady();
    world.crash();
    const older = entriesIn(world).find((entry) => entry.includes('"operations":[]'));
    expect(older).toBeDefined();
    world.cloud.change(paths.ComputeInstance, "1001", { status: "running" });
    forgeStatus(world, { run: null, record: null, conditions: null });
    world.cluster.annotate("ComputeAction", "once", { [journalAnnotation]: older ?? "" });
    return world;
  }

  it("has nothing sent where the cloud tells of it, until a person allows it", async () => {
    const world = await putBack({});
    const before = changes(world);
    world.restart();
    await world.advance(1_400_000);
    expect(changes(world)).toEqual(before);
    expect(stateOf(world, "ComputeAction", "once")).toBe("OperationUncertain");
    obey(world, "ComputeAction", "once");
    await world.advance(60_000);
    expect(world.cluster.get("ComputeAction", "once")).toBeReady();
    expect(changes(world)).toHaveLength(before.length + 1);
  });

  it("has nothing sent after its time, where the token may not read events either", async () => {
    const world = await putBack({ notAfter: "2026-01-01T00:30:00Z" });
    const before = changes(world);
    await world.advance(1_800_000);
    world.cloud.fault({ kind: "unauthorized", path: /events/, times: 1_000 });
    world.restart();
    await world.advance(1_400_000);
    expect(changes(world)).toEqual(before);
    expect(stateOf(world, "ComputeAction", "once")).toBe("Expired");
  });

  it("has nothing sent where it names a request that was begun", async () => {
    const world = await withInstance();
    run(world);
    await world.advance(60_000);
    world.crash();
    forgeStatus(world, { run: null, record: null, conditions: null });
    world.cluster.annotate("ComputeAction", "once", { [journalAnnotation]: entriesIn(world)[0] ?? "" });
    world.restart();
    await world.advance(1_400_000);
    expect(reboots(world)).toBe(1);
  });
});

describe("an action whose instance is deleted while it runs", () => {
  it("has failed, where the cloud ended it", async () => {
    const world = await withInstance();
    run(world);
    await world.advance(1_000);
    world.cluster.delete("ComputeInstance", "vm");
    await world.advance(60_000);
    expect(world.cluster.get("ComputeInstance", "vm")).toBeUndefined();
    expect(stateOf(world, "ComputeAction", "once")).toBe("Failed");
    expect(messageOf(world, "ComputeAction", "once")).toContain("1001 no longer exists");
    expect(reboots(world)).toBe(1);
  });

  it("is complete, where an event says that it finished before", async () => {
    const world = await withInstance();
    run(world);
    await world.advance(1_000);
    world.crash();
    await world.advance(60_000);
    world.cloud.remove(paths.ComputeInstance, "1001");
    world.restart();
    await world.advance(60_000);
    expect(world.cluster.get("ComputeAction", "once")).toBeReady();
    expect(reboots(world)).toBe(1);
  });

  it("has failed, where the token may not read events", async () => {
    const world = await withInstance();
    run(world);
    await world.advance(1_000);
    world.cloud.fault({ kind: "unauthorized", path: /events/, times: 1_000 });
    world.cluster.delete("ComputeInstance", "vm");
    await world.advance(60_000);
    expect(stateOf(world, "ComputeAction", "once")).toBe("Failed");
    expect(messageOf(world, "ComputeAction", "once")).toContain("no event");
  });

  it("has failed, where its request got no response, and is not sent to the instance that replaces it", async () => {
    const world = await withInstance();
    world.cloud.fault({ kind: "lostBefore", method: "POST", path: /reboot/ });
    world.cluster.patch("ComputeInstance", "vm", { spec: { management: { missingPolicy: "Recreate" } } });
    run(world);
    await world.advance(1_000);
    world.crash();
    world.cloud.remove(paths.ComputeInstance, "1001");
    world.restart();
    await world.advance(1_400_000);
    expect(world.cluster.get("ComputeInstance", "vm")).toBeReady();
    expect(stateOf(world, "ComputeAction", "once")).toBe("Failed");
    expect(reboots(world)).toBe(1);
  });
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

/** The journal entries that were stored on the action, in order. */
function entriesIn({ cluster }: World): string[] {
  return cluster.writes().flatMap(({ resource, body = {} }) => {
    const { annotations } = (body as { metadata?: { annotations?: Record<string, string> } }).metadata ?? {};
    return (resource === "computeactions" && annotations?.[journalAnnotation]) || [];
  });
}

function reboots(world: World): number {
  return changes(world).filter((one) => one.includes("/reboot")).length;
}

function forgeStatus({ cluster }: World, status: object): void {
  cluster.objects.patch(resources.get("ComputeAction")!, { namespace: "default", name: "once" }, { status }, "status");
}

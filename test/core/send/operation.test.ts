/** What destroys when it is repeated is sent once, whatever becomes of its answer. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { recordOf } from "../../world/record.ts";
import type { World, WorldOptions } from "../../world/world.ts";
import { begin, calm, create, follow, forgeRecord, left, minutes, restore, stateOf, storeStatus } from "../support.ts";

const sized = { type: "g6-standard-2", allowDisruption: ["Resize"] };

interface Operation {
  what: string;
  path: RegExp;
  change: object;
  /** What the instance shows when it was done. */
  shown: JsonObject;
  start?: object;
}

const operations: Operation[] = [
  { what: "a resize", path: /\/resize$/, change: sized, shown: { type: "g6-standard-2" } },
  {
    what: "a migration",
    path: /\/migrate$/,
    change: { region: "us-west", allowDisruption: ["Migrate"] },
    shown: { region: "us-west" },
  },
  {
    what: "a rebuild",
    path: /\/rebuild$/,
    change: { image: "compute/debian13", allowDisruption: ["Rebuild"] },
    shown: { image: "compute/debian13" },
  },
  {
    what: "cancelling backups",
    path: /\/backups\/cancel$/,
    start: { backups: { enabled: true } },
    change: { backups: { enabled: false } },
    shown: { backups: { enabled: false } },
  },
];

async function running({ start = {} }: Partial<Operation> = {}, options: WorldOptions = {}): Promise<World> {
  const world = await begin(options);
  create(world, "ComputeInstance", "web", start);
  await world.advance(minutes(3));
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  return world;
}

function ask({ cluster }: World, { change }: Operation): void {
  cluster.patch("ComputeInstance", "web", { spec: change });
}

function sent({ cloud }: World, { path }: Operation): number {
  return cloud.ledger().filter((entry) => entry.method === "POST" && path.test(entry.path)).length;
}

function isDone(world: World, { shown }: Operation): void {
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  expect(left(world)).toMatchObject([{ fields: shown }]);
}

describe.each(operations)("$what", (operation) => {
  const { path } = operation;

  it.each([
    { kind: "lostAfter", because: "the answer is lost" },
    { kind: "lateApply", because: "the answer is lost, and it is done 6 s later" },
    { kind: "html502After", because: "a gateway answers instead" },
  ] as const)("is sent once: $because", async ({ kind }) => {
    const world = await running(operation);
    world.cloud.fault({ kind, method: "POST", path, ms: 6_000 });
    ask(world, operation);
    await world.advance(minutes(20));
    isDone(world, operation);
    expect(sent(world, operation)).toBe(1);
  });

  it.each(["lostAfter", "lateApply"] as const)("is sent once, also across a restart: %s", async (kind) => {
    for (const afterMs of [0, 100, 3_000, 8_000]) {
      const world = await running(operation);
      world.cloud.fault({ kind, method: "POST", path, ms: 6_000 });
      ask(world, operation);
      await world.advance(afterMs);
      world.restart();
      await world.advance(minutes(20));
      isDone(world, operation);
      expect(sent(world, operation)).toBe(1);
    }
  });

  it.each(Array.from({ length: 40 }, (_, steps) => steps))(
    "is sent at most once when the process goes at its call %i",
    async (steps) => {
      const world = await running(operation);
      world.crashAfter(steps);
      ask(world, operation);
      await world.advance(minutes(2));
      if (world.processes().length === 0) world.restart();
      await world.advance(minutes(15));
      expect(sent(world, operation)).toBeLessThanOrEqual(1);
      const uncertain = stateOf(world, "ComputeInstance", "web") === "OperationUncertain";
      if (!uncertain) isDone(world, operation);
      else expect(world.cloud.ledger().some((entry) => path.test(entry.path) && entry.applied)).toBe(false);
    },
  );

  it.each([false, true])(
    "that never arrived waits for people, and runs when they allow it; restart: %s",
    async (restart) => {
      const world = await running(operation);
      world.cloud.fault({ kind: "lostBefore", method: "POST", path });
      ask(world, operation);
      await world.advance(minutes(5));
      expect(stateOf(world, "ComputeInstance", "web")).not.toBe("Ready");
      if (restart) world.restart();
      await world.advance(minutes(20));
      expect(stateOf(world, "ComputeInstance", "web")).toBe("OperationUncertain");
      expect(sent(world, operation)).toBe(1);
      follow(world, "ComputeInstance", "web", "retry-operation");
      await world.advance(minutes(4));
      isDone(world, operation);
      expect(sent(world, operation)).toBe(2);
    },
  );

  it("that never arrived is over when the instance shows that somebody else has done it", async () => {
    const world = await running(operation);
    world.cloud.fault({ kind: "lostBefore", method: "POST", path });
    ask(world, operation);
    await world.advance(minutes(20));
    const [row] = left(world);
    world.cloud.change("/compute/instances", row?.id ?? "", operation.shown);
    await world.advance(minutes(3));
    isDone(world, operation);
    expect(sent(world, operation)).toBe(1);
  });

  it("that is allowed once is not repeated under the same annotation", async () => {
    const world = await running(operation);
    world.cloud.fault({ kind: "lostBefore", method: "POST", path, times: 2 });
    ask(world, operation);
    await world.advance(minutes(20));
    follow(world, "ComputeInstance", "web", "retry-operation");
    await world.advance(minutes(20));
    expect(stateOf(world, "ComputeInstance", "web")).toBe("OperationUncertain");
    expect(sent(world, operation)).toBe(2);
  });

  it("that was refused for the moment is sent again", async () => {
    const world = await running(operation);
    world.cloud.fault({ kind: "busy", method: "POST", path });
    ask(world, operation);
    await world.advance(minutes(5));
    isDone(world, operation);
    expect(sent(world, operation)).toBe(2);
  });

  it("is not sent where the object changes its mind just before", async () => {
    const world = await running(operation);
    const before = world.cluster.get("ComputeInstance", "web")?.spec as object;
    world.cluster.watch.held = true;
    ask(world, operation);
    // The cache is told of the wish; that it was taken back comes later.
    world.cluster.releaseWatches("each");
    const withdrawn = Object.fromEntries(Object.keys(operation.change).map((field) => [field, null]));
    world.cluster.patch("ComputeInstance", "web", { spec: { ...withdrawn, ...before } });
    await world.advance(minutes(1));
    world.cluster.watch.held = false;
    world.cluster.releaseWatches("each");
    await world.advance(minutes(3));
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(sent(world, operation)).toBe(0);
  });
});

/** Those whose values the instance shows. */
const applying = operations.filter(({ shown }) => !("backups" in shown));

/** Seconds at which the object was Ready beside another value than the spec's. */
async function readyTooEarly(world: World, { shown }: Operation, seconds: number): Promise<number[]> {
  const wrong: number[] = [];
  const [[field, value] = []] = Object.entries(shown);
  for (let second = 0; second < seconds; second += 1) {
    await world.advance(1_000);
    const object = world.cluster.get("ComputeInstance", "web");
    const told = object?.status?.["observedGeneration"] === object?.metadata.generation;
    const asDesired = left(world)[0]?.fields[field ?? ""] === value;
    if (told && stateOf(world, "ComputeInstance", "web") === "Ready" && !asDesired) wrong.push(second);
  }
  return wrong;
}

describe.each(applying)("$what leaves no object Ready beside another value", (operation) => {
  const { path } = operation;

  it.each([false, true])("while it is retried, with rare lists; restart: %s", async (restart) => {
    const world = await running(operation, calm);
    world.cloud.fault({ kind: "lostBefore", method: "POST", path });
    ask(world, operation);
    await world.advance(minutes(20));
    if (restart) world.restart();
    await world.advance(minutes(1));
    follow(world, "ComputeInstance", "web", "retry-operation");
    expect(await readyTooEarly(world, operation, 120)).toEqual([]);
    isDone(world, operation);
  });

  it("where something in between answered instead of the cloud: it waits for people", async () => {
    const world = await running(operation);
    world.cloud.fault({ kind: "empty", method: "POST", path });
    ask(world, operation);
    expect(await readyTooEarly(world, operation, 60)).toEqual([]);
    await world.advance(minutes(12));
    expect(stateOf(world, "ComputeInstance", "web")).toBe("OperationUncertain");
    expect(sent(world, operation)).toBe(1);
    follow(world, "ComputeInstance", "web", "retry-operation");
    await world.advance(minutes(5));
    isDone(world, operation);
    expect(sent(world, operation)).toBe(2);
  });

  it.each([
    { kind: "slow", because: "it was accepted" },
    { kind: "lateApply", because: "its answer was lost" },
  ] as const)("where the spec takes it back while it runs, and $because: it is undone", async ({ kind }) => {
    const world = await running(operation);
    const before = world.cluster.get("ComputeInstance", "web")?.spec as Record<string, string>;
    const [[field] = [""]] = Object.entries(operation.shown);
    world.cloud.fault({ kind, method: "POST", path, ms: 6_000 });
    ask(world, operation);
    await world.advance(2_000);
    world.cluster.patch("ComputeInstance", "web", { spec: { [field]: before[field] } });
    await world.advance(minutes(15));
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(left(world)).toMatchObject([{ fields: { [field]: before[field], status: "running" } }]);
    expect(sent(world, operation)).toBe(2);
  });
});

describe.each([
  { first: operations[2]!, second: operations[0]!, why: "a rebuild, then a resize" },
  { first: operations[3]!, second: operations[0]!, why: "cancelling backups, then a resize" },
  { first: operations[0]!, second: operations[2]!, why: "a resize, then a rebuild" },
])("of which nothing is known: $why", ({ first, second }) => {
  const both = { allowDisruption: ["Resize", "Rebuild"] };

  it("the first is not sent again by itself, whatever is done meanwhile", async () => {
    const world = await running(first);
    world.cloud.fault({ kind: "lostBefore", method: "POST", path: first.path });
    world.cluster.patch("ComputeInstance", "web", { spec: { ...first.change, ...both } });
    await world.advance(minutes(12));
    expect(stateOf(world, "ComputeInstance", "web")).toBe("OperationUncertain");
    world.cluster.patch("ComputeInstance", "web", { spec: { ...second.change, ...both } });
    await world.advance(minutes(30));
    world.restart();
    await world.advance(minutes(30));
    expect(stateOf(world, "ComputeInstance", "web")).toBe("OperationUncertain");
    expect(sent(world, first)).toBe(1);
    expect(sent(world, second)).toBeLessThanOrEqual(1);
  });
});

describe.each(operations)("$what without a response", (operation) => {
  const lost = async (): Promise<World> => {
    const world = await running(operation);
    world.cloud.fault({ kind: "lostBefore", method: "POST", path: operation.path });
    ask(world, operation);
    await world.advance(minutes(12));
    expect(stateOf(world, "ComputeInstance", "web")).toBe("OperationUncertain");
    return world;
  };

  it("is not sent again where a backup without status brings the object back", async () => {
    const world = await lost();
    world.crash();
    restore(world, "ComputeInstance", "web");
    world.restart();
    await world.advance(minutes(40));
    expect(sent(world, operation)).toBe(1);
    expect(stateOf(world, "ComputeInstance", "web")).toBe("OperationUncertain");
  });

  it("nor where somebody takes it out of the status", async () => {
    const world = await lost();
    world.crash();
    storeStatus(world, "ComputeInstance", "web", { record: null });
    world.restart();
    await world.advance(minutes(40));
    expect(sent(world, operation)).toBe(1);
    expect(stateOf(world, "ComputeInstance", "web")).toBe("OperationUncertain");
  });
});

describe.each(operations)("what somebody writes into the status has $what sent no second time", (operation) => {
  it.each([false, true])("that it is settled, where it is uncertain; restart: %s", async (restart) => {
    const world = await running(operation);
    world.cloud.fault({ kind: "lostBefore", method: "POST", path: operation.path });
    ask(world, operation);
    await world.advance(minutes(12));
    const { operations: open = [] } = recordOf(world.cluster.get("ComputeInstance", "web"));
    const settled = open.map((one) => Object.assign(structuredClone(one), { settled: true }));
    expect(settled).toHaveLength(1);
    if (restart) world.crash();
    forgeRecord(world, "ComputeInstance", "web", { operations: settled });
    if (restart) world.restart();
    await world.advance(minutes(40));
    expect(sent(world, operation)).toBe(1);
  });

  it.each([false, true])(
    "that it was not applied, where it is done and undone by hand; restart: %s",
    async (restart) => {
      const world = await running(operation);
      const { applied } = recordOf(world.cluster.get("ComputeInstance", "web"));
      const before = structuredClone(left(world)[0]?.fields ?? {});
      ask(world, operation);
      await world.advance(minutes(5));
      isDone(world, operation);
      if (restart) world.crash();
      world.cloud.change("/compute/instances", left(world)[0]?.id ?? "", before);
      forgeRecord(world, "ComputeInstance", "web", { applied });
      if (restart) world.restart();
      await world.advance(minutes(40));
      expect(sent(world, operation)).toBe(1);
    },
  );
});

it("a restored instance without a status has nothing disrupted that its spec did not ask for since", async () => {
  const world = await running(operations[0]);
  ask(world, operations[0]!);
  await world.advance(minutes(5));
  world.crash();
  restore(world, "ComputeInstance", "web");
  world.cloud.change("/compute/instances", left(world)[0]?.id ?? "", { region: "us-west" });
  world.cluster.patch("ComputeInstance", "web", { spec: { allowDisruption: ["Resize", "Migrate", "Rebuild"] } });
  world.restart();
  await world.advance(minutes(40));
  expect(sent(world, operations[1]!)).toBe(0);
  expect(sent(world, operations[0]!)).toBe(1);
});

describe("an instance that something else was put in place of", () => {
  it.each(operations)("gets no operation: $what", async (operation) => {
    const world = await running(operation);
    const [row] = left(world);
    world.cloud.replace("/compute/instances", row?.id ?? "", { ...row?.fields, created: "2026-01-01T00:02:00" });
    ask(world, operation);
    await world.advance(minutes(5));
    expect(stateOf(world, "ComputeInstance", "web")).toBe("Conflict");
    expect(sent(world, operation)).toBe(0);
  });
});

describe("a resize that is asked for while the creation is uncertain", () => {
  it.each(["lostAfter", "lateApply"] as const)("is done once the instance is found: %s", async (kind) => {
    const world = await begin();
    world.cloud.fault({ kind, method: "POST", ms: 6_000 });
    create(world, "ComputeInstance", "web");
    await world.advance(500);
    world.cluster.patch("ComputeInstance", "web", { spec: sized });
    await world.advance(minutes(15));
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(left(world)).toMatchObject([{ fields: { type: "g6-standard-2" } }]);
    expect(sent(world, operations[0]!)).toBe(1);
  });

  it("is done also after a restart", async () => {
    const world = await begin();
    world.cloud.fault({ kind: "lateApply", method: "POST", ms: 6_000 });
    create(world, "ComputeInstance", "web");
    await world.advance(500);
    world.cluster.patch("ComputeInstance", "web", { spec: sized });
    world.restart();
    await world.advance(minutes(15));
    isDone(world, operations[0]!);
  });
});

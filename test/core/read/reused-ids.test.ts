/** Ids that the service gives to something else while an action waits for what its spec names by id, or before it is sent again. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, follow, idOf, madeMs, messageOf, paths, specs, stateOf } from "../support.ts";

const minute = 60_000;
const list = paths.ComputeInstance;
const notAfter = "2099-01-01T00:00:00Z";
const machine = { label: "first", region: "us-east", type: "g6-standard-1", status: "running" };

/** An id that a stranger's instance has from now on, created by the cloud's clock of now. */
function reuse(world: World, id: string): void {
  world.cloud.replace(list, id, { ...machine, label: "strangers" });
}

function idIn(world: World, label: string): string {
  return world.cloud.history().find((row) => row.fields["label"] === label && !row.removed)!.id;
}

async function withTwo(): Promise<{ world: World; source: string; target: string }> {
  const world = createWorld();
  for (const label of ["first", "second"]) world.cloud.add(list, { ...machine, label });
  await world.advance(minute);
  return { world, source: idIn(world, "first"), target: idIn(world, "second") };
}

describe("an action on what its spec names by id, that waits while the instance is busy", () => {
  it.each([false, true])("is not done to what has the id when that is over; restart: %s", async (restart) => {
    const { world, source } = await withTwo();
    world.cloud.change(list, source, { status: "rebooting" });
    const spec = { instanceRef: { id: source }, action: "Rebuild", image: "compute/debian12", notAfter };
    world.cluster.secret("password", { password: "Very-l0ng-and-secret" });
    // A process that created nothing knows nothing of the clocks.
    world.cluster.create("ComputeInstance", "any", specs.ComputeInstance);
    await world.advance(2 * minute);
    world.cluster.create("ComputeAction", "again", { ...spec, passwordSecretRef: { name: "password" } });
    await world.advance(10 * minute);
    expect(stateOf(world, "ComputeAction", "again"), messageOf(world, "ComputeAction", "again")).toBe("Busy");
    const since = world.cloud.ledger().length;
    if (restart) {
      world.restart();
      world.cluster.create("ComputeInstance", "other", specs.ComputeInstance);
      await world.advance(2 * minute);
    }
    reuse(world, source);
    await world.advance(10 * minute);
    expect(changes(world, since).filter((one) => one.includes(source))).toEqual([]);
    const says = messageOf(world, "ComputeAction", "again");
    expect(says).toContain(`spec.instanceRef.id: ComputeInstance ${source} is now a different cloud object`);
    expect(says).toContain("Create a new object");
  });

  it("is done once that is over, where the id means the same", async () => {
    const { world, source } = await withTwo();
    world.cloud.change(list, source, { status: "rebooting" });
    world.cluster.create("ComputeAction", "again", { instanceRef: { id: source }, action: "Shutdown" });
    await world.advance(2 * minute);
    world.cloud.change(list, source, { status: "running" });
    await world.advance(5 * minute);
    expect(changes(world)).toEqual([`POST ${list}/${source}/shutdown`]);
  });
});

it("an action that waits for its Secret while the operator is away is not done to what has the id by then", async () => {
  const { world, source } = await withTwo();
  const spec = { instanceRef: { id: source }, action: "ResetPassword", passwordSecretRef: { name: "late" }, notAfter };
  world.cluster.create("ComputeAction", "reset", spec);
  await world.advance(5 * minute);
  expect(stateOf(world, "ComputeAction", "reset")).toBe("WaitingForSecret");
  world.crash();
  reuse(world, source);
  world.restart();
  await world.advance(minute);
  world.cluster.secret("late", { password: "Very-l0ng-and-secret" });
  await world.advance(10 * minute);
  expect(changes(world)).toEqual([]);
  expect(messageOf(world, "ComputeAction", "reset")).toContain("is now a different cloud object");
});

describe.each([
  { action: "RestoreBackup", more: { backupID: "12", overwrite: true }, field: "restoreToRef" },
  { action: "Clone", more: {}, field: "clone" },
])("$action to an instance by its id, whose request got no response", ({ action, more, field }) => {
  it.each([false, true])("is not sent again to what has that id by then; restart: %s", async (restart) => {
    const { world, source, target } = await withTwo();
    world.cloud.fault({ kind: "lostBefore", method: "POST" });
    const other = field === "clone" ? { clone: { instanceRef: { id: target } } } : { restoreToRef: { id: target } };
    world.cluster.create("ComputeAction", "copy", { instanceRef: { id: source }, action, notAfter, ...more, ...other });
    await world.advance(25 * minute);
    expect(stateOf(world, "ComputeAction", "copy"), messageOf(world, "ComputeAction", "copy")).toBe(
      "OperationUncertain",
    );
    const since = world.cloud.ledger().length;
    if (restart) world.crash();
    reuse(world, target);
    follow(world, "ComputeAction", "copy", "retry-operation");
    if (restart) world.restart();
    await world.advance(10 * minute);
    expect(changes(world, since)).toEqual([]);
    expect(stateOf(world, "ComputeAction", "copy"), messageOf(world, "ComputeAction", "copy")).not.toBe("Ready");
  });
});

it.each([
  { state: "Provisioning", ms: 2_000 },
  { state: "Ready", ms: madeMs },
])(
  "an id that is chosen while it means its own, of an object that is $state, is no consent to what has it next",
  async ({ state, ms }) => {
    const world = createWorld();
    world.cloud.settings.instanceMs = 60_000;
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    await world.advance(ms);
    expect(stateOf(world, "ComputeInstance", "web")).toBe(state);
    const id = idOf(world, "ComputeInstance", "web");
    world.crash();
    world.cluster.patch("ComputeInstance", "web", { spec: { management: { adopt: { id } } } });
    await world.advance(5 * minute);
    reuse(world, id);
    const since = world.cloud.ledger().length;
    world.restart();
    await world.advance(10 * minute);
    expect(changes(world, since)).toEqual([]);
    expect(stateOf(world, "ComputeInstance", "web"), messageOf(world, "ComputeInstance", "web")).toBe("Conflict");
  },
);

it.each(["SSHKey", "Firewall", "ComputeInstance", "ManagedMySQL"] as const)(
  "a row that tells no time, and has got the id of a %s that a process before has deleted, is not deleted",
  async (kind) => {
    const world = createWorld();
    world.cluster.create(kind, "web", specs[kind]);
    await world.advance(madeMs);
    const id = idOf(world, kind, "web");
    const row = world.cloud.find(paths[kind], id)!;
    const { fields } = structuredClone({ fields: row.fields });
    world.cloud.onTouch((entry, touched) => {
      if (entry.method !== "DELETE" || touched.id !== id || touched.removed) return;
      queueMicrotask(() => {
        if (!row.removed) world.cloud.remove(paths[kind], id);
        world.cloud.add(paths[kind], { ...fields, label: "theirs", created: null });
        world.crash();
      });
    });
    world.cluster.delete(kind, "web");
    await world.advance(2_000);
    world.restart();
    await world.advance(600_000);
    expect(world.cloud.rows(paths[kind])).toMatchObject([{ label: "theirs" }]);
    expect(stateOf(world, kind, "web")).toBe("Unreadable");
    follow(world, kind, "web", "orphan");
    await world.advance(minute);
    expect(world.cluster.get(kind, "web")).toBeUndefined();
  },
);

describe("an API server that is slow: between the read and the request the id is given to others", () => {
  const slowMs = [5_000, 500];
  const changes = [
    { what: "deletion", change: undefined },
    { what: "rebuild", change: { spec: { image: "compute/ubuntu24.04" } } },
    { what: "resize", change: { spec: { type: "g6-standard-2" } } },
  ];

  it.each(slowMs.flatMap((ms) => changes.map(({ what, change }) => ({ ms, what, change }))))(
    "$what, $ms ms",
    async ({ ms, change }) => {
      for (const restricted of [false, true]) {
        const world = createWorld();
        world.cloud.user("ada").restricted = restricted;
        world.cloud.settings.latencyMs = 20;
        await world.advance(5_000);
        world.cluster.create("ComputeInstance", "web", {
          ...specs.ComputeInstance,
          allowDisruption: ["Rebuild", "Resize"],
        });
        await world.advance(madeMs);
        const id = idOf(world, "ComputeInstance", "web");
        world.cluster.latency.ms = ms;
        const since = world.cloud.ledger().length;
        if (change) world.cluster.patch("ComputeInstance", "web", change);
        else world.cluster.delete("ComputeInstance", "web");
        const isRead = () =>
          world.cloud
            .ledger()
            .slice(since)
            .some(({ path, status }) => path === `${list}/${id}` && status === 200);
        for (let waited = 0; waited < minute && !isRead(); waited += 10) await world.advance(10);
        await world.advance(ms / 2);
        const { serial } = world.cloud.replace(list, id, { ...machine, label: "strangers" });
        let touched: string | undefined;
        world.cloud.onTouch((entry, row) => {
          if (row.serial === serial && entry.method !== "GET") touched = `${entry.method} ${entry.path}`;
        });
        await world.advance(10 * minute);
        expect(touched).toBeUndefined();
        expect(world.cloud.find(list, id)).toMatchObject({ serial });
      }
    },
  );
});

it("a cloud that is slow has no row read again between the changes of one reconcile", async () => {
  const world = createWorld();
  world.cloud.settings.latencyMs = 150;
  for (const name of ["one", "two", "three", "four"])
    world.cluster.create("ComputeInstance", name, { ...specs.ComputeInstance, label: name });
  world.cluster.create("Firewall", "wall", { ...specs.Firewall, instanceRefs: [] });
  await world.advance(madeMs);
  const path = `${paths.Firewall}/${idOf(world, "Firewall", "wall")}`;
  const since = world.cloud.ledger().length;
  const instanceRefs = ["one", "two", "three", "four"].map((name) => ({ name }));
  world.cluster.patch("Firewall", "wall", { spec: { instanceRefs, label: "renamed" } });
  await world.advance(10_000);
  const reads = world.cloud.ledger().slice(since);
  expect(world.cloud.rows(`${path}/devices`)).toHaveLength(4);
  expect(reads.filter((entry) => entry.method === "GET" && entry.path === path).length).toBeLessThanOrEqual(2);
});

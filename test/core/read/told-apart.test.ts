/** What tells that something is ours, and is of something else: an event of another request, or a row that answers for another. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, changesIn, idOf, madeMs, messageOf, paths, specs, stateOf } from "../support.ts";
import type { CaseKind } from "../support.ts";

const minute = 60_000;
const list = paths.ComputeInstance;
const reset = { action: "ResetPassword", passwordSecretRef: { name: "password" } };

/** An instance that is off, as a reset of its password needs it, and what the cloud has told of it. */
async function withMachine(status = "offline"): Promise<{ world: World; id: string }> {
  const world = createWorld();
  world.cluster.secret("password", { password: "Very-l0ng-and-secret" });
  world.cloud.add(list, { label: "vm", region: "us-east", type: "g6-standard-1", status });
  await world.advance(minute);
  return { world, id: world.cloud.history()[0]!.id };
}

/** What the cloud tells of a password that somebody has reset. */
function tell({ cloud, clock }: World, id: string, username: string): void {
  const { account } = cloud.user("ada");
  const created = clock.date().toISOString().slice(0, 19);
  const what = {
    action: "password_reset",
    status: "notification",
    created,
    entity: { type: "compute", id: Number(id) },
  };
  (cloud.events() as JsonObject[]).push({ id: cloud.events().length + 1, ...what, username, account });
}

describe("an action whose request got no response", () => {
  it("is not complete by the event of another one of this operator: one is sent at a time", async () => {
    const { world, id } = await withMachine("running");
    // The first request that comes is carried out; the next is lost.
    world.cloud.fault({ kind: "slow", method: "POST", path: /reboot$/, ms: 10 });
    world.cloud.fault({ kind: "lostBefore", method: "POST", path: /reboot$/ });
    for (const name of ["first", "second"])
      world.cluster.create("ComputeAction", name, { action: "Reboot", instanceRef: { id } });
    await world.advance(25 * minute);
    const states = ["first", "second"].map((name) => stateOf(world, "ComputeAction", name));
    expect(new Set(states)).toEqual(new Set(["OperationUncertain", "Ready"]));
    expect(changesIn(world.cloud.ledger()).map(({ applied }) => applied)).toEqual([true, false]);
  });

  it("is not complete by what a person did right before it", async () => {
    const { world, id } = await withMachine();
    tell(world, id, "ada");
    world.cloud.fault({ kind: "lostBefore", method: "POST", path: /password$/ });
    world.cluster.create("ComputeAction", "reset", { ...reset, instanceRef: { id } });
    await world.advance(25 * minute);
    expect(stateOf(world, "ComputeAction", "reset"), messageOf(world, "ComputeAction", "reset")).toBe(
      "OperationUncertain",
    );
  });

  it.each([
    { who: "another user", username: "eve", ends: "OperationUncertain" },
    { who: "its own user", username: "ada", ends: "Ready" },
  ])("is told of by an event after it, where that is of $who: $ends", async ({ username, ends }) => {
    const { world, id } = await withMachine();
    world.cloud.fault({ kind: "lostBefore", method: "POST", path: /password$/ });
    world.cluster.create("ComputeAction", "reset", { ...reset, instanceRef: { id } });
    await world.advance(10_000);
    tell(world, id, username);
    await world.advance(25 * minute);
    expect(stateOf(world, "ComputeAction", "reset"), messageOf(world, "ComputeAction", "reset")).toBe(ends);
  });
});

it("an action that was refused for now is not sent to another instance that has the id by then", async () => {
  const { world, id } = await withMachine();
  world.cloud.fault({ kind: "busy", method: "POST", path: /boot$/, times: 3 });
  world.cluster.create("ComputeAction", "boot", { action: "Boot", instanceRef: { id } });
  const isRefused = () => changes(world).length > 0;
  for (let ms = 0; ms < minute && !isRefused(); ms += 50) await world.advance(50);
  world.cloud.replace(list, id, { label: "strangers", region: "us-east", type: "g6-standard-1", status: "offline" });
  const since = world.cloud.ledger().length;
  world.restart();
  await world.advance(25 * minute);
  expect(changes(world, since)).toEqual([]);
  expect(messageOf(world, "ComputeAction", "boot")).toContain("is now a different cloud object");
  const settledAt = world.cloud.ledger().length;
  await world.advance(3_600_000);
  const reads = world.cloud.ledger().slice(settledAt);
  expect(reads.filter(({ path }) => /\/instances\/\d+$/.test(path)).length).toBeLessThan(20);
});

it.each([{ when: "soon after its request", afterMs: 10_000, ends: "Ready" }])(
  "a snapshot that was created $when leaves one whose request got no response: $ends",
  async ({ afterMs, ends }) => {
    const { world, id } = await withMachine("running");
    const { beside } = world.cloud.history()[0]!;
    beside["backups"] = { automatic: [], snapshot: { current: null, in_progress: null } };
    world.cloud.fault({ kind: "lostBefore", method: "POST", path: /backups$/ });
    world.cluster.create("ComputeSnapshot", "nightly", { instanceRef: { id } });
    await world.advance(afterMs);
    const created = world.clock.date().toISOString().slice(0, 19);
    const current = { id: 4001, label: "nightly", status: "successful", type: "snapshot", created };
    beside["backups"] = { automatic: [], snapshot: { current, in_progress: null } };
    await world.advance(25 * minute);
    expect(stateOf(world, "ComputeSnapshot", "nightly"), messageOf(world, "ComputeSnapshot", "nightly")).toBe(ends);
  },
);

describe.each<CaseKind>(["ComputeInstance", "SSHKey", "Domain", "Firewall"])("a creation of a %s", (kind) => {
  it("that is answered with somebody else's row has what was created, and nothing is done to that row", async () => {
    const world = createWorld();
    const others = { ComputeInstance: { region: "eu-west", type: "g6-standard-8" }, Domain: { domain: "others.org" } };
    const fields = { label: "others", ...(kind in others && others[kind as keyof typeof others]) };
    const foreign = world.cloud.add(paths[kind], { ...fields, status: "running" });
    await world.advance(5 * minute);
    const before = structuredClone(foreign.fields);
    world.cloud.fault({ kind: "answersFor", method: "POST", row: foreign });
    world.cluster.create(kind, "web", specs[kind]);
    await world.advance(madeMs);
    expect(stateOf(world, kind, "web"), messageOf(world, kind, "web")).toBe("Ready");
    expect(idOf(world, kind, "web")).not.toBe(foreign.id);
    world.cluster.delete(kind, "web");
    await world.advance(5 * minute);
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(foreign).toMatchObject({ removed: undefined, fields: before });
    expect(world.cloud.rows(paths[kind])).toHaveLength(1);
  });
});

/** Turning backups off deletes them all: it is done because the spec changed, and never because the cloud differs. */
import { describe, expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import { conditionOf } from "../../world/world.ts";
import { recordOf, signedRecord } from "../../world/record.ts";
import type { World } from "../../world/world.ts";
import { begin, create, idOf, instances, minutes, storeStatus } from "../support.ts";

const on = { enabled: true, available: true, schedule: { day: "Sunday", window: "W4" } };
const remedy = "set spec.backups.enabled to true, and to false once that is Ready";

function cancelled({ cloud }: World): number {
  return cloud.ledger().filter(({ method, path }) => method === "POST" && path.endsWith("/backups/cancel")).length;
}

function drifted({ cluster }: World): string | undefined {
  return conditionOf(cluster.get("ComputeInstance", "web"), "Drifted")?.message;
}

function specify({ cluster }: World, enabled: boolean): void {
  cluster.patch("ComputeInstance", "web", { spec: { backups: { enabled } } });
}

function turnOn(world: World): void {
  world.cloud.change(instances, idOf(world, "ComputeInstance", "web"), { backups: on });
}

async function own(fields: object): Promise<World> {
  const world = await begin();
  create(world, "ComputeInstance", "web", fields);
  await world.advance(minutes(3));
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  return world;
}

async function adopted(enabled: boolean, backups = on): Promise<World> {
  const world = await begin();
  const spec = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };
  const { id } = world.cloud.add(instances, {
    ...spec,
    label: "web",
    status: "running",
    tags: [],
    alerts: {},
    backups,
  });
  const wanted = { ...spec, label: "web", backups: { enabled } };
  world.cluster.create("ComputeInstance", "web", wanted, { management: { adopt: { id, overwrite: true } } });
  await world.advance(minutes(3));
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  return world;
}

async function staysOn(world: World): Promise<void> {
  await world.advance(minutes(30));
  world.restart();
  await world.advance(minutes(30));
  expect(cancelled(world)).toBe(0);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  expect(drifted(world)).toContain(remedy);
}

describe("backups that the spec does not want are left alone, and how to delete them is said", () => {
  it("where the instance is adopted", async () => {
    await staysOn(await adopted(false));
  });

  it("where somebody turned them on at the cloud", async () => {
    const world = await own({ backups: { enabled: false } });
    turnOn(world);
    await staysOn(world);
  });

  it("where the record does not say what was applied of them", async () => {
    const world = await own({ backups: { enabled: false } });
    world.crash();
    const object = world.cluster.get("ComputeInstance", "web")!;
    const { region = "", type = "", image = "" } = object.spec as Record<string, string>;
    const record = signedRecord(object, { ...recordOf(object), applied: { region, type, image } });
    storeStatus(world, "ComputeInstance", "web", { record });
    turnOn(world);
    world.restart();
    await staysOn(world);
  });

  it("where the spec said nothing of them before", async () => {
    const world = await own({});
    turnOn(world);
    await world.advance(minutes(3));
    expect(drifted(world)).toBeUndefined();
    specify(world, false);
    await staysOn(world);
  });

  it("where they came back after they were cancelled as the spec says", async () => {
    const world = await own({ backups: { enabled: true } });
    specify(world, false);
    await world.advance(minutes(3));
    expect(cancelled(world)).toBe(1);
    turnOn(world);
    await world.advance(minutes(30));
    expect(cancelled(world)).toBe(1);
    expect(drifted(world)).toContain(remedy);
  });

  it("where the cancelling was done, something else is refused, and somebody turned them on again", async () => {
    const world = await own({ backups: { enabled: true } });
    world.cloud.fault({ kind: "notFound", method: "PUT", times: 1_000 });
    world.cluster.patch("ComputeInstance", "web", { spec: { backups: { enabled: false }, alerts: { cpu: 5 } } });
    await world.advance(minutes(3));
    turnOn(world);
    await world.advance(minutes(30));
    world.cloud.clearFaults();
    await world.advance(minutes(30));
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(cancelled(world)).toBeLessThanOrEqual(1);
  });
});

describe("backups are turned off", () => {
  it.each(["adopted", "own"])("where the remedy is followed (%s)", async (how) => {
    const world = how === "adopted" ? await adopted(false) : await own({ backups: { enabled: false } });
    turnOn(world);
    await world.advance(minutes(3));
    specify(world, true);
    await world.advance(minutes(3));
    expect(drifted(world)).toBeUndefined();
    specify(world, false);
    await world.advance(minutes(3));
    expect(cancelled(world)).toBe(1);
    expect(drifted(world)).toBeUndefined();
  });

  it("where they were adopted as they are, and the spec changes", async () => {
    const world = await adopted(true);
    specify(world, false);
    await world.advance(minutes(3));
    expect(cancelled(world)).toBe(1);
  });
});

it("backups that the spec wants are turned on wherever they are missing", async () => {
  const off = { ...on, enabled: false, available: false };
  const world = await adopted(true, off);
  expect(world.cloud.rows(instances)).toMatchObject([{ backups: { enabled: true } }]);
  world.cloud.change(instances, idOf(world, "ComputeInstance", "web"), { backups: off });
  await world.advance(minutes(3));
  expect(world.cloud.rows(instances)).toMatchObject([{ backups: { enabled: true } }]);
});

it("a generated root password that was taken away is not made anew for backups", async () => {
  const world = await own({ backups: { enabled: true } });
  const ref = { namespace: "default", name: "web-root-password" };
  const secret = (): unknown => world.cluster.objects.get(secrets, ref);
  expect(secret()).toBeDefined();
  world.cluster.objects.beginDelete(secrets, ref)();
  specify(world, false);
  await world.advance(minutes(3));
  expect(cancelled(world)).toBe(1);
  expect(secret()).toBeUndefined();
});

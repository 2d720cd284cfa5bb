/** Rescue and upgrade of an instance: what is sent, how its end is known, and what the instance's own object makes of it. */
import { describe, expect, it } from "vitest";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changesIn, idOf, madeMs, messageOf, paths, specs, stateOf } from "../support.ts";

const minute = 60_000;
/** An instance that no object manages. */
const external = { label: "ext", region: "us-east", type: "g6-standard-1", status: "running" };
const upgrade = { instanceRef: { name: "vm" }, action: "Upgrade", notAfter: "2099-01-01T00:00:00Z" };

async function withInstance(type: string): Promise<World> {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "vm", { ...specs.ComputeInstance, type });
  await world.advance(madeMs);
  return world;
}

function sent(world: World, action: string) {
  return changesIn(world.cloud.ledger()).flatMap(({ path, body }) => (path.endsWith(`/${action}`) ? [body] : []));
}

it("an action that is refused since its instance became busy a moment before waits, and runs once", async () => {
  const world = await withInstance("g6-standard-1");
  const [{ id } = { id: 0 }] = world.cloud.rows("/compute/instances") as { id: number }[];
  const busyFor = (status: string): void => world.cloud.change("/compute/instances", String(id), { status });
  world.cloud.settings.latencyMs = 1_000;
  world.cloud.fault({ kind: "refused", method: "POST", path: /reboot$/, reason: "not now" });
  const notAfter = "2099-01-01T00:00:00Z";
  const since = world.cloud.ledger().length;
  world.cluster.create("ComputeAction", "again", { instanceRef: { name: "vm" }, action: "Reboot", notAfter });
  const posted = (): boolean =>
    world.cloud
      .ledger()
      .slice(since)
      .some(({ method, path }) => method === "POST" && path.endsWith("/reboot"));
  for (let ms = 0; ms < 30_000 && !posted(); ms += 100) await world.advance(100);
  busyFor("migrating");
  await world.advance(minute / 2);
  expect(stateOf(world, "ComputeAction", "again"), messageOf(world, "ComputeAction", "again")).toBe("Busy");
  busyFor("running");
  await world.advance(5 * minute);
  expect(stateOf(world, "ComputeAction", "again"), messageOf(world, "ComputeAction", "again")).toBe("Ready");
  expect(sent(world, "reboot")).toHaveLength(2);
});

it("an action that is refused as busy again and again is sent every few seconds, where watches are ahead of responses", async () => {
  const world = await withInstance("g6-standard-1");
  world.cloud.fault({ kind: "busy", method: "POST", path: /reboot$/, times: 1_000_000 });
  world.cluster.create("ComputeAction", "again", { instanceRef: { name: "vm" }, action: "Reboot" });
  await world.advance(2 * minute);
  expect(stateOf(world, "ComputeAction", "again"), messageOf(world, "ComputeAction", "again")).toBe("Busy");
  expect(sent(world, "reboot").length).toBeLessThan(60);
});

describe("an upgrade", () => {
  it("is complete when the instance has the successor of its type, and its object then wants just that type", async () => {
    const world = await withInstance("g5-standard-1");
    world.cluster.create("ComputeAction", "up", { ...upgrade, allowAutoDiskResize: false });
    await world.advance(5 * minute);
    expect(stateOf(world, "ComputeAction", "up"), messageOf(world, "ComputeAction", "up")).toBe("Ready");
    expect(sent(world, "mutate")).toEqual([{ allow_auto_disk_resize: false }]);
    const drifted = conditionOf(world.cluster.get("ComputeInstance", "vm"), "Drifted");
    expect(drifted?.message).toContain("g6-standard-1");

    world.cluster.patch("ComputeInstance", "vm", { spec: { type: "g6-standard-1", allowDisruption: ["Resize"] } });
    await world.advance(5 * minute);
    expect(world.cluster.get("ComputeInstance", "vm")).toBeReady();
    expect(conditionOf(world.cluster.get("ComputeInstance", "vm"), "Drifted")).toBeUndefined();
    expect(sent(world, "resize")).toEqual([]);
  });

  it("whose response was lost is complete when the type shows it, and is not sent again", async () => {
    const world = await withInstance("g5-standard-1");
    world.cloud.fault({ kind: "lostAfter", method: "POST", path: /mutate/ });
    world.cluster.create("ComputeAction", "up", upgrade);
    await world.advance(5 * minute);
    expect(stateOf(world, "ComputeAction", "up"), messageOf(world, "ComputeAction", "up")).toBe("Ready");
    expect(sent(world, "mutate")).toHaveLength(1);
  });

  it("that begins late is not complete before the type has changed", async () => {
    const world = await withInstance("g5-standard-1");
    world.cloud.settings.beginMs = minute;
    world.cluster.create("ComputeAction", "up", upgrade);
    await world.advance(30_000);
    expect(stateOf(world, "ComputeAction", "up")).toBe("Running");
    await world.advance(3 * minute);
    expect(world.cluster.get("ComputeAction", "up")).toBeReady();
  });
});

it("while it runs, the status shows how far it is, as the cloud's events tell", async () => {
  const world = await withInstance("g5-standard-1");
  const progress = () => {
    const run = world.cluster.get("ComputeAction", "up")?.status?.["run"] as { progressPercent?: number } | undefined;
    return run?.progressPercent;
  };
  world.cluster.create("ComputeAction", "up", upgrade);
  const seen = new Set<number | undefined>();
  for (let seconds = 0; seconds < 300; seconds += 1) {
    await world.advance(1_000);
    seen.add(progress());
  }
  expect(stateOf(world, "ComputeAction", "up"), messageOf(world, "ComputeAction", "up")).toBe("Ready");
  expect([...seen]).toEqual([40, 100]);
});

it("a rescue boots with the disks in the order of its list, once", async () => {
  const world = await withInstance("g6-standard-1");
  const spec = { instanceRef: { name: "vm" }, action: "Rescue", rescueDiskIDs: ["7", "5"] };
  world.cluster.create("ComputeAction", "repair", spec);
  await world.advance(5 * minute);
  expect(stateOf(world, "ComputeAction", "repair"), messageOf(world, "ComputeAction", "repair")).toBe("Ready");
  const devices = { sda: { disk_id: 7, volume_id: null }, sdb: { disk_id: 5, volume_id: null } };
  expect(sent(world, "rescue")).toEqual([{ devices }]);
  world.restart();
  await world.advance(5 * minute);
  expect(sent(world, "rescue")).toHaveLength(1);
});

describe("what an action sends beside its name", () => {
  const notAfter = "2099-01-01T00:00:00Z";
  const script = { id: 2, dataSecretRef: { name: "script" } };
  const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";
  it.each([
    { action: "Reboot", fields: { configID: "31" }, at: "reboot", body: { config_id: 31 }, why: "a profile to boot" },
    {
      action: "Rescue",
      fields: { rescueDiskIDs: ["7"], rescueVolumeIDs: ["9"] },
      at: "rescue",
      body: { devices: { sda: { disk_id: 7, volume_id: null }, sdb: { disk_id: null, volume_id: 9 } } },
      why: "volumes come after the disks",
    },
    {
      action: "Rebuild",
      fields: {
        image: "compute/debian12",
        passwordSecretRef: { name: "root" },
        rebuild: {
          authorizedKeys: [key],
          authorizedUsers: ["ada"],
          stackScript: script,
          userDataSecretRef: { name: "init" },
        },
        notAfter,
      },
      at: "rebuild",
      body: {
        image: "compute/debian12",
        root_pass: "Corr3ct-horse",
        authorized_keys: [key],
        authorized_users: ["ada"],
        stackscript_id: 2,
        stackscript_data: { hostname: "a" },
        metadata: { user_data: Buffer.from("#cloud-config").toString("base64") },
      },
      why: "all that an image is deployed with",
    },
    {
      action: "Clone",
      fields: { clone: { instanceRef: { name: "other" }, diskIDs: ["7"], configIDs: ["31"] } },
      at: "clone",
      body: { compute_id: "other", disks: [7], configs: [31] },
      why: "the instance that is copied to",
    },
    {
      action: "RestoreBackup",
      fields: { backupID: "12", restoreToRef: { name: "other" }, overwrite: true, notAfter },
      at: "backups/12/restore",
      body: { compute_id: "other", overwrite: true },
      why: "the instance that is restored to",
    },
  ])("$action: $why", async ({ action, fields, at, body }) => {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "vm", { ...specs.ComputeInstance, image: undefined });
    world.cluster.create("ComputeInstance", "other", { region: "us-east", type: "g6-standard-1" });
    world.cluster.secret("root", { password: "Corr3ct-horse" });
    world.cluster.secret("script", { data: '{"hostname": "a"}' });
    world.cluster.secret("init", { "user-data": "#cloud-config" });
    await world.advance(madeMs);
    world.cloud.change("/compute/instances", idOf(world, "ComputeInstance", "vm"), { status: "running" });
    const other = idOf(world, "ComputeInstance", "other");
    // The other one is busy at first: what is done to it waits for that, too.
    const waits = "compute_id" in body;
    if (waits) world.cloud.change("/compute/instances", other, { status: "migrating" });
    world.cluster.create("ComputeAction", "it", { instanceRef: { name: "vm" }, action, ...fields });
    await world.advance(minute);
    if (waits) {
      expect(stateOf(world, "ComputeAction", "it"), messageOf(world, "ComputeAction", "it")).toBe("Busy");
      world.cloud.change("/compute/instances", other, { status: "offline" });
    }
    await world.advance(5 * minute);
    expect(sent(world, at)).toEqual([waits ? { ...body, compute_id: Number(other) } : body]);
    expect(messageOf(world, "ComputeAction", "it")).not.toContain("Corr3ct");
  });
});

// The list that shows the target may be a minute old, and what is asked for destroys what is there.
it.each([
  { action: "RestoreBackup", backupID: "12", restoreToRef: { name: "other" }, overwrite: true },
  { action: "Clone", clone: { instanceRef: { name: "other" } } },
])("$action is not sent at an instance whose id means a stranger's since the last list", async (spec) => {
  const world = await withInstance("g6-standard-1");
  world.cluster.create("ComputeInstance", "other", { region: "us-east", type: "g6-standard-1" });
  await world.advance(madeMs);
  const theirs = { ...external, label: "theirs" };
  world.cloud.replace(paths.ComputeInstance, idOf(world, "ComputeInstance", "other"), theirs);
  const since = world.cloud.ledger().length;
  const { notAfter, instanceRef } = upgrade;
  world.cluster.create("ComputeAction", "it", { notAfter, instanceRef, ...spec });
  await world.advance(minute / 3);
  expect(changesIn(world.cloud.ledger().slice(since))).toEqual([]);
  expect(stateOf(world, "ComputeAction", "it")).toBe("WaitingForReference");
  expect(messageOf(world, "ComputeAction", "it")).toContain("is now a different cloud object");
});

describe("what is done to another instance", () => {
  const notAfter = "2099-01-01T00:00:00Z";
  const restore = {
    action: "RestoreBackup",
    backupID: "12",
    restoreToRef: { name: "other" },
    overwrite: true,
    notAfter,
  };
  const clone = { action: "Clone", clone: { instanceRef: { name: "other" } } };
  async function withTwo(): Promise<World> {
    const world = await withInstance("g6-standard-1");
    world.cluster.create("ComputeInstance", "other", { region: "us-east", type: "g6-standard-1" });
    await world.advance(madeMs);
    return world;
  }
  const run = (world: World, spec: object) =>
    world.cluster.create("ComputeAction", "it", { instanceRef: { name: "vm" }, ...spec });
  const state = (world: World) => [stateOf(world, "ComputeAction", "it"), messageOf(world, "ComputeAction", "it")];

  it("is complete when that one is ready, as its events tell", async () => {
    const world = await withTwo();
    world.cloud.settings.latencyMs = 50;
    run(world, restore);
    await world.advance(minute / 2);
    const restored = world.cloud.rows(paths.ComputeInstance).find(({ status }) => status === "restoring");
    expect(restored).toMatchObject({ id: Number(idOf(world, "ComputeInstance", "other")) });
    expect(state(world)[0]).toBe("Running");
    expect(world.cluster.get("ComputeAction", "it")?.status?.["run"]).toMatchObject({ progressPercent: 40 });
    await world.advance(minute);
    expect(state(world)).toEqual(["Ready", expect.stringContaining("is complete")]);
  });

  it.each([
    { spec: restore, at: "backups/12/restore" },
    { spec: clone, at: "clone" },
  ])("is known by an event where the response was lost and the operator starts again: $at", async ({ spec, at }) => {
    const world = await withTwo();
    world.cloud.fault({ kind: "lostAfter", method: "POST", path: /(clone|restore)$/ });
    run(world, spec);
    await world.advance(minute / 2);
    world.restart();
    await world.advance(3 * minute);
    expect(state(world)).toEqual(["Ready", expect.stringContaining("is complete")]);
    expect(sent(world, at)).toHaveLength(1);
  });

  it("waits for an instance that is gone, and names the field at once", async () => {
    const world = await withTwo();
    world.cluster.patch("ComputeInstance", "other", { spec: { management: { missingPolicy: "Report" } } });
    world.cloud.remove(paths.ComputeInstance, idOf(world, "ComputeInstance", "other"));
    const since = world.cloud.ledger().length;
    run(world, clone);
    await world.advance(1_000);
    expect(state(world)).toEqual(["WaitingForReference", expect.stringContaining("spec.clone.instanceRef.name")]);
    expect(changesIn(world.cloud.ledger().slice(since))).toEqual([]);
  });

  it("is refused where it is the instance itself", async () => {
    const world = await withTwo();
    const { id } = world.cloud.add(paths.ComputeInstance, external);
    const since = world.cloud.ledger().length;
    run(world, { action: "Clone", instanceRef: { id }, clone: { instanceRef: { id } } });
    await world.advance(1_000);
    expect(state(world)).toEqual(["InvalidSpec", expect.stringContaining("clone.instanceRef must be another")]);
    expect(changesIn(world.cloud.ledger().slice(since))).toEqual([]);
  });
});

it("an action that a person has sent again is not sent to a stranger's instance of the same id", async () => {
  const world = createWorld();
  const { id } = world.cloud.add(paths.ComputeInstance, external);
  await world.advance(minute);
  world.cloud.fault({ kind: "lostBefore", method: "POST", path: /reboot$/ });
  world.cluster.create("ComputeAction", "it", { instanceRef: { id }, action: "Reboot" });
  await world.advance(15 * minute);
  expect(stateOf(world, "ComputeAction", "it")).toBe("OperationUncertain");
  const [, operation = ""] = /retry-operation=(\w+)/.exec(messageOf(world, "ComputeAction", "it")) ?? [];
  const annotations = { "cloudplatform.dev/retry-operation": operation };
  world.cloud.replace(paths.ComputeInstance, id, { ...external, label: "theirs" });
  const since = world.cloud.ledger().length;
  world.cluster.patch("ComputeAction", "it", { metadata: { annotations } });
  await world.advance(5 * minute);
  expect(changesIn(world.cloud.ledger().slice(since))).toEqual([]);
  expect(stateOf(world, "ComputeAction", "it")).toBe("Failed");
  expect(messageOf(world, "ComputeAction", "it")).toContain(`instance ${id} is now a different cloud object`);
});

describe("what the instance's own object decides", () => {
  const notAfter = "2099-01-01T00:00:00Z";
  const rebuild = { action: "Rebuild", image: "compute/debian12", passwordSecretRef: { name: "root" }, notAfter };
  async function withPlain(spec: object = {}): Promise<World> {
    const world = createWorld();
    world.cluster.secret("root", { password: "Corr3ct-horse" });
    world.cluster.create("ComputeInstance", "vm", { region: "us-east", type: "g6-standard-1", ...spec });
    await world.advance(madeMs);
    return world;
  }

  it.each([
    { field: "rebuild.type", rebuilt: { type: "g6-standard-2" }, spec: {} },
    { field: "rebuild.booted", rebuilt: { booted: false }, spec: { powerState: "Running" } },
  ])("is not decided by $field of a rebuild", async ({ field, rebuilt, spec }) => {
    const world = await withPlain(spec);
    world.cluster.create("ComputeAction", "it", { instanceRef: { name: "vm" }, ...rebuild, rebuild: rebuilt });
    await world.advance(minute);
    expect(stateOf(world, "ComputeAction", "it")).toBe("InvalidSpec");
    expect(messageOf(world, "ComputeAction", "it")).toContain(`spec.${field}`);
    expect(sent(world, "rebuild")).toEqual([]);
  });

  it("is the action's to decide for an instance that no object manages", async () => {
    const world = await withPlain();
    const { id } = world.cloud.add(paths.ComputeInstance, external);
    const spec = { ...rebuild, rebuild: { type: "g6-standard-2", booted: false } };
    world.cluster.create("ComputeAction", "it", { instanceRef: { id }, ...spec });
    await world.advance(5 * minute);
    expect(stateOf(world, "ComputeAction", "it"), messageOf(world, "ComputeAction", "it")).toBe("Ready");
    expect(sent(world, "rebuild")).toMatchObject([{ type: "g6-standard-2", booted: false }]);
  });

  it("does not take a profile to boot for booted, where the instance runs with another one, maybe", async () => {
    const world = await withPlain();
    const { id } = world.cloud.add(paths.ComputeInstance, external);
    world.cluster.create("ComputeAction", "it", { instanceRef: { id }, action: "Boot", configID: "77" });
    await world.advance(minute);
    expect(stateOf(world, "ComputeAction", "it")).toBe("InvalidSpec");
    expect(messageOf(world, "ComputeAction", "it")).toContain("spec.configID");
    expect(sent(world, "boot")).toEqual([]);
    world.cloud.change(paths.ComputeInstance, id, { status: "offline" });
    await world.advance(5 * minute);
    expect(stateOf(world, "ComputeAction", "it"), messageOf(world, "ComputeAction", "it")).toBe("Ready");
    expect(sent(world, "boot")).toEqual([{ config_id: 77 }]);
  });
});

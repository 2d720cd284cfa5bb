import { expect, test } from "vitest";
import { reasons, running } from "../../running.ts";
import type { Running } from "../../running.ts";
import { eventsOf, instanceAt, instanceOf } from "../instance.ts";
import type { Instance } from "../instance.ts";

const DAY = 86_400_000;

async function snapshotOf(simulator: Running, instance: Instance, label = "before-upgrade"): Promise<number> {
  const { id } = await simulator.ok("POST", `${instance.path}/backups`, { label });
  await simulator.clock.advance(60_000);
  return Number(id);
}

const backupsOf = (simulator: Running, instance: Instance) => simulator.ok("GET", `${instance.path}/backups`);

test("a snapshot goes from pending to successful while the instance runs on", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const answered = await simulator.ok("POST", `${instance.path}/backups`, { label: "before-upgrade" });
  expect(answered).toEqual({
    id: answered["id"],
    label: "before-upgrade",
    type: "snapshot",
    region: "us-east",
    status: "pending",
    available: true,
    configs: [],
    disks: [],
    created: answered["created"],
    updated: answered["created"],
    finished: null,
  });
  expect(await instance.status()).toBe("running");
  await simulator.clock.advance(30_000);
  const copied = {
    configs: ["My Debian 12 Disk Profile"],
    disks: [
      { filesystem: "ext4", label: "Debian 12 Disk", size: 50_688 },
      { filesystem: "swap", label: "512 MB Swap Image", size: 512 },
    ],
  };
  expect(await backupsOf(simulator, instance)).toMatchObject({
    automatic: [],
    snapshot: { current: null, in_progress: { status: "running", available: false, ...copied } },
  });
  await simulator.clock.advance(27_000);
  expect(await backupsOf(simulator, instance)).toMatchObject({
    snapshot: { in_progress: { status: "needsPostProcessing" } },
  });
  await simulator.clock.advance(3_000);
  expect(await backupsOf(simulator, instance)).toMatchObject({
    snapshot: { current: { id: answered["id"], status: "successful", available: true }, in_progress: null },
  });
  expect(await instance.read()).toMatchObject({ backups: { available: true, last_successful: "2026-01-01T00:02:00" } });
});

test("creating a snapshot deletes the previous one", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const first = await snapshotOf(simulator, instance, "one");
  const second = await snapshotOf(simulator, instance, "two");
  expect(await backupsOf(simulator, instance)).toMatchObject({ snapshot: { current: { id: second, label: "two" } } });
  expect((await simulator.call("GET", `${instance.path}/backups/${first}`)).status).toBe(404);
  expect(await simulator.ok("GET", `${instance.path}/backups/${second}`)).toMatchObject({ label: "two" });
});

test("a snapshot is a job: another is refused meanwhile", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.ok("POST", `${instance.path}/backups`, { label: "one" });
  expect(reasons(await simulator.call("POST", `${instance.path}/backups`, { label: "two" }))).toEqual([
    "Compute busy.",
  ]);
  expect(reasons(await simulator.call("POST", `${instance.path}/reboot`))).toEqual(["Compute busy."]);
});

test("day and window read Scheduling until they are chosen", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  expect(await simulator.ok("POST", `${instance.path}/backups/enable`)).toEqual({});
  expect(await instance.read()).toMatchObject({
    backups: { enabled: true, schedule: { day: "Scheduling", window: "Scheduling" } },
  });
  await simulator.clock.advance(20_000);
  const { schedule } = (await instance.read())["backups"] as { schedule: { day: string; window: string } };
  expect(schedule).toEqual({
    day: expect.stringMatching(/day$/) as string,
    window: expect.stringMatching(/^W\d/) as string,
  });
});

test("backups_enabled at creation turns backups on", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, { backups_enabled: true });
  expect(await instance.read()).toMatchObject({
    backups: { enabled: true, schedule: { window: expect.stringMatching(/^W/) } },
  });
});

test("a backup is made every week in its window, and three of them are kept", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.ok("POST", `${instance.path}/backups/enable`);
  // 2026-01-01 is a Thursday.
  await simulator.ok("PUT", instance.path, { backups: { schedule: { day: "Friday", window: "W4" } } });
  await simulator.clock.advance(2 * DAY);
  const { automatic } = await backupsOf(simulator, instance);
  expect(automatic).toMatchObject([
    { type: "automatic", created: "2026-01-02T04:00:00", status: "successful", label: null },
  ]);
  await simulator.clock.advance(28 * DAY);
  const kept = (await backupsOf(simulator, instance))["automatic"] as { created: string }[];
  expect(kept.map((backup) => backup.created.slice(0, 10))).toEqual(["2026-01-16", "2026-01-23", "2026-01-30"]);
});

test("a weekly backup waits for the job that runs", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.ok("POST", `${instance.path}/backups/enable`);
  await simulator.ok("PUT", instance.path, { backups: { schedule: { day: "Thursday", window: "W2" } } });
  await simulator.clock.advance(2 * 3_600_000 - 61_000);
  await simulator.ok("POST", `${instance.path}/migrate`, { region: "eu-west" });
  await simulator.clock.advance(600_000);
  expect((await backupsOf(simulator, instance))["automatic"]).toMatchObject([{ status: "successful" }]);
});

test("cancelling deletes every backup and the one under way", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, { backups_enabled: true });
  await snapshotOf(simulator, instance);
  await simulator.ok("POST", `${instance.path}/backups`, { label: "two" });
  expect(await simulator.ok("POST", `${instance.path}/backups/cancel`)).toEqual({});
  expect(await backupsOf(simulator, instance)).toEqual({
    automatic: [],
    snapshot: { current: null, in_progress: null },
  });
  expect(await instance.read()).toMatchObject({ status: "running", backups: { enabled: false, available: false } });
  await simulator.clock.advance(8 * DAY);
  expect(simulator.control.rows("backup")).toEqual([]);
  expect(await eventsOf(simulator)).toEqual(
    expect.arrayContaining(["backups_cancel notification", "compute_snapshot failed"]),
  );
});

test("a restore that overwrites replaces disks and configs", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const backup = await snapshotOf(simulator, instance);
  const before = new Set(simulator.control.rows("disk").map((disk) => disk["id"]));
  const body = { compute_id: instance.id, overwrite: true };
  expect(await simulator.ok("POST", `${instance.path}/backups/${backup}/restore`, body)).toEqual({});
  expect(await instance.status()).toBe("restoring");
  expect((await simulator.call("DELETE", instance.path)).status).toBe(400);
  await simulator.clock.advance(60_000);
  expect(await instance.status()).toBe("offline");
  const after = simulator.control.rows("disk");
  expect(after.map((disk) => [disk["label"], disk["status"], before.has(disk["id"])])).toEqual([
    ["Debian 12 Disk", "ready", false],
    ["512 MB Swap Image", "ready", false],
  ]);
  expect(await instance.list("configs")).toMatchObject([{ devices: { sda: { disk_id: after[0]?.["id"] } } }]);
});

test("a restore beside what is there needs room", async () => {
  const simulator = await running();
  const source = await instanceOf(simulator, { type: "g6-nanode-1" });
  const target = await instanceOf(simulator, { type: "g6-standard-1" });
  const backup = await snapshotOf(simulator, source);
  const path = `${source.path}/backups/${backup}/restore`;
  const full = await simulator.call("POST", path, { compute_id: target.id });
  expect(reasons(full)).toEqual([expect.stringMatching(/^compute_id: .*MB of disk/)]);
  const empty = await instanceOf(simulator, { image: undefined, root_pass: undefined });
  await simulator.ok("POST", path, { compute_id: empty.id });
  await simulator.clock.advance(60_000);
  expect(await empty.list("configs")).toHaveLength(1);
  expect(await empty.status()).toBe("offline");
});

test("only a successful backup is restored, in its own region, to an instance that is there", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const elsewhere = await instanceOf(simulator, { region: "eu-west" });
  const { id } = await simulator.ok("POST", `${instance.path}/backups`, { label: "one" });
  const restore = (body: object) => simulator.call("POST", `${instance.path}/backups/${String(id)}/restore`, body);
  expect(reasons(await restore({ compute_id: instance.id }))).toEqual(["Only a successful backup can be restored"]);
  await simulator.clock.advance(60_000);
  expect(reasons(await restore({ compute_id: elsewhere.id }))[0]).toMatch(/own region/);
  expect(reasons(await restore({ compute_id: 1 }))[0]).toMatch(/^compute_id: /);
  expect(reasons(await restore({}))).toEqual(["compute_id: compute_id is required"]);
});

test("part 2 section 4.1 rule 5: an instance from a backup has its disks, config and root password, if its type is large enough", async () => {
  const simulator = await running();
  const source = await instanceOf(simulator);
  const backup_id = await snapshotOf(simulator, source);
  const small = await simulator.call("POST", "/compute/instances", {
    region: "us-east",
    type: "g6-nanode-1",
    backup_id,
  });
  expect(reasons(small)).toEqual([expect.stringMatching(/^type: /)]);
  const away = await simulator.call("POST", "/compute/instances", {
    region: "eu-west",
    type: "g6-standard-1",
    backup_id,
  });
  expect(reasons(away)).toEqual([expect.stringMatching(/^region: /)]);
  const { id } = await simulator.ok("POST", "/compute/instances", {
    region: "us-east",
    type: "g6-standard-1",
    backup_id,
  });
  await simulator.clock.advance(30_000);
  const copy = instanceAt(simulator, Number(id));
  expect(await copy.status()).toBe("running");
  expect(await copy.list("configs")).toMatchObject([{ label: "My Debian 12 Disk Profile" }]);
  const passwords = simulator.control.rows("disk").map((disk) => disk["root_pass"]);
  expect(passwords[2]).toBe(passwords[0]);
});

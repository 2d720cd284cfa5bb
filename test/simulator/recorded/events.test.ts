import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { instanceOf } from "../compute/instance.ts";
import { DEBIAN, running } from "../running.ts";
import type { Running } from "../running.ts";

type Event = Record<string, unknown> & {
  action: string;
  entity: Record<string, unknown>;
  secondary_entity: Record<string, unknown> | null;
};

const KEY = "ssh-ed25519 AAAA";
const EMPTY = { region: "us-east", type: "g6-standard-1", image: null, root_pass: null };

async function events(simulator: Running): Promise<Event[]> {
  return ((await simulator.ok("GET", "/account/events"))["data"] as Event[]).toReversed();
}

/** The actions that the account was told since, oldest first. */
async function told(simulator: Running, acts: () => Promise<unknown>): Promise<string[]> {
  const before = (await events(simulator)).length;
  await acts();
  await simulator.clock.advance(3_600_000);
  return (await events(simulator)).slice(before).map(({ action }) => action);
}

test("events 1: instances tell what is done with them", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator);
  const acts: [path: string, body: object, expected: string[]][] = [
    ["/shutdown", {}, ["compute_shutdown"]],
    ["/boot", {}, ["compute_boot"]],
    ["/reboot", {}, ["compute_reboot"]],
    ["/rebuild", { image: DEBIAN.image, root_pass: DEBIAN.root_pass }, ["compute_rebuild", "compute_boot"]],
    ["/backups", { label: "before" }, ["compute_snapshot"]],
    ["/clone", {}, ["compute_clone"]],
    ["/ips", { type: "ipv4", public: true }, ["compute_addip"]],
  ];
  for (const [path, body, expected] of acts)
    expect([path, await told(simulator, () => simulator.ok("POST", machine.path + path, body))]).toEqual([
      path,
      expected,
    ]);
  const [, address] = (await machine.read())["ipv4"] as string[];
  const remove = () => simulator.ok("DELETE", `${machine.path}/ips/${address}`);
  expect(await told(simulator, remove)).toEqual(["compute_deleteip"]);
  const rename = () => simulator.ok("PUT", machine.path, { label: "renamed" });
  expect(await told(simulator, rename)).toEqual(["compute_update"]);
  expect(await told(simulator, () => simulator.ok("DELETE", machine.path))).toEqual(["compute_delete"]);
  expect((await events(simulator))[0]).toMatchObject({ action: "compute_create" });
});

test("events 2: resize, upgrade and a move to another region tell that they were accepted", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator, { type: "g5-standard-1" });
  const post = (path: string, body: object) => told(simulator, () => simulator.ok("POST", machine.path + path, body));
  expect(await post("/mutate", {})).toEqual(["compute_mutate_create", "compute_mutate", "compute_boot"]);
  const bigger = await post("/resize", { type: "g6-standard-2" });
  expect(bigger).toEqual(["compute_resize_create", "compute_resize", "compute_boot"]);
  const away = await post("/migrate", { region: "eu-west" });
  expect(away).toEqual(["compute_migrate_datacenter_create", "compute_migrate_datacenter", "compute_boot"]);
});

test("events 3: configs tell their changes, and which one it is", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator);
  const config = await simulator.ok("POST", `${machine.path}/configs`, { label: "other", devices: {} });
  await simulator.ok("PUT", `${machine.path}/configs/${String(config["id"])}`, { label: "named" });
  await simulator.ok("DELETE", `${machine.path}/configs/${String(config["id"])}`);
  const last = (await events(simulator)).slice(-3);
  expect(last.map(({ action }) => action)).toEqual([
    "compute_config_create",
    "compute_config_update",
    "compute_config_delete",
  ]);
  expect(last[1]?.secondary_entity).toMatchObject({ id: config["id"], type: "compute_config", label: "named" });
});

test("events 4: disks tell what is done with them", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator, EMPTY);
  const disks = `${machine.path}/disks`;
  const first = async () => `${disks}/${String((await machine.list("disks"))[0]?.["id"])}`;
  const acts: [act: () => Promise<unknown>, expected: string][] = [
    [() => simulator.ok("POST", disks, { label: "data", size: 1000 }), "disk_create"],
    [async () => simulator.ok("PUT", await first(), { label: "named" }), "disk_update"],
    [async () => simulator.ok("POST", `${await first()}/resize`, { size: 2000 }), "disk_resize"],
    [async () => simulator.ok("POST", `${await first()}/clone`), "disk_duplicate"],
    [
      async () => simulator.ok("POST", "/images", { disk_id: (await machine.list("disks"))[0]?.["id"] }),
      "disk_imagize",
    ],
    [async () => simulator.ok("DELETE", await first()), "disk_delete"],
  ];
  for (const [act, expected] of acts) expect(await told(simulator, act)).toEqual([expected]);
});

test("events 5: backups tell that they are turned on and off, and restored; a weekly one tells nothing", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator);
  const enable = () => simulator.ok("POST", `${machine.path}/backups/enable`);
  expect(await told(simulator, enable)).toEqual(["backups_enable"]);
  const week = () => simulator.clock.advance(8 * 86_400_000);
  expect(await told(simulator, week)).toEqual([]);
  const { automatic } = await simulator.ok("GET", `${machine.path}/backups`);
  const [backup] = automatic as { id: number }[];
  const body = { compute_id: machine.id, overwrite: true };
  const restore = () => simulator.ok("POST", `${machine.path}/backups/${backup?.id}/restore`, body);
  expect(await told(simulator, restore)).toEqual(["backups_restore"]);
  const cancel = () => simulator.ok("POST", `${machine.path}/backups/cancel`);
  expect(await told(simulator, cancel)).toEqual(["backups_cancel"]);
});

test("events 6: a boot by the watchdog is lassie_reboot", async () => {
  const simulator = await running();
  const { id } = await instanceOf(simulator);
  const fail = () => Promise.resolve(simulator.control.compute.powerOff(id));
  expect(await told(simulator, fail)).toEqual(["lassie_reboot"]);
});

test("events 7: domains tell dns_zone events, records dns_record events", async () => {
  const simulator = await running();
  simulator.control.domains.setRemoteZone({ nameserver: "ns.example.net", domain: "far.example.net" });
  const domain = { domain: "example.org", type: "master", soa_email: "a@example.org" };
  const acts: [method: string, path: string, body: object, expected: string][] = [
    ["POST", "/domains", domain, "dns_zone_create"],
    ["PUT", "/domains/1", { description: "ours" }, "dns_zone_update"],
    ["POST", "/domains/1/records", { type: "A", target: "192.0.2.1" }, "dns_record_create"],
    ["PUT", "/domains/1/records/1", { target: "192.0.2.2" }, "dns_record_update"],
    ["DELETE", "/domains/1/records/1", {}, "dns_record_delete"],
    ["POST", "/domains/1/clone", { domain: "copy.example.org" }, "dns_zone_create"],
    ["DELETE", "/domains/1", {}, "dns_zone_delete"],
    ["POST", "/domains/import", { domain: "far.example.net", remote_nameserver: "ns.example.net" }, "dns_zone_import"],
  ];
  for (const [method, path, body, expected] of acts)
    expect(await told(simulator, () => simulator.ok(method, path, body))).toEqual([expected]);
});

test("events 8: images tell image_upload, image_update and image_delete", async () => {
  const simulator = await running();
  const made = await simulator.ok("POST", "/images/upload", { label: "own", region: "us-east" });
  const { id } = made["image"] as { id: string };
  const headers = { "Content-Type": "application/octet-stream" };
  const body = gzipSync("disk");
  const upload = () => fetch(String(made["upload_to"]), { method: "PUT", headers, body });
  expect(await told(simulator, upload)).toEqual(["image_upload"]);
  const rename = () => simulator.ok("PUT", `/images/${id}`, { label: "named" });
  expect(await told(simulator, rename)).toEqual(["image_update"]);
  expect(await told(simulator, () => simulator.ok("DELETE", `/images/${id}`))).toEqual(["image_delete"]);
});

test("events 9: a reverse name tells ipaddress_update", async () => {
  const simulator = await running();
  const [address] = (await (await instanceOf(simulator)).read())["ipv4"] as string[];
  const reset = () => simulator.ok("PUT", `/networking/ips/${address}`, { rdns: null });
  expect(await told(simulator, reset)).toEqual(["ipaddress_update"]);
});

test("events 10: keys of object storage tell their changes", async () => {
  const simulator = await running();
  const all = async () => {
    await simulator.ok("POST", "/object-storage/keys", { label: "key" });
    await simulator.ok("PUT", "/object-storage/keys/1", { label: "named" });
    await simulator.ok("DELETE", "/object-storage/keys/1");
  };
  expect(await told(simulator, all)).toEqual([
    "obj_access_key_create",
    "obj_access_key_update",
    "obj_access_key_delete",
  ]);
});

test("events 11: SSH keys tell user_ssh_key events", async () => {
  const simulator = await running();
  const all = async () => {
    await simulator.ok("POST", "/profile/sshkeys", { label: "key", ssh_key: KEY });
    await simulator.ok("PUT", "/profile/sshkeys/1", { label: "named" });
    await simulator.ok("DELETE", "/profile/sshkeys/1");
  };
  expect(await told(simulator, all)).toEqual(["user_ssh_key_add", "user_ssh_key_update", "user_ssh_key_delete"]);
});

test("events 12: tags tell tag_create and tag_delete", async () => {
  const simulator = await running();
  const all = async () => {
    await simulator.ok("POST", "/tags", { label: "blue" });
    await simulator.ok("DELETE", "/tags/blue");
  };
  expect(await told(simulator, all)).toEqual(["tag_create", "tag_delete"]);
});

test("events 13: the profile tells profile_update", async () => {
  const simulator = await running();
  const change = () => simulator.ok("PUT", "/profile", { timezone: "UTC" });
  expect(await told(simulator, change)).toEqual(["profile_update"]);
});

test("events 14: databases tell database_create while they are provisioned, then database_update and database_delete", async () => {
  const simulator = await running();
  const body = { label: "data", engine: "mysql/8.0.35", region: "us-east", type: "g6-nanode-1" };
  const database = await simulator.ok("POST", "/databases/mysql/instances", body);
  const path = `/databases/mysql/instances/${String(database["id"])}`;
  await simulator.clock.advance(600_000);
  const entity = { id: database["id"], label: "data", type: "database", url: `/v4${path}` };
  expect(await events(simulator)).toMatchObject([{ action: "database_create", status: "started", entity }]);
  await simulator.clock.advance(1_800_000);
  expect(await events(simulator)).toMatchObject([{ action: "database_create", status: "finished", entity }]);
  expect(await told(simulator, () => simulator.ok("PUT", path, { label: "named" }))).toEqual(["database_update"]);
  expect(await told(simulator, () => simulator.ok("DELETE", path))).toEqual(["database_delete"]);
});

test("events 15: a rescue is told as a boot", async () => {
  const simulator = await running();
  const { path } = await instanceOf(simulator);
  expect(await told(simulator, () => simulator.ok("POST", `${path}/rescue`, {}))).toEqual(["compute_boot"]);
});

test("events 16: an instance without an image is provisioning for a moment, tells its creation, and stays offline", async () => {
  const simulator = await running();
  const made = await simulator.ok("POST", "/compute/instances", EMPTY);
  expect(made["status"]).toBe("provisioning");
  await simulator.clock.advance(600_000);
  expect((await simulator.ok("GET", `/compute/instances/${String(made["id"])}`))["status"]).toBe("offline");
  expect(await events(simulator)).toMatchObject([
    { action: "compute_create", status: "finished", secondary_entity: null },
  ]);
});

test("events 17: boot and reboot name the config, also where nobody asked for them", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator);
  const [config] = await machine.list("configs");
  await simulator.ok("POST", `${machine.path}/reboot`);
  const named = (await events(simulator)).filter(({ action }) => action !== "compute_create");
  const secondary = { type: "compute_config", id: config?.["id"], label: config?.["label"] };
  expect(named.map(({ action }) => action)).toEqual(["compute_boot", "compute_reboot"]);
  for (const { secondary_entity } of named) expect(secondary_entity).toMatchObject(secondary);
});

test("events 18: a creation names the image, whose id is a text, in the brand word", async () => {
  const simulator = await running({ brandWord: "acme" });
  const body = { ...DEBIAN, image: "acme/debian12" };
  await simulator.ok("POST", "/acme/instances", body);
  const [{ secondary_entity } = { secondary_entity: null }] = await events(simulator);
  const url = "/v4/images/acme/debian12";
  expect(secondary_entity).toEqual({ id: "acme/debian12", type: "image", label: "Debian 12", url });
});

test("events 19: while an event runs, time_remaining is null and duration counts seconds", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/compute/instances", DEBIAN);
  expect((await events(simulator))[0]).toMatchObject({ status: "scheduled", time_remaining: null, duration: null });
  await simulator.clock.advance(12_000);
  expect((await events(simulator))[0]).toMatchObject({ status: "started", time_remaining: null, duration: 10 });
  await simulator.clock.advance(60_000);
  expect((await events(simulator))[0]).toMatchObject({ status: "finished", time_remaining: null, duration: 18 });
});

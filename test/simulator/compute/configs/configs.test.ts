import { expect, test } from "vitest";
import { reasons, running } from "../../running.ts";
import type { Running } from "../../running.ts";
import { instanceOf } from "../instance.ts";

const EMPTY = { image: undefined, root_pass: undefined };
const MINIMAL = { label: "own", devices: {} };

const diskOf = (simulator: Running) => Number(simulator.control.rows("disk")[0]?.["id"]);

test("a config with nothing but label and devices takes the defaults", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, EMPTY);
  expect(await simulator.ok("POST", `${instance.path}/configs`, MINIMAL)).toEqual({
    id: expect.any(Number) as number,
    label: "own",
    comments: "",
    devices: { sda: null, sdb: null, sdc: null, sdd: null, sde: null, sdf: null, sdg: null, sdh: null },
    helpers: { devtmpfs_automount: true, distro: true, modules_dep: true, network: true, updatedb_disabled: true },
    interfaces: [],
    kernel: "compute/latest-64bit",
    memory_limit: 0,
    initrd: null,
    created: "2026-01-01T00:01:00",
    updated: "2026-01-01T00:01:00",
    root_device: "/dev/sda",
    run_level: "default",
    virt_mode: "paravirt",
  });
});

test("a config keeps everything that is given, and is listed, viewed, changed and deleted", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const body = {
    label: "own",
    comments: "for tests",
    devices: { sda: { disk_id: diskOf(simulator) } },
    helpers: { network: false },
    interfaces: [{ purpose: "public" }, { purpose: "vlan", label: "lan", ipam_address: "10.0.0.1/24" }],
    kernel: "compute/grub2",
    memory_limit: 1024,
    root_device: "/dev/sdb",
    run_level: "single",
    virt_mode: "fullvirt",
  };
  const { id } = await simulator.ok("POST", `${instance.path}/configs`, body);
  const path = `${instance.path}/configs/${String(id)}`;
  expect(await simulator.ok("GET", path)).toMatchObject({
    ...body,
    devices: { sda: { disk_id: diskOf(simulator), volume_id: null }, sdb: null },
    helpers: { network: false, distro: true },
    interfaces: [{ purpose: "public", label: null, ipam_address: null }, body.interfaces[1]],
  });
  const changed = await simulator.ok("PUT", path, { label: "other", comments: null, interfaces: [], devices: {} });
  expect(changed).toMatchObject({ label: "other", comments: null, interfaces: [], kernel: "compute/grub2" });
  expect(changed["devices"]).toMatchObject({ sda: null });
  expect((await instance.list("configs")).map((config) => config["label"])).toContain("other");
  expect(await simulator.ok("DELETE", path)).toEqual({});
  expect((await simulator.call("GET", path)).status).toBe(404);
  expect(await instance.status()).toBe("running");
});

test("a change leaves what it does not name", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, { interfaces: [{ purpose: "vlan", label: "lan" }] });
  const [before] = await instance.list("configs");
  const path = `${instance.path}/configs/${String(before?.["id"])}`;
  expect(await simulator.ok("PUT", path, {})).toEqual({ ...before, updated: "2026-01-01T00:01:00" });
});

test.each([
  { body: { devices: undefined }, field: "devices", why: "required on create" },
  { body: { label: undefined }, field: "label", why: "required on create" },
  { body: { label: "" }, field: "label", why: "below 1 character" },
  { body: { label: "x".repeat(49) }, field: "label", why: "above 48 characters" },
  { body: { kernel: "compute/none" }, field: "kernel", why: "no such kernel" },
  { body: { run_level: "fast" }, field: "run_level", why: "not of the enumeration" },
  { body: { virt_mode: "real" }, field: "virt_mode", why: "not of the enumeration" },
  { body: { devices: { sda: { disk_id: 1 } } }, field: "devices.sda.disk_id", why: "no disk of the instance" },
  { body: { devices: { sda: { volume_id: 1 } } }, field: "devices.sda.volume_id", why: "no volume of the instance" },
  { body: { helpers: { network: 1 } }, field: "helpers.network", why: "a wrong type" },
  { body: { interfaces: [1, 2, 3, 4].map(() => ({ purpose: "public" })) }, field: "interfaces", why: "more than 3" },
  { body: { interfaces: [{ purpose: "vlan" }] }, field: "interfaces.0.label", why: "a VLAN without a label" },
])("create refuses $field: $why", async ({ body, field }) => {
  const simulator = await running();
  const instance = await instanceOf(simulator, EMPTY);
  const reply = await simulator.call("POST", `${instance.path}/configs`, { ...MINIMAL, ...body });
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, field]);
});

test("part 3 section 4.3 rule 5: a region without VLANs refuses a config with one", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, { ...EMPTY, region: "us-west" });
  const body = { ...MINIMAL, interfaces: [{ purpose: "vlan", label: "lan" }] };
  expect((await simulator.call("POST", `${instance.path}/configs`, body)).status).toBe(400);
});

test("a config of another instance is not found", async () => {
  const simulator = await running();
  const first = await instanceOf(simulator);
  const second = await instanceOf(simulator);
  const [config] = await first.list("configs");
  expect((await simulator.call("GET", `${second.path}/configs/${String(config?.["id"])}`)).status).toBe(404);
});

test("part 2 section 4.5 rule 3: a reboot takes the last booted config, else the only one, else it is an error", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, EMPTY);
  const boot = (verb: string, body?: object) => simulator.call("POST", `${instance.path}/${verb}`, body);
  expect(reasons(await boot("reboot"))[0]).toMatch(/^config_id: /);
  const { id } = await simulator.ok("POST", `${instance.path}/configs`, MINIMAL);
  expect((await boot("reboot", { config_id: null })).status).toBe(200);
  await simulator.clock.advance(15_000);
  await simulator.ok("POST", `${instance.path}/configs`, { ...MINIMAL, label: "second" });
  expect((await boot("reboot")).status).toBe(200);
  await simulator.clock.advance(15_000);
  await simulator.ok("DELETE", `${instance.path}/configs/${String(id)}`);
  await simulator.ok("POST", `${instance.path}/configs`, { ...MINIMAL, label: "third" });
  expect(reasons(await boot("reboot"))[0]).toMatch(/^config_id: /);
});

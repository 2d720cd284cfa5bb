import { expect, test } from "vitest";
import { DEBIAN, reasons, running } from "../../running.ts";
import type { Running } from "../../running.ts";

async function runningInstance(simulator: Running, body: Record<string, unknown> = DEBIAN): Promise<string> {
  const { id } = await simulator.ok("POST", "/compute/instances", body);
  await simulator.clock.advance(30_000);
  return `/compute/instances/${String(id)}`;
}

const status = async (simulator: Running, path: string) => (await simulator.ok("GET", path))["status"];

test("an instance from an image is provisioned and then runs", async () => {
  const simulator = await running();
  const created = await simulator.ok("POST", "/compute/instances", {
    ...DEBIAN,
    label: "web-1",
    tags: ["a-tag"],
    private_ip: true,
  });
  expect(created).toMatchObject({
    status: "provisioning",
    label: "web-1",
    image: "compute/debian12",
    tags: ["a-tag"],
    created: "2026-01-01T00:00:00",
    hypervisor: "kvm",
    has_user_data: false,
    specs: { disk: 51_200, memory: 2048, vcpus: 1 },
    alerts: { cpu: 90 },
    backups: { enabled: false, available: false },
  });
  expect(created["ipv4"]).toEqual(["198.18.0.2", expect.stringMatching(/^192\.168\./)]);
  expect(created["ipv6"]).toMatch(/^2001:db8:.*\/128$/);
  const path = `/compute/instances/${String(created["id"])}`;
  await simulator.clock.advance(29_000);
  expect(await status(simulator, path)).toBe("provisioning");
  await simulator.clock.advance(1_000);
  expect(await status(simulator, path)).toBe("running");
});

test("an image makes a main disk, a swap disk and a config", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/compute/instances", { ...DEBIAN, swap_size: 1024 });
  const [main, swap] = simulator.control.rows("disk");
  expect([main?.["size"], swap?.["size"], swap?.["filesystem"]]).toEqual([50_176, 1024, "swap"]);
  expect(simulator.control.rows("config")).toMatchObject([
    { kernel: "compute/latest-64bit", devices: { sda: { disk_id: main?.["id"] }, sdb: { disk_id: swap?.["id"] } } },
  ]);
});

test("without an image an instance stays off, and has nothing to boot", async () => {
  const simulator = await running();
  const path = await runningInstance(simulator, { region: "us-east", type: "g6-nanode-1" });
  expect(await simulator.ok("GET", path)).toMatchObject({ status: "offline", image: null });
  expect(reasons(await simulator.call("POST", `${path}/boot`))[0]).toMatch(/^config_id: /);
});

test("booted false ends in offline", async () => {
  const simulator = await running();
  expect(await status(simulator, await runningInstance(simulator, { ...DEBIAN, booted: false }))).toBe("offline");
});

test.each([
  { body: { region: "moon" }, field: "region", why: "no such region" },
  { body: { type: "g9-huge" }, field: "type", why: "no such type" },
  { body: { type: "g1-gpu-rtx6000-1", region: "us-west" }, field: "type", why: "not sold there" },
  { body: { image: "compute/none" }, field: "image", why: "no such image" },
  { body: { root_pass: undefined }, field: "root_pass", why: "needed with an image" },
  { body: { root_pass: "short1" }, field: "root_pass", why: "below 7 characters" },
  { body: { root_pass: "x".repeat(129) }, field: "root_pass", why: "above 128 characters" },
  { body: { label: "ab" }, field: "label", why: "below 3 characters" },
  { body: { label: "a--b" }, field: "label", why: "two dashes in a row" },
  { body: { label: "-abc" }, field: "label", why: "begins with a dash" },
  { body: { label: "x".repeat(65) }, field: "label", why: "above 64 characters" },
  { body: { tags: ["ab"] }, field: "tags.0", why: "a tag below 3 characters" },
  { body: { swap_size: -1 }, field: "swap_size", why: "negative" },
  { body: { swap_size: 51_200 }, field: "swap_size", why: "no room for the image" },
  { body: { authorized_users: ["demo"] }, field: "authorized_users", why: "the user has no SSH key" },
  { body: { metadata: { user_data: "%%%" } }, field: "metadata.user_data", why: "not base-64" },
  {
    body: { metadata: { user_data: "YQ==" }, image: "compute/alpine3.20" },
    field: "metadata.user_data",
    why: "image without cloud-init",
  },
  { body: { metadata: { user_data: "YQ==" }, region: "us-west" }, field: "region", why: "region without Metadata" },
  { body: { stackscript_id: 99 }, field: "stackscript_id", why: "no such script" },
  { body: { stackscript_id: 2, image: "compute/debian11" }, field: "image", why: "not compatible with the script" },
  { body: { stackscript_id: 2 }, field: "stackscript_data", why: "the script asks for a field" },
  {
    body: { stackscript_id: 1, stackscript_data: { a: "x".repeat(65_535) } },
    field: "stackscript_data",
    why: "too long",
  },
  { body: { backup_id: 1 }, field: "backup_id", why: "no such backup" },
  { body: { interfaces: [1, 2, 3, 4].map(() => ({ purpose: "public" })) }, field: "interfaces", why: "more than 3" },
  { body: { interfaces: [{ purpose: "vlan" }] }, field: "interfaces.0.label", why: "a VLAN without a label" },
  {
    body: { interfaces: [{ purpose: "vlan", label: "a_b" }] },
    field: "interfaces.0.label",
    why: "an underscore in a VLAN label",
  },
  {
    body: { interfaces: [{ purpose: "vlan", label: "lan", ipam_address: "10.0.0.1" }] },
    field: "interfaces.0.ipam_address",
    why: "no prefix length",
  },
  {
    body: { interfaces: [{ purpose: "vlan", label: "lan" }], region: "us-west" },
    field: "interfaces",
    why: "region without VLANs",
  },
  { body: { booted: "yes" }, field: "booted", why: "a wrong type" },
])("create refuses $field: $why", async ({ body, field }) => {
  const simulator = await running();
  const reply = await simulator.call("POST", "/compute/instances", { ...DEBIAN, ...body });
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, field]);
  expect(simulator.control.rows("instance")).toEqual([]);
});

test("a negative balance refuses a creation", async () => {
  const simulator = await running();
  simulator.control.change("account", "demo", { balance: -5 }, "");
  expect((await simulator.call("POST", "/compute/instances", DEBIAN)).status).toBe(400);
});

test("user data is kept and told by a flag only", async () => {
  const simulator = await running();
  const created = await simulator.ok("POST", "/compute/instances", { ...DEBIAN, metadata: { user_data: "YQ==" } });
  expect(created["has_user_data"]).toBe(true);
  expect(JSON.stringify(created)).not.toContain("YQ==");
});

test("part 1 section 7 rule 3: while a job runs another is refused as busy", async () => {
  const simulator = await running();
  const path = await runningInstance(simulator);
  await simulator.ok("POST", `${path}/reboot`);
  expect(await status(simulator, path)).toBe("rebooting");
  const reply = await simulator.call("POST", `${path}/shutdown`);
  expect([reply.status, reasons(reply)]).toEqual([400, ["Compute busy."]]);
  await simulator.clock.advance(15_000);
  expect(await status(simulator, path)).toBe("running");
});

test("shutdown and boot go through their states", async () => {
  const simulator = await running();
  const path = await runningInstance(simulator);
  await simulator.ok("POST", `${path}/shutdown`);
  expect(await status(simulator, path)).toBe("shutting_down");
  await simulator.clock.advance(8_000);
  expect(await status(simulator, path)).toBe("offline");
  // The service's clients shut down what is off, too, and wait for the event.
  await simulator.ok("POST", `${path}/shutdown`);
  await simulator.clock.advance(8_000);
  expect(await status(simulator, path)).toBe("offline");
  await simulator.ok("POST", `${path}/boot`, { config_id: null });
  expect(await status(simulator, path)).toBe("booting");
  await simulator.clock.advance(10_000);
  expect(await status(simulator, path)).toBe("running");
});

test("a boot takes only a config of the instance", async () => {
  const simulator = await running();
  const path = await runningInstance(simulator);
  expect(reasons(await simulator.call("POST", `${path}/reboot`, { config_id: 1 }))[0]).toMatch(/^config_id: /);
});

test("an update changes what it names and merges alerts and schedule", async () => {
  const simulator = await running();
  const path = await runningInstance(simulator);
  const body = {
    label: "new-name",
    alerts: { cpu: 0 },
    backups: { schedule: { day: "Monday" } },
    watchdog_enabled: false,
  };
  expect(await simulator.ok("PUT", path, body)).toMatchObject({
    label: "new-name",
    alerts: { cpu: 0, io: 10_000 },
    backups: { schedule: { day: "Monday", window: null } },
    watchdog_enabled: false,
    status: "running",
  });
  expect((await simulator.call("PUT", path, { backups: { schedule: { window: "W1" } } })).status).toBe(400);
});

test("a deleted instance is deleting for a moment and then gone with what it held", async () => {
  const simulator = await running();
  const path = await runningInstance(simulator);
  expect(await simulator.ok("DELETE", path)).toEqual({});
  expect(await status(simulator, path)).toBe("deleting");
  expect(await simulator.ok("DELETE", path)).toEqual({});
  await simulator.clock.advance(5_000);
  expect((await simulator.call("GET", path)).status).toBe(404);
  for (const table of ["instance", "disk", "config", "address"])
    expect(simulator.control.rows(table), table).toEqual([]);
});

test("a deletion ends the job that runs", async () => {
  const simulator = await running();
  const { id } = await simulator.ok("POST", "/compute/instances", DEBIAN);
  await simulator.ok("DELETE", `/compute/instances/${String(id)}`);
  await simulator.clock.advance(60_000);
  expect((await simulator.ok("GET", "/compute/instances"))["results"]).toBe(0);
  const { data } = await simulator.ok("GET", "/account/events");
  expect((data as Record<string, unknown>[]).map((event) => [event["action"], event["status"]])).toEqual([
    ["compute_delete", "finished"],
    ["compute_create", "failed"],
  ]);
});

test("a deletion is refused while the instance is cloning", async () => {
  const simulator = await running();
  const path = await runningInstance(simulator);
  simulator.control.change("instance", path.split("/").at(-1) ?? "", { status: "cloning" });
  expect((await simulator.call("DELETE", path)).status).toBe(400);
});

test("the time scale divides the durations of jobs", async () => {
  const simulator = await running({ timeScale: 300 });
  const { id } = await simulator.ok("POST", "/compute/instances", DEBIAN);
  await simulator.clock.advance(101);
  expect(await status(simulator, `/compute/instances/${String(id)}`)).toBe("running");
});

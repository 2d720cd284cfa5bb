import { expect, test } from "vitest";
import { instanceOf } from "../compute/instance.ts";
import { DEBIAN, reasons, running } from "../running.ts";

/** Facts that clients and reports tell of the service: not-shown section 9, last list but one. */

test("clients 1: the label of an instance is unique in the account", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/compute/instances", { ...DEBIAN, label: "twin" });
  const { id } = await simulator.ok("POST", "/compute/instances", { ...DEBIAN, label: "other" });
  const again = await simulator.call("POST", "/compute/instances", { ...DEBIAN, label: "twin" });
  const renamed = await simulator.call("PUT", `/compute/instances/${String(id)}`, { label: "twin" });
  expect([again.status, ...reasons(again), ...reasons(renamed)]).toEqual([
    400,
    "label: Label must be unique",
    "label: Label must be unique",
  ]);
});

test("clients 2: a tag that exists in another case is shown as it exists", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/tags", { label: "Web" });
  const made = await simulator.ok("POST", "/compute/instances", { ...DEBIAN, tags: ["web", "WEB"] });
  expect(made["tags"]).toEqual(["Web"]);
  expect(await simulator.ok("POST", "/tags", { label: "wEB" })).toEqual({ label: "Web" });
  expect((await simulator.ok("GET", "/tags"))["data"]).toEqual([{ label: "Web" }]);
  expect((await simulator.ok("GET", "/tags/web"))["results"]).toBe(1);
});

test("clients 3: an instance that is still provisioning accepts a boot and boots when it is made", async () => {
  const simulator = await running();
  const made = await simulator.ok("POST", "/compute/instances", { ...DEBIAN, booted: false });
  const path = `/compute/instances/${String(made["id"])}`;
  await simulator.ok("POST", `${path}/boot`);
  expect(await simulator.ok("GET", path)).toMatchObject({ status: "provisioning" });
  simulator.control.clock.advance(60_000);
  expect(await simulator.ok("GET", path)).toMatchObject({ status: "running" });
});

test("clients 4: a pending snapshot is available and empty", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator);
  const snapshot = await simulator.ok("POST", `${machine.path}/backups`, { label: "before" });
  expect(snapshot).toMatchObject({ status: "pending", available: true, configs: [], disks: [] });
});

test("clients 5: the message of an event without one is empty", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/tags", { label: "web" });
  const { data } = await simulator.ok("GET", "/account/events");
  expect((data as { message: unknown }[])[0]?.message).toBe("");
});

test("clients 6: the list of tagged objects holds reserved addresses, which have no id", async () => {
  const simulator = await running();
  const body = { type: "ipv4", public: true, reserved: true, region: "us-east" };
  const { address } = await simulator.ok("POST", "/networking/ips", body);
  await simulator.ok("POST", "/tags", { label: "kept", reserved_ipv4_addresses: [address] });
  const { data } = await simulator.ok("GET", "/tags/kept");
  expect(data).toMatchObject([{ type: "reserved_ipv4_address", data: { address, tags: ["kept"] } }]);
  expect((data as { data: object }[])[0]?.data).not.toHaveProperty("id");
  await simulator.ok("DELETE", "/tags/kept");
  expect(await simulator.ok("GET", `/networking/ips/${String(address)}`)).toMatchObject({ tags: [] });
});

test("clients 7: an active database shows its disk sizes, its oldest restore time and its members", async () => {
  const simulator = await running();
  const body = { label: "data", region: "us-east", type: "g6-nanode-1", engine: "mysql/8", cluster_size: 3 };
  const { id } = await simulator.ok("POST", "/databases/mysql/instances", body);
  simulator.control.clock.advance(3_600_000);
  const shown = await simulator.ok("GET", `/databases/mysql/instances/${String(id)}`);
  expect(shown).toMatchObject({ status: "active", total_disk_size_gb: 25, used_disk_size_gb: 1 });
  expect(shown["oldest_restore_time"]).toMatch(/^2026-01-01T/);
  expect(Object.values(shown["members"] as object)).toEqual(["primary", "failover", "failover"]);
});

test.each([
  ["/profile/sshkeys", { label: "laptop" }, 0],
  ["/regions", { id: "us-east" }, 1],
  ["/object-storage/clusters", { region: "us-east" }, 1],
])("clients 8: %s is filtered by %j", async (path, filter, results) => {
  const simulator = await running();
  const headers = { "X-Filter": JSON.stringify(filter) };
  expect(await simulator.ok("GET", path, undefined, { headers })).toMatchObject({ results });
});

test("clients 9: events are found by an entity of type disks with the id of the disk", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator, { image: null, root_pass: null });
  const { id } = await simulator.ok("POST", `${machine.path}/disks`, { label: "data", size: 512 });
  const find = async (type: string) => {
    const headers = { "X-Filter": JSON.stringify({ "entity.id": id, "entity.type": type }) };
    return (await simulator.ok("GET", "/account/events", undefined, { headers }))["data"];
  };
  expect(await find("disks")).toMatchObject([{ action: "disk_create", entity: { id: machine.id, type: "compute" } }]);
  expect(await find("domain")).toEqual([]);
});

test("clients 10: a path with another brand word than the service's own does not exist", async () => {
  const simulator = await running({ brandWord: "acme" });
  expect((await simulator.call("GET", "/compute/instances")).status).toBe(404);
  expect((await simulator.call("GET", "/acme/instances")).status).toBe(200);
});

test("clients 11: a reverse name that leads to another address is refused in other words than one that leads nowhere", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator);
  const { ipv4 } = await simulator.ok("GET", machine.path);
  const zone = { domain: "example.org", type: "master", soa_email: "a@example.org" };
  const { id } = await simulator.ok("POST", "/domains", zone);
  await simulator.ok("POST", `/domains/${String(id)}/records`, { type: "A", name: "www", target: "203.0.113.9" });
  const set = async (rdns: string) =>
    reasons(await simulator.call("PUT", `/networking/ips/${String((ipv4 as string[])[0])}`, { rdns }))[0];
  expect(await set("www.example.org")).toMatch(/no match was found/i);
  expect(await set("nowhere.example.org")).toMatch(/unable to look up/i);
});

import { expect, test } from "vitest";
import { instanceOf } from "../compute/instance.ts";
import { DEBIAN, reasons, running } from "../running.ts";

const DOMAIN = { domain: "example.org", type: "master", soa_email: "a@example.org" };
const DATABASE = { label: "data", engine: "mysql/8.0.35", region: "us-east", type: "g6-nanode-1" };
const RULES = { inbound_policy: "DROP", outbound_policy: "ACCEPT" };

test("shapes 1: an error without a field leaves it out", async () => {
  const simulator = await running();
  expect((await simulator.call("GET", "/domains/9")).body).toEqual({ errors: [{ reason: "Not found" }] });
  const named = (await simulator.call("POST", "/domains", { ...DOMAIN, domain: 1 })).body;
  expect(named).toMatchObject({ errors: [{ field: "domain" }] });
});

test("shapes 2: description and group of a domain are empty when unset", async () => {
  const simulator = await running();
  expect(await simulator.ok("POST", "/domains", DOMAIN)).toMatchObject({ description: "", group: "" });
});

test("shapes 3: configs carry created, updated and initrd", async () => {
  const simulator = await running();
  const { path } = await instanceOf(simulator);
  const made = await simulator.ok("POST", `${path}/configs`, { label: "own", devices: {} });
  await simulator.clock.advance(60_000);
  const changed = await simulator.ok("PUT", `${path}/configs/${String(made["id"])}`, { label: "named" });
  const created = "2026-01-01T00:01:00";
  expect([made, changed]).toMatchObject([
    { created, updated: created, initrd: null },
    { created, updated: "2026-01-01T00:02:00", initrd: null },
  ]);
});

test("shapes 4: memory_limit reads 0 unless it was set, also of another type", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator);
  await simulator.ok("POST", `${machine.path}/configs`, { label: "small", devices: {}, memory_limit: 512 });
  await simulator.ok("POST", `${machine.path}/resize`, { type: "g6-standard-2" });
  await simulator.clock.advance(600_000);
  expect((await machine.list("configs")).map((config) => config["memory_limit"])).toEqual([0, 512]);
});

test("shapes 5: outbound rules sent as null read null, and those left out are empty", async () => {
  const simulator = await running();
  const body = { label: "wall", rules: { ...RULES, outbound: null } };
  const firewall = await simulator.ok("POST", "/networking/firewalls", body);
  expect(firewall["rules"]).toMatchObject({ inbound: [], outbound: null });
  expect(await simulator.ok("GET", "/networking/firewalls/1/rules")).toEqual(firewall["rules"]);
});

test("shapes 6: rules hold references to rule sets, a fingerprint that tells them apart, and a version", async () => {
  const simulator = await running();
  const rules = { ...RULES, inbound: [{ ruleset: 7 }] };
  const made = await simulator.ok("POST", "/networking/firewalls", { label: "wall", rules });
  const first = made["rules"] as Record<string, unknown>;
  expect(first).toMatchObject({ inbound: [{ ruleset: 7 }], version: 1 });
  const second = await simulator.ok("PUT", "/networking/firewalls/1/rules", { ...rules, inbound: [{ ruleset: 8 }] });
  expect(second).toMatchObject({ inbound: [{ ruleset: 8 }], version: 2 });
  expect(second["fingerprint"]).not.toBe(first["fingerprint"]);
});

test("shapes 7: a database has hosts from the start, standby beside secondary", async () => {
  const simulator = await running();
  const made = await simulator.ok("POST", "/databases/mysql/instances", DATABASE);
  const { primary, secondary, standby } = made["hosts"] as Record<string, string>;
  expect([made["status"], standby]).toEqual(["provisioning", secondary]);
  expect(primary).toMatch(/^compute-101-mysql-primary\./);
  await simulator.clock.advance(3_600_000);
  const active = await simulator.ok("GET", "/databases/mysql/instances/101");
  expect(active["hosts"]).toEqual(made["hosts"]);
});

test("shapes 8: buckets of newer regions have an empty cluster and a region, by which they are found", async () => {
  const simulator = await running();
  const body = { label: "media", region: "us-ord" };
  const made = await simulator.ok("POST", "/object-storage/buckets", body);
  expect(made).toMatchObject({ cluster: "", region: "us-ord", hostname: "media.us-ord-1.objects.example.com" });
  expect(await simulator.ok("POST", "/object-storage/buckets", { label: "media", region: "us-east" })).toMatchObject({
    cluster: "us-east-1",
    region: "us-east",
  });
  expect(await simulator.ok("GET", "/object-storage/buckets/us-ord/media")).toEqual(made);
  expect((await simulator.ok("GET", "/object-storage/buckets/us-ord"))["data"]).toEqual([made]);
  const signed = { name: "a", method: "GET" };
  const { url } = await simulator.ok("POST", "/object-storage/buckets/us-ord/media/object-url", signed);
  expect(String(url)).toContain("/objects/us-ord/media/a?");
  const bucket_access = [{ bucket_name: "media", region: "us-ord", permissions: "read_only" }];
  const key = await simulator.ok("POST", "/object-storage/keys", { label: "key", bucket_access });
  expect(key["bucket_access"]).toEqual([{ ...bucket_access[0], cluster: "" }]);
});

test("shapes 9: newer fields are on every object, in the brand word", async () => {
  const simulator = await running({ brandWord: "acme" });
  const machine = await simulator.ok("POST", "/acme/instances", { ...DEBIAN, image: "acme/debian12" });
  expect(machine).toMatchObject({
    capabilities: [],
    placement_group: null,
    disk_encryption: "enabled",
    lke_cluster_id: null,
    interface_generation: "legacy_config",
    maintenance_policy: "acme/migrate",
  });
  const database = await simulator.ok("POST", "/databases/mysql/instances", DATABASE);
  expect(database).toMatchObject({ engine_config: {}, members: {}, platform: "rdbms-default" });
  expect(await simulator.ok("POST", "/domains", DOMAIN)).toHaveProperty("updated");
  const bucket = await simulator.ok("POST", "/object-storage/buckets", { label: "media", cluster: "us-east-1" });
  expect(bucket).toMatchObject({ s3_endpoint: "us-east-1.objects.example.com", endpoint_type: "E0" });
});

test("shapes 10: an instance that is resized is resizing; billing_suspension is a status, too", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator);
  await simulator.ok("POST", `${machine.path}/resize`, { type: "g6-standard-2" });
  expect(await machine.status()).toBe("resizing");
  await simulator.clock.advance(600_000);
  simulator.control.change("instance", machine.id, { status: "billing_suspension" });
  expect(await machine.status()).toBe("billing_suspension");
});

test("shapes 11: a maintenance window may read four hours, but a request has at most three", async () => {
  const simulator = await running();
  const { updates } = await simulator.ok("POST", "/databases/mysql/instances", DATABASE);
  expect(updates).toMatchObject({ duration: 4 });
  await simulator.clock.advance(3_600_000);
  const reply = await simulator.call("PUT", "/databases/mysql/instances/101", { updates });
  expect(reasons(reply)).toEqual(["updates.duration: Must be between 1 and 3"]);
});

import { expect, test } from "vitest";
import { instanceOf } from "../compute/instance.ts";
import { DEBIAN, reasons, running } from "../running.ts";
import type { Running } from "../running.ts";

const DOMAIN = { domain: "example.org", type: "master", soa_email: "a@example.org" };
const DATABASE = { label: "data", engine: "mysql/8.0.35", region: "us-east", type: "g6-nanode-1" };

test("the account shows who the customer is, empty where nothing was said", async () => {
  const simulator = await running({ brandWord: "acme" });
  const account = await simulator.ok("GET", "/account");
  const texts = ["first_name", "last_name", "address_1", "address_2", "city", "state", "zip", "country", "phone"];
  expect(account).toMatchObject(Object.fromEntries([...texts, "tax_id"].map((name) => [name, ""])));
  expect(account).toMatchObject({
    credit_card: { last_four: null, expiry: null },
    billing_source: "acme",
    active_promotions: [],
  });
});

test("events, domains, instances, backups and databases show the fields of a younger service", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator);
  expect(await machine.read()).toMatchObject({ alerts: { cpu: 90, system_alerts: [], user_alerts: [] } });
  expect(await simulator.ok("POST", `${machine.path}/backups`, { label: "before" })).toMatchObject({
    region: "us-east",
  });
  expect(await simulator.ok("POST", "/domains", DOMAIN)).toMatchObject({ errors: "" });
  const { data: events } = await simulator.ok("GET", "/account/events");
  expect((events as object[])[0]).toMatchObject({ details: {} });
  const database = await simulator.ok("POST", "/databases/mysql/instances", DATABASE);
  expect(database).toMatchObject({ updates: { pending: [] }, total_disk_size_gb: 25, oldest_restore_time: null });
});

test("an interface tells whether it is in use, and a VLAN without an address has an empty one", async () => {
  const simulator = await running();
  const interfaces = [{ purpose: "public" }, { purpose: "vlan", label: "lan" }];
  const machine = await instanceOf(simulator, { interfaces });
  const none = { primary: false, vpc_id: null, subnet_id: null, ipv4: null, ipv6: null, ip_ranges: null };
  const [config] = await machine.list("configs");
  expect(config?.["interfaces"]).toMatchObject([
    { purpose: "public", ipam_address: null, active: true, ...none },
    { purpose: "vlan", ipam_address: "", active: true, ...none },
  ]);
  await simulator.ok("POST", `${machine.path}/shutdown`);
  await simulator.clock.advance(60_000);
  const [off] = await machine.list("configs");
  expect(off?.["interfaces"]).toMatchObject([{ active: false }, { active: false }]);
});

test("an IPv4 address names what it is assigned to, and addresses are filtered by reserved", async () => {
  const simulator = await running({ brandWord: "acme" });
  const body = { ...DEBIAN, image: "acme/debian12", label: "web" };
  const { id } = await simulator.ok("POST", "/acme/instances", body);
  const assigned_entity = { id, type: "acme", label: "web", url: `/v4/acme/instances/${String(id)}` };
  const filtered = (filter: object) => listed(simulator, "/networking/ips", filter);
  const [first] = await filtered({ reserved: false });
  expect(first).toMatchObject({ type: "ipv4", assigned_entity });
  // Reserved addresses alone have tags.
  expect(first).not.toHaveProperty("tags");
  expect(await filtered({ reserved: true })).toEqual([]);
  expect(await simulator.ok("GET", `/acme/instances/${String(id)}/ips`)).toMatchObject({
    ipv4: { public: [{ assigned_entity }], vpc: [] },
    ipv6: { vpc: [] },
  });
});

test("a region tells what of it is watched", async () => {
  const simulator = await running();
  const watched = ["Managed Databases"];
  expect(await simulator.ok("GET", "/regions/us-east")).toMatchObject({
    monitors: { alerts: watched, metrics: watched },
    placement_group_limits: { maximum_computes_per_flexible_pg: 5 },
  });
});

test("private images come before the public ones, which are in no region and are not shared", async () => {
  const simulator = await running();
  const made = await simulator.ok("POST", "/images/upload", { label: "own", region: "us-east" });
  const id = (made["image"] as { id: string }).id;
  const images = await listed(simulator, "/images");
  expect(images[0]).toMatchObject({
    id,
    is_shared: false,
    image_sharing: { shared_with: { sharegroup_count: 0, sharegroup_list_url: `/images/${id}/sharegroups` } },
  });
  expect(images[1]).toMatchObject({ is_public: true, is_shared: false, image_sharing: null, regions: null });
  const refused = await simulator.call("DELETE", `/images/${String(images[1]?.["id"])}`);
  expect([refused.status, reasons(refused)]).toEqual([403, ["Unauthorized"]]);
});

test("the service of an SRV record may have underscores within, and its protocol is TCP unless it is said", async () => {
  const simulator = await running();
  const { id } = await simulator.ok("POST", "/domains", DOMAIN);
  const body = {
    type: "SRV",
    service: "_my_service",
    target: "rc_test",
    port: 80,
    priority: 10,
    weight: 5,
  };
  const record = await simulator.ok("POST", `/domains/${String(id)}/records`, body);
  expect(record).toMatchObject({ service: "my_service", name: "_my_service._tcp", target: "rc_test.example.org" });
});

test("a type and a region that do not exist are refused together", async () => {
  const simulator = await running();
  const wrong = await simulator.call("POST", "/compute/instances", { type: "fake", region: "mars" });
  const type = "type: A valid plan type by that ID was not found";
  expect([wrong.status, reasons(wrong)]).toEqual([400, [type, "region: region is not valid"]]);
  const alone = await simulator.call("POST", "/compute/instances", { type: "fake", region: "us-east" });
  expect(reasons(alone)).toEqual([type]);
});

async function listed(simulator: Running, path: string, filter?: object): Promise<Record<string, unknown>[]> {
  const headers = filter && { "X-Filter": JSON.stringify(filter) };
  const { data } = await simulator.ok("GET", path, undefined, headers ? { headers } : {});
  return data as Record<string, unknown>[];
}

import { expect, test } from "vitest";
import { instanceOf } from "../compute/instance.ts";
import { DEBIAN, running } from "../running.ts";

/** What the recordings of the service's public clients show beside the facts of lines.tsv. */

const ANYWHERE = { ipv4: ["0.0.0.0/0"] };
const POLICIES = { inbound_policy: "ACCEPT", outbound_policy: "ACCEPT" };

test("what is shared with an instance is free again as soon as its deletion is accepted", async () => {
  const simulator = await running();
  const [owner, other] = [await instanceOf(simulator), await instanceOf(simulator)];
  const made = await simulator.ok("POST", "/networking/ipv6/ranges", { compute_id: owner.id, prefix_length: 64 });
  const range = String(made["range"]).replace("/64", "");
  await simulator.ok("POST", "/v4beta/networking/ips/share", { compute_id: other.id, ips: [range] });
  await simulator.ok("DELETE", other.path);
  await simulator.ok("DELETE", `/networking/ipv6/ranges/${range}`);
});

test("a rule without ports has no field for them", async () => {
  const simulator = await running();
  const inbound = [{ action: "DROP", protocol: "ICMP", addresses: ANYWHERE }];
  const made = await simulator.ok("POST", "/networking/firewalls", {
    label: "wall",
    rules: { ...POLICIES, inbound: [{ ...inbound[0], ports: null }] },
  });
  expect(made["rules"]).toMatchObject({ inbound });
  expect((made["rules"] as { inbound: object[] }).inbound[0]).not.toHaveProperty("ports");
});

test("comments of a config and the description of an own image are empty when unset", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator);
  expect(await simulator.ok("POST", `${machine.path}/configs`, { label: "own", devices: {} })).toMatchObject({
    comments: "",
  });
  const [disk] = await machine.list("disks");
  expect(await simulator.ok("POST", "/images", { disk_id: disk?.["id"] })).toMatchObject({ description: "" });
});

test("no authorized keys read as null", async () => {
  const simulator = await running();
  expect(await simulator.ok("PUT", "/profile", { authorized_keys: [] })).toMatchObject({ authorized_keys: null });
});

test("an image keeps its tags, and tells where its data is", async () => {
  const simulator = await running();
  const body = { label: "mine", region: "us-east", tags: ["web", "app"] };
  const { image } = await simulator.ok("POST", "/images/upload", body);
  expect(image).toMatchObject({ tags: ["web", "app"], total_size: 0, regions: [] });
  const { id } = image as { id: string };
  expect(await simulator.ok("PUT", `/images/${id}`, { tags: ["old"] })).toMatchObject({ tags: ["old"] });
  expect(await simulator.ok("GET", "/images/compute/debian12")).toMatchObject({ tags: [], regions: null });
});

test("a key of object storage names its regions, which the creation and an update may give", async () => {
  const simulator = await running();
  const made = await simulator.ok("POST", "/object-storage/keys", { label: "key", regions: ["us-ord"] });
  const region = { id: "us-ord", s3_endpoint: "us-ord-1.objects.example.com", endpoint_type: "E1" };
  expect(made["regions"]).toEqual([region]);
  const path = `/object-storage/keys/${String(made["id"])}`;
  const changed = await simulator.ok("PUT", path, { regions: ["us-ord", "us-east"] });
  expect(changed["regions"]).toMatchObject([{ id: "us-ord" }, { id: "us-east", endpoint_type: "E0" }]);
  const unknown = await simulator.call("PUT", path, { regions: ["mars"] });
  expect(unknown).toMatchObject({ status: 400, body: { errors: [{ field: "regions" }] } });
});

test("a key for buckets has their regions, also when it names none", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/object-storage/buckets", { label: "media", region: "us-ord" });
  const bucket_access = [{ bucket_name: "media", region: "us-ord", permissions: "read_only" }];
  const key = await simulator.ok("POST", "/object-storage/keys", { bucket_access });
  expect(key["regions"]).toMatchObject([{ id: "us-ord" }]);
  expect(await simulator.ok("POST", "/object-storage/keys", {})).toMatchObject({ regions: [] });
});

test("an instance is behind the firewall that its creation names", async () => {
  const simulator = await running();
  const { id } = await simulator.ok("POST", "/networking/firewalls", { label: "wall", rules: POLICIES });
  const made = await simulator.ok("POST", "/compute/instances", { ...DEBIAN, firewall_id: id });
  const path = `/compute/instances/${String(made["id"])}/firewalls`;
  expect(await simulator.ok("GET", path)).toMatchObject({ data: [{ id, label: "wall" }] });
  for (const none of [null, -1, 0])
    await simulator.ok("POST", "/compute/instances", { ...DEBIAN, label: `none${none}`, firewall_id: none });
  const unknown = await simulator.call("POST", "/compute/instances", { ...DEBIAN, firewall_id: 99 });
  expect(unknown).toMatchObject({ status: 400, body: { errors: [{ field: "firewall_id" }] } });
});

test("an instance tells what its region can do for it", async () => {
  const simulator = await running();
  const create = (region: string) => simulator.ok("POST", "/compute/instances", { ...DEBIAN, region });
  expect(await create("us-ord")).toMatchObject({ capabilities: ["Block Storage Encryption", "Maintenance Policy"] });
  expect(await create("us-west")).toMatchObject({ capabilities: [] });
});

test("addresses, devices, instances and the profile show what a younger service tells of them", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator);
  expect(await machine.read()).toMatchObject({ locks: [], site_type: "core" });
  const { data } = await simulator.ok("GET", "/networking/ips");
  const younger = { interface_id: null, reserved: false, vpc_nat_1_1: null };
  expect((data as object[])[0]).toMatchObject(younger);
  const devices = { computes: [machine.id] };
  await simulator.ok("POST", "/networking/firewalls", { label: "wall", rules: POLICIES, devices });
  const attached = await simulator.ok("GET", "/networking/firewalls/1/devices");
  expect(attached["data"]).toMatchObject([{ entity: { id: machine.id, parent_entity: null } }]);
  expect(await simulator.ok("GET", "/profile")).toMatchObject({ user_type: "default" });
});

test("a database tells settings of its engine, whatever was said of them", async () => {
  const simulator = await running();
  const body = { label: "data", engine: "mysql/8.0.35", region: "us-east", type: "g6-nanode-1" };
  const { engine_config } = await simulator.ok("POST", "/databases/mysql/instances", body);
  expect(engine_config).toMatchObject({ mysql: { sql_require_primary_key: true } });
});

test("the update of a database is an event that has finished, which clients wait for", async () => {
  const simulator = await running();
  const body = { label: "data", engine: "mysql/8.0.35", region: "us-east", type: "g6-nanode-1" };
  const { id } = await simulator.ok("POST", "/databases/mysql/instances", body);
  await simulator.clock.advance(3_600_000);
  await simulator.ok("PUT", `/databases/mysql/instances/${String(id)}`, { label: "named" });
  const headers = { "X-Filter": JSON.stringify({ action: "database_update" }) };
  const { data } = await simulator.ok("GET", "/account/events", undefined, { headers });
  expect(data).toMatchObject([{ status: "finished", entity: { id } }]);
});

test("the kernels fill more than a page of 100, releases of both architectures among them", async () => {
  const simulator = await running();
  const page = await simulator.ok("GET", "/compute/kernels?page_size=100");
  expect(page).toMatchObject({ pages: 2, page: 1 });
  const headers = { "X-Filter": JSON.stringify({ label: "5.17.5-x86_64-compute154" }) };
  const { data } = await simulator.ok("GET", "/compute/kernels", undefined, { headers });
  expect(data).toMatchObject([{ id: "compute/5.17.5-x86_64-compute154", version: "5.17.5", architecture: "x86_64" }]);
  await simulator.ok("GET", "/compute/kernels/compute/5.17.5-x86-compute174");
});

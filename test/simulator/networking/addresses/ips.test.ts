import { expect, test } from "vitest";
import { reasons, running } from "../../running.ts";
import type { Reply, Running } from "../../running.ts";
import { instance } from "../firewalls/firewall-bodies.ts";

const path = "/networking/ips";
const RESTRICTED = { token: "demo-token-restricted" };

const firstField = (reply: Reply) => reasons(reply)[0]?.split(": ")[0];

interface Shown {
  address: string;
  type: string;
  public: boolean;
  compute_id: number | null;
}

async function listed(simulator: Running): Promise<Shown[]> {
  return (await simulator.ok("GET", path))["data"] as Shown[];
}

function grant(simulator: Running, id: number, permission: "read_only" | "read_write"): void {
  const grants = { account_access: null, global: {}, entities: { compute: { [id]: permission } } };
  simulator.control.change("user", "demo-restricted", { grants });
}

test("addresses are listed without private ones, with ranges and pools", async () => {
  const simulator = await running();
  const { id } = await simulator.ok("POST", "/compute/instances", {
    region: "us-east",
    type: "g6-nanode-1",
    private_ip: true,
  });
  await simulator.ok("POST", "/networking/ipv6/ranges", { prefix_length: 64, compute_id: id });
  const all = await listed(simulator);
  expect(all.map((row) => [row.type, row.compute_id, row.public])).toEqual([
    ["ipv4", id, true],
    ["ipv6", id, true],
    ["ipv6/range", id, true],
    ["ipv6/pool", null, true],
  ]);
  for (const row of all) expect(await simulator.ok("GET", `${path}/${row.address}`)).toEqual(row);
  expect(all[0]).toEqual({
    address: "198.18.0.2",
    gateway: "198.18.0.1",
    compute_id: id,
    prefix: 24,
    public: true,
    rdns: "198-18-0-2.ip.example.com",
    interface_id: null,
    reserved: false,
    assigned_entity: { id, type: "compute", label: `compute${String(id)}`, url: `/v4/compute/instances/${String(id)}` },
    vpc_nat_1_1: null,
    region: "us-east",
    subnet_mask: "255.255.255.0",
    type: "ipv4",
  });
  expect(await simulator.ok("GET", `${path}/198.18.0.2`)).toEqual(all[0]);
  expect(all[3]).toMatchObject({
    address: "2001:db8:aaaa::",
    prefix: 116,
    subnet_mask: "ffff:ffff:ffff:ffff:ffff:ffff:ffff:f000",
  });
});

test("addresses are filtered by region, and not by their gateway", async () => {
  const simulator = await running();
  await instance(simulator, "eu-west");
  const filtered = (filter: unknown) =>
    simulator.call("GET", path, undefined, { headers: { "X-Filter": JSON.stringify(filter) } });
  expect((await filtered({ region: "eu-west" })).body["results"]).toBe(2);
  expect((await filtered({ gateway: "198.18.0.1" })).status).toBe(400);
});

test("allocation gives an instance another public address, and one private one", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  const open = await simulator.ok("POST", path, { type: "ipv4", public: true, compute_id: id });
  expect(open).toMatchObject({ type: "ipv4", public: true, compute_id: id, region: "us-east" });
  const closed = await simulator.ok("POST", path, { type: "ipv4", public: false, compute_id: id });
  expect(closed).toMatchObject({ public: false, gateway: null, prefix: 17, rdns: null });
  expect((await simulator.ok("GET", `/compute/instances/${id}`))["ipv4"]).toHaveLength(3);
  expect((await simulator.call("POST", path, { type: "ipv4", public: false, compute_id: id })).status).toBe(400);
});

test("the instance must be configured for additional addresses: there are 16 public ones at most", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  const body = { type: "ipv4", public: true, compute_id: id };
  for (let count = 2; count <= 16; count += 1) await simulator.ok("POST", path, body);
  expect((await simulator.call("POST", path, body)).status).toBe(400);
});

test.each([
  { body: { type: undefined }, field: "type", why: "type is required" },
  { body: { public: undefined }, field: "public", why: "public is required" },
  { body: { compute_id: undefined }, field: "compute_id", why: "compute_id is required" },
  { body: { compute_id: 999 }, field: "compute_id", why: "there is no such instance" },
])("IP allocation: $why", async ({ body, field }) => {
  const simulator = await running();
  const id = await instance(simulator);
  const reply = await simulator.call("POST", path, { type: "ipv4", public: true, compute_id: id, ...body });
  expect([reply.status, firstField(reply)]).toEqual([400, field]);
});

test("part 3 section 4.3 rule 3: reverse DNS needs forward DNS that leads to the address, and null resets it to the default", async () => {
  const simulator = await running();
  await instance(simulator);
  const one = `${path}/198.18.0.2`;
  const set = () => simulator.call("PUT", one, { rdns: "www.example.org" });
  expect([(await set()).status, firstField(await set())]).toEqual([400, "rdns"]);
  const domain = { domain: "example.org", type: "master", soa_email: "a@example.org" };
  const { id } = await simulator.ok("POST", "/domains", domain);
  const record = { type: "A", name: "www", target: "198.18.0.3" };
  const { id: recordId } = await simulator.ok("POST", `/domains/${String(id)}/records`, record);
  expect((await set()).status).toBe(400);
  await simulator.ok("PUT", `/domains/${String(id)}/records/${String(recordId)}`, { target: "198.18.0.2" });
  expect((await set()).body["rdns"]).toBe("www.example.org");
  expect((await simulator.ok("GET", one))["rdns"]).toBe("www.example.org");
  expect((await simulator.ok("PUT", one, { rdns: null }))["rdns"]).toBe("198-18-0-2.ip.example.com");
  await simulator.ok("PUT", `/domains/${String(id)}`, { status: "disabled" });
  expect((await set()).status).toBe(400);
});

test("reverse DNS works for IPv6 in any spelling, and by a zone that is served elsewhere", async () => {
  const simulator = await running();
  await instance(simulator);
  const slaac = (await listed(simulator)).find((row) => row.type === "ipv6")?.address ?? "";
  const long = slaac.replace("2001:db8:", "2001:0DB8:");
  simulator.control.domains.setRemoteZone({
    nameserver: "ns1.example.net",
    domain: "example.net",
    records: [{ type: "AAAA", target: long }],
  });
  expect((await simulator.ok("PUT", `${path}/${slaac}`, { rdns: "example.net" }))["rdns"]).toBe("example.net");
  const skipped = (await simulator.ok("GET", `${path}?skip_ipv6_rdns=true`))["data"] as Record<string, unknown>[];
  expect(skipped.find((row) => row["type"] === "ipv6")?.["rdns"]).toBeNull();
  expect((await simulator.ok("PUT", `${path}/${slaac}`, { rdns: null }))["rdns"]).toBeNull();
});

test.each([
  { body: {}, why: "rdns is required" },
  { body: { rdns: "not a name" }, why: "rdns is a host name" },
  { body: { rdns: 5 }, why: "a wrong type" },
])("reverse DNS: $why", async ({ body }) => {
  const simulator = await running();
  await instance(simulator);
  expect(firstField(await simulator.call("PUT", `${path}/198.18.0.2`, body))).toBe("rdns");
});

test("a private address has no reverse DNS, and an unknown one is a 404", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  const { address } = await simulator.ok("POST", path, { type: "ipv4", public: false, compute_id: id });
  const reply = await simulator.call("PUT", `${path}/${String(address)}`, { rdns: "www.example.org" });
  expect(firstField(reply)).toBe("rdns");
  expect((await simulator.call("GET", `${path}/198.18.9.9`)).status).toBe(404);
});

test.each([
  { method: "GET", path, scopes: "ips:read_only", status: 200 },
  { method: "GET", path, scopes: "compute:read_write", status: 403 },
  { method: "PUT", path: `${path}/198.18.0.2`, scopes: "ips:read_only", status: 403 },
  { method: "POST", path, scopes: "ips:read_write", status: 403 },
  { method: "POST", path, scopes: "ips:read_write compute:read_write", status: 400 },
])("IP scopes: $method $path with $scopes is $status", async ({ method, path: wanted, scopes, status }) => {
  const simulator = await running();
  await instance(simulator);
  simulator.control.addToken({ token: "scoped", username: "demo", scopes });
  const body = method === "GET" ? undefined : {};
  expect((await simulator.call(method, wanted, body, { token: "scoped" })).status).toBe(status);
});

test("a restricted user sees the addresses of its instances, and changes them with read_write", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  await instance(simulator);
  const call = (method: string, body?: unknown) => simulator.call(method, `${path}/198.18.0.2`, body, RESTRICTED);
  expect((await call("GET")).status).toBe(404);
  grant(simulator, id, "read_only");
  expect((await call("GET")).status).toBe(200);
  expect((await simulator.ok("GET", path, undefined, RESTRICTED))["results"]).toBe(3);
  expect((await call("PUT", { rdns: null })).status).toBe(403);
  const body = { type: "ipv4", public: true, compute_id: id };
  expect((await simulator.call("POST", path, body, RESTRICTED)).status).toBe(403);
  grant(simulator, id, "read_write");
  expect((await call("PUT", { rdns: null })).status).toBe(200);
  expect((await simulator.call("POST", path, body, RESTRICTED)).status).toBe(200);
});

test("the addresses of an instance are told by kind", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  const one = `/compute/instances/${id}/ips`;
  const closed = await simulator.ok("POST", one, { type: "ipv4", public: false });
  const { range } = await simulator.ok("POST", "/networking/ipv6/ranges", { prefix_length: 56, compute_id: id });
  const other = await instance(simulator);
  await simulator.ok("POST", "/networking/ipv4/share", { compute_id: id, ips: ["198.18.0.3"] });
  const { ipv4, ipv6 } = (await simulator.ok("GET", one)) as Record<string, Record<string, unknown>>;
  expect(ipv4).toMatchObject({
    public: [{ address: "198.18.0.2" }],
    private: [closed],
    shared: [{ address: "198.18.0.3", compute_id: other }],
    reserved: [],
  });
  expect(ipv6).toMatchObject({
    slaac: { type: "ipv6", public: true, compute_id: id },
    link_local: { address: expect.stringMatching(/^fe80::/), public: false, compute_id: id },
    global: [{ range: String(range).split("/")[0], prefix: 56, region: "us-east" }],
  });
});

test("the last public address is never removed, others are", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  const one = `/compute/instances/${id}/ips`;
  expect((await simulator.call("DELETE", `${one}/198.18.0.2`)).status).toBe(400);
  const { address } = await simulator.ok("POST", one, { type: "ipv4", public: true });
  const closed = await simulator.ok("POST", one, { type: "ipv4", public: false });
  expect(await simulator.ok("DELETE", `${one}/198.18.0.2`)).toEqual({});
  expect(await simulator.ok("DELETE", `${one}/${String(closed["address"])}`)).toEqual({});
  expect((await simulator.call("DELETE", `${one}/${String(address)}`)).status).toBe(400);
  expect((await simulator.call("GET", `${path}/198.18.0.2`)).status).toBe(404);
});

test("an address is removed from the instance that has it, and a SLAAC address stays", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  await instance(simulator);
  expect((await simulator.call("DELETE", `/compute/instances/${id}/ips/198.18.0.3`)).status).toBe(404);
  const slaac = (await listed(simulator)).find((row) => row.type === "ipv6")?.address ?? "";
  expect((await simulator.call("DELETE", `/compute/instances/${id}/ips/${slaac}`)).status).toBe(400);
});

import { expect, test } from "vitest";
import { DEBIAN, reasons, running } from "../../running.ts";
import { instance } from "../firewalls/firewall-bodies.ts";

const path = "/networking/ipv6/ranges";

test("a range is routed to an instance and seen by lists and view", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  const { ipv6 } = await simulator.ok("GET", `/compute/instances/${id}`);
  const route_target = String(ipv6).replace("/128", "");
  const created = await simulator.ok("POST", path, { prefix_length: 64, compute_id: id });
  expect(created).toEqual({ range: expect.stringMatching(/^2001:db8:.*::\/64$/), route_target });
  const range = String(created["range"]).replace("/64", "");
  expect((await simulator.ok("GET", path))["data"]).toEqual([{ range, prefix: 64, region: "us-east", route_target }]);
  expect(await simulator.ok("GET", `${path}/${range}`)).toEqual({
    range,
    prefix: 64,
    region: "us-east",
    is_bgp: false,
    computes: [id],
  });
});

test("an IPv6 address means the same in every spelling", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  const long = (address: unknown) => String(address).replace("2001:db8:", "2001:0DB8:").replace(/\/.*/, "");
  const { ipv6 } = await simulator.ok("GET", `/compute/instances/${id}`);
  expect(await simulator.ok("GET", `/networking/ips/${long(ipv6)}`)).toMatchObject({ compute_id: id });
  const { range } = await simulator.ok("POST", path, { prefix_length: 64, route_target: long(ipv6) });
  expect(await simulator.ok("GET", `${path}/${long(range)}`)).toMatchObject({ computes: [id] });
  const assignments = [{ address: `${long(range)}/64`, compute_id: id }];
  await simulator.ok("POST", "/networking/ips/assign", { region: "us-east", assignments });
  expect(await simulator.ok("DELETE", `${path}/${long(range)}`)).toEqual({});
});

test("a range can be created for a SLAAC address without its prefix", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  const { ipv6 } = await simulator.ok("GET", `/compute/instances/${id}`);
  const create = (route_target: unknown) => simulator.call("POST", path, { prefix_length: 56, route_target });
  expect(reasons(await create(ipv6))[0]).toMatch(/^route_target: /);
  const created = await create(String(ipv6).replace("/128", ""));
  expect([created.status, created.body["range"]]).toEqual([200, expect.stringMatching(/\/56$/)]);
});

test.each([
  { body: { prefix_length: 64 }, field: "compute_id", why: "neither compute_id nor route_target" },
  { body: { prefix_length: 64, compute_id: 1001, route_target: "::1" }, field: "compute_id", why: "both of them" },
  { body: { compute_id: 1001 }, field: "prefix_length", why: "prefix_length is required" },
  { body: { compute_id: 1001, prefix_length: 60 }, field: "prefix_length", why: "prefix_length is 56 or 64" },
  { body: { compute_id: 999, prefix_length: 64 }, field: "compute_id", why: "there is no such instance" },
  { body: { route_target: "2001:db8::1", prefix_length: 64 }, field: "route_target", why: "no SLAAC address" },
])("part 3 section 4.3 rule 4: IPv6 range create: $why", async ({ body, field }) => {
  const simulator = await running();
  await instance(simulator);
  const reply = await simulator.call("POST", path, body);
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, field]);
});

test("part 3 section 4.3 rule 4: one range per SLAAC target and one range per region", async () => {
  const simulator = await running();
  const [one, two, far] = [await instance(simulator), await instance(simulator), await instance(simulator, "eu-west")];
  const status = async (compute_id: number) =>
    (await simulator.call("POST", path, { prefix_length: 64, compute_id })).status;
  expect(await status(one)).toBe(200);
  expect(await status(one)).toBe(400);
  expect(await status(two)).toBe(400);
  expect(await status(far)).toBe(200);
});

test("a shared range is_bgp, names all instances, and is not deleted", async () => {
  const simulator = await running();
  const [one, two] = [await instance(simulator), await instance(simulator)];
  const created = await simulator.ok("POST", path, { prefix_length: 64, compute_id: one });
  const range = String(created["range"]).replace("/64", "");
  await simulator.ok("POST", "/networking/ipv4/share", { compute_id: two, ips: [range] });
  expect(await simulator.ok("GET", `${path}/${range}`)).toMatchObject({ is_bgp: true, computes: [one, two] });
  expect((await simulator.call("DELETE", `${path}/${range}`)).status).toBe(400);
  await simulator.ok("POST", "/networking/ipv4/share", { compute_id: two, ips: [] });
  expect(await simulator.ok("DELETE", `${path}/${range}`)).toEqual({});
  expect((await simulator.call("GET", `${path}/${range}`)).status).toBe(404);
});

test.each([
  { scopes: "ips:read", status: 200, why: "the scope that the documents name" },
  { scopes: "ips:read_only", status: 200, why: "its usual name" },
  { scopes: "ips:read_write", status: 200, why: "read_write includes reading" },
  { scopes: "compute:read_write", status: 403, why: "another area" },
])("the view of a range wants ips:read: $why", async ({ scopes, status }) => {
  const simulator = await running();
  const created = await simulator.ok("POST", path, { prefix_length: 64, compute_id: await instance(simulator) });
  simulator.control.addToken({ token: "scoped", username: "demo", scopes });
  const one = `${path}/${String(created["range"]).replace("/64", "")}`;
  expect((await simulator.call("GET", one, undefined, { token: "scoped" })).status).toBe(status);
});

test("pools are listed", async () => {
  const simulator = await running();
  const { data } = await simulator.ok("GET", "/networking/ipv6/pools");
  expect(data).toEqual([
    { range: "2001:db8:aaaa::", prefix: 116, region: "us-east", route_target: "2001:db8:aaaa::/116" },
  ]);
});

test("a migration to another region gives up the range", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  await simulator.ok("POST", path, { prefix_length: 64, compute_id: id });
  await simulator.ok("POST", `/compute/instances/${id}/migrate`, { region: "eu-west" });
  await simulator.clock.advance(300_000);
  expect((await simulator.ok("GET", path))["results"]).toBe(0);
});

test("part 3 section 4.3 rule 5: a VLAN exists while an interface names it", async () => {
  const simulator = await running();
  const interfaces = [{ purpose: "public" }, { purpose: "vlan", label: "lan-1", ipam_address: "10.0.0.1/24" }];
  const { id: one } = await simulator.ok("POST", "/compute/instances", { ...DEBIAN, interfaces });
  const { id: two } = await simulator.ok("POST", "/compute/instances", { ...DEBIAN, interfaces });
  await simulator.ok("POST", "/compute/instances", { ...DEBIAN, interfaces, region: "eu-west" });
  const path = "/v4beta/networking/vlans";
  const created = "2026-01-01T00:00:00";
  expect((await simulator.ok("GET", path))["data"]).toMatchObject([
    { label: "lan-1", region: "us-east", computes: [one, two], created },
    { label: "lan-1", region: "eu-west", created },
  ]);
  const headers = { "X-Filter": '{"region":"eu-west"}' };
  expect((await simulator.ok("GET", path, undefined, { headers }))["results"]).toBe(1);
  for (const id of [one, two]) await simulator.ok("DELETE", `/compute/instances/${String(id)}`);
  await simulator.clock.advance(60_000);
  expect((await simulator.ok("GET", path))["results"]).toBe(1);
});

test("VLANs are beta and want compute:read_only", async () => {
  const simulator = await running();
  expect((await simulator.call("GET", "/v4/networking/vlans")).status).toBe(404);
  simulator.control.addToken({ token: "scoped", username: "demo", scopes: "ips:read_only" });
  const reply = await simulator.call("GET", "/v4beta/networking/vlans", undefined, { token: "scoped" });
  expect(reply.status).toBe(403);
});

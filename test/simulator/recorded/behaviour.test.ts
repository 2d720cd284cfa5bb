import { expect, test } from "vitest";
import { instanceAt, instanceOf } from "../compute/instance.ts";
import { DEBIAN, reasons, running } from "../running.ts";
import type { Running } from "../running.ts";

const EMPTY = { image: null, root_pass: null };
const DOMAIN = { domain: "example.org", type: "master", soa_email: "a@example.org" };

test("behaviour 1: config_id 0 means that none is given", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator);
  expect(await simulator.ok("POST", `${machine.path}/reboot`, { config_id: 0 })).toEqual({});
  await simulator.clock.advance(60_000);
  await simulator.ok("POST", `${machine.path}/shutdown`);
  await simulator.clock.advance(60_000);
  expect(await simulator.ok("POST", `${machine.path}/boot`, { config_id: 0 })).toEqual({});
});

test("behaviour 2: a second disk while one is being made is refused as busy, in the brand word", async () => {
  const simulator = await running({ brandWord: "acme" });
  const { id } = await simulator.ok("POST", "/acme/instances", { region: "us-east", type: "g6-standard-1" });
  await simulator.clock.advance(5_000);
  const disks = `/acme/instances/${String(id)}/disks`;
  await simulator.ok("POST", disks, { label: "one", size: 100 });
  const second = await simulator.call("POST", disks, { label: "two", size: 100 });
  expect([second.status, reasons(second)]).toEqual([400, ["Acme busy."]]);
  await simulator.clock.advance(5_000);
  await simulator.ok("POST", disks, { label: "two", size: 100 });
});

test.each([
  { body: {}, disks: 3, configs: 2, why: "absent, all come" },
  { body: { disks: [], configs: [] }, disks: 0, configs: 0, why: "empty, nothing comes" },
  { body: { disks: [] }, disks: 2, configs: 2, why: "the disks of the configs come with them" },
  { body: { configs: [] }, disks: 3, configs: 0, why: "configs alone are left" },
])("behaviour 3: what a clone copies: $why", async ({ body, disks, configs }) => {
  const simulator = await running();
  const source = await instanceOf(simulator, { type: "g6-standard-1", swap_size: 512 });
  const [main] = await source.list("disks");
  await simulator.ok("POST", `${source.path}/shutdown`);
  await simulator.clock.advance(60_000);
  await simulator.ok("POST", `${source.path}/disks/${String(main?.["id"])}/resize`, { size: 20_000 });
  await simulator.clock.advance(60_000);
  await simulator.ok("POST", `${source.path}/disks`, { label: "spare", size: 100 });
  await simulator.clock.advance(60_000);
  const devices = { sda: { disk_id: main?.["id"] } };
  await simulator.ok("POST", `${source.path}/configs`, { label: "other", devices });
  const { id } = await simulator.ok("POST", `${source.path}/clone`, body);
  const copy = instanceAt(simulator, Number(id));
  expect([(await copy.list("disks")).length, (await copy.list("configs")).length]).toEqual([disks, configs]);
});

test("behaviour 4: the target of a clone is offline while the event runs, which names it", async () => {
  const simulator = await running();
  const source = await instanceOf(simulator);
  const target = await instanceOf(simulator, EMPTY);
  await simulator.ok("POST", `${source.path}/clone`, { compute_id: target.id });
  const { data } = await simulator.ok("GET", "/account/events");
  const [newest] = data as unknown[];
  expect(newest).toMatchObject({
    action: "compute_clone",
    status: "scheduled",
    entity: { id: source.id },
    secondary_entity: { id: target.id, type: "compute" },
  });
  expect(await target.status()).toBe("offline");
  expect(reasons(await simulator.call("POST", `${target.path}/boot`))).toEqual(["Compute busy."]);
});

test("behaviour 5: a VLAN stands once in a config", async () => {
  const simulator = await running();
  const { path } = await instanceOf(simulator);
  const vlan = { purpose: "vlan", label: "lan" };
  const config = (interfaces: object[]) => ({ label: "own", devices: {}, interfaces });
  const twice = await simulator.call("POST", `${path}/configs`, config([vlan, vlan]));
  expect([twice.status, reasons(twice)[0]]).toEqual([400, expect.stringMatching(/^interfaces\.1\.label: /)]);
  await simulator.ok("POST", `${path}/configs`, config([vlan, { ...vlan, label: "other" }]));
});

test("behaviour 6: a snapshot needs a label", async () => {
  const simulator = await running();
  const { path } = await instanceOf(simulator);
  expect(reasons(await simulator.call("POST", `${path}/backups`, {}))).toEqual(["label: label is required"]);
});

test("behaviour 7: the name of a domain has a dot", async () => {
  const simulator = await running();
  const reply = await simulator.call("POST", "/domains", { ...DOMAIN, domain: "localhost" });
  expect([reply.status, reasons(reply)[0]]).toEqual([400, expect.stringMatching(/^domain: /)]);
});

test("behaviour 8: an SRV target without a dot is completed by the domain", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/domains", DOMAIN);
  const service = { type: "SRV", service: "sip", protocol: "tcp", port: 5060, priority: 0, weight: 0 };
  const stored = async (target: string) =>
    (await simulator.ok("POST", "/domains/1/records", { ...service, target }))["target"];
  expect([await stored("sub"), await stored("sub.example.net")]).toEqual(["sub.example.org", "sub.example.net"]);
});

test.each([
  { name: "www.example.org", stored: "www", why: "a full name" },
  { name: "www.EXAMPLE.org", stored: "www", why: "names have no case" },
  { name: "example.org", stored: "", why: "the apex" },
  { name: "www.example.net", stored: "www.example.net", why: "a name of another domain is a relative one" },
  { name: "notexample.org", stored: "notexample.org", why: "another label that ends so" },
])("behaviour 9: a full name inside the domain is stored relative to it: $why", async ({ name, stored }) => {
  const simulator = await running();
  await simulator.ok("POST", "/domains", DOMAIN);
  const record = await simulator.ok("POST", "/domains/1/records", { type: "A", name, target: "192.0.2.1" });
  expect(record["name"]).toBe(stored);
});

test("behaviour 10: a range is shared with the instance that owns it, which changes nothing", async () => {
  const simulator = await running();
  const { id } = await instanceOf(simulator, EMPTY);
  const body = { compute_id: id, prefix_length: 64 };
  const { range } = await simulator.ok("POST", "/networking/ipv6/ranges", body);
  const address = String(range).split("/")[0] ?? "";
  await simulator.ok("POST", "/networking/ipv4/share", { compute_id: id, ips: [address] });
  expect(await simulator.ok("GET", `/networking/ipv6/ranges/${address}`)).toMatchObject({ computes: [id] });
});

test("behaviour 11: creating and cloning share a limit, which some accounts have raised", async () => {
  const simulator = await running({ rateLimits: true });
  const { id } = await simulator.ok("POST", "/compute/instances", DEBIAN);
  const spend = async (until: number) => {
    for (let spent = 1; spent < until; spent += 1)
      await simulator.call("POST", `/compute/instances/${String(id)}/clone`, {});
    return (await simulator.call("POST", "/compute/instances", DEBIAN)).status;
  };
  expect(await spend(10)).toBe(429);
  simulator.control.change("account", "demo", { raisedLimits: true }, "");
  expect(await spend(10)).toBe(200);
  expect(await spend(11)).toBe(429);
});

test("behaviour 12: creating buckets has a limit of its own", async () => {
  const simulator = await running({ rateLimits: true });
  const create = (label: string) => simulator.call("POST", "/object-storage/buckets", { label, cluster: "us-east-1" });
  for (let made = 0; made < 60; made += 1) expect((await create(`bucket-${made}`)).status).toBe(200);
  expect((await create("bucket-60")).status).toBe(429);
  expect((await simulator.call("GET", "/object-storage/buckets")).status).toBe(200);
});

/** What each list finds one of: the path, and a filter that only it passes. */
const FILTERS: readonly [path: string, filter: object][] = [
  ["/networking/ipv6/ranges", { region: "us-east" }],
  ["/networking/ips", { address: "198.18.0.2" }],
  ["/networking/ips", { prefix: 24 }],
  ["/networking/ips", { type: "ipv4" }],
  ["/networking/ips", { rdns: "198-18-0-2.ip.example.com" }],
  ["/networking/ips", { "+and": [{ compute_id: 1001 }, { type: "ipv4" }] }],
  ["/networking/ips", { region: "us-east", type: "ipv6/range" }],
  ["/networking/ipv6/pools", { region: "us-east" }],
  ["/compute/instances", { image: "compute/debian12" }],
  ["/compute/instances/1001/configs", { interfaces: "lan" }],
  ["/compute/instances/1001/configs", { "interfaces.label": "lan" }],
  ["/compute/instances/1001/configs", { interfaces: { purpose: "vlan" } }],
  ["/regions/availability", { region: "us-ord", plan: "g7-premium-2", available: true }],
  ["/profile/apps", { label: "Dashboard" }],
  ["/databases/mysql/instances/101/backups", { label: "before" }],
  ["/tags/blue", { "data.label": "web-1" }],
  ["/tags/blue", { data: { region: "us-east" } }],
];

async function populate(simulator: Running): Promise<void> {
  const interfaces = [{ purpose: "vlan", label: "lan" }];
  const machine = { ...DEBIAN, label: "web-1", tags: ["blue"], interfaces };
  const { id } = await simulator.ok("POST", "/compute/instances", machine);
  await simulator.ok("POST", "/networking/ipv6/ranges", { compute_id: id, prefix_length: 64 });
  const database = { label: "data", engine: "mysql/8.0.35", region: "us-east", type: "g6-nanode-1" };
  await simulator.ok("POST", "/databases/mysql/instances", database);
  await simulator.clock.advance(3_600_000);
  await simulator.ok("POST", "/databases/mysql/instances/101/backups", { label: "before" });
  await simulator.clock.advance(3_600_000);
}

test("behaviour 13: filters besides those of section 1 find what they name, and nothing by another value", async () => {
  const simulator = await running();
  await populate(simulator);
  const results = async (path: string, filter: object) => {
    const headers = { "X-Filter": JSON.stringify(filter) };
    return (await simulator.ok("GET", path, undefined, { headers }))["results"];
  };
  for (const [path, filter] of FILTERS) {
    expect([path, filter, await results(path, filter)]).toEqual([path, filter, 1]);
    const other = JSON.parse(JSON.stringify(filter).replaceAll(/:("[^"]*"|\d+|true)/g, ':"other"')) as object;
    expect([path, other, await results(path, other)]).toEqual([path, other, 0]);
  }
});

test("behaviour 14: one address of an instance is read, and its reverse name set and reset", async () => {
  const simulator = await running();
  const machine = await instanceOf(simulator);
  const stranger = await instanceOf(simulator);
  const [address] = (await machine.read())["ipv4"] as string[];
  const path = `${machine.path}/ips/${address}`;
  expect(await simulator.ok("GET", path)).toMatchObject({ address, compute_id: machine.id });
  const rdns = `${address}.nip.io`;
  expect(await simulator.ok("PUT", path, { rdns })).toMatchObject({ address, rdns });
  expect(await simulator.ok("GET", `/networking/ips/${address}`)).toMatchObject({ rdns });
  expect((await simulator.ok("PUT", path, { rdns: null }))["rdns"]).toMatch(/\.ip\.example\.com$/);
  expect((await simulator.call("GET", `${stranger.path}/ips/${address}`)).status).toBe(404);
});

test("behaviour 15: a reverse name below nip.io resolves to the address that it names, and to no other", async () => {
  const simulator = await running();
  const [address] = (await (await instanceOf(simulator)).read())["ipv4"] as string[];
  const path = `/networking/ips/${address}`;
  expect((await simulator.call("PUT", path, { rdns: "192.0.2.1.nip.io" })).status).toBe(400);
  expect((await simulator.call("PUT", path, { rdns: `${address}.nip.io` })).status).toBe(200);
});

test("behaviour 16: the last unrestricted user is not restricted; one of two is", async () => {
  const simulator = await running();
  const refused = await simulator.call("PUT", "/profile", { restricted: true });
  expect([refused.status, reasons(refused)[0]]).toEqual([400, expect.stringMatching(/^restricted: /)]);
  simulator.control.addUser("demo", { username: "second" });
  expect(await simulator.ok("PUT", "/profile", { restricted: true })).toMatchObject({ restricted: true });
});

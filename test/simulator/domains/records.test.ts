import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";
import { master, RECORD_BODIES } from "./domain-bodies.ts";

const PLAIN = { name: "", priority: 0, weight: 0, port: 0, service: null, protocol: null, tag: null, ttl_sec: 0 };

test.each(Object.values(RECORD_BODIES))("a record of the type $type is created with what it says", async (body) => {
  const simulator = await running();
  const path = `${await master(simulator)}/records`;
  const created = await simulator.ok("POST", path, body);
  const name = body.type === "SRV" ? { name: "_sip._tcp" } : {};
  const times = { created: "2026-01-01T00:00:00", updated: "2026-01-01T00:00:00" };
  expect(created).toEqual({ id: expect.any(Number), ...PLAIN, ...body, ...name, ...times });
  const one = `${path}/${String(created["id"])}`;
  expect(await simulator.ok("GET", one)).toEqual(created);
  expect(await simulator.ok("PUT", one, created)).toEqual(created);
  expect(await simulator.ok("DELETE", one)).toEqual({});
  expect((await simulator.call("GET", one)).status).toBe(404);
});

test.each([
  { body: { type: undefined }, field: "type", why: "type is required" },
  { body: { type: "SOA" }, field: "type", why: "an unknown type" },
  { body: { type: "PTR", target: "a.org" }, field: "type", why: "PTR is not created by hand" },
  { body: { target: undefined }, field: "target", why: "A: target is an address" },
  { body: { target: "example.org" }, field: "target", why: "A: target is an address" },
  { body: { target: "2001:db8::1" }, field: "target", why: "A: target is an IPv4 address" },
  { body: { target: "192.0.2.1." }, field: "target", why: "A: no trailing period" },
  { body: { ...RECORD_BODIES.AAAA, target: "192.0.2.1" }, field: "target", why: "AAAA: target is an IPv6 address" },
  { body: { ...RECORD_BODIES.AAAA, target: "2001:db8::1." }, field: "target", why: "AAAA: no trailing period" },
  { body: { ...RECORD_BODIES.AAAA, target: "fe80::1%eth0" }, field: "target", why: "AAAA: no zone of an interface" },
  { body: { ...RECORD_BODIES.CNAME, target: "no host" }, field: "target", why: "CNAME: target is a host name" },
  { body: { ...RECORD_BODIES.CNAME, name: "" }, field: "name", why: "CNAME: not at the apex" },
  { body: { ...RECORD_BODIES.MX, target: "a..b" }, field: "target", why: "MX: target is a host name" },
  { body: { ...RECORD_BODIES.NS, target: "" }, field: "target", why: "NS: target is a host name" },
  { body: { ...RECORD_BODIES.MX, priority: 256 }, field: "priority", why: "priority is 0..255" },
  { body: { ...RECORD_BODIES.MX, priority: -1 }, field: "priority", why: "priority is 0..255" },
  { body: { ...RECORD_BODIES.SRV, target: "no host" }, field: "target", why: "SRV: target is a host name" },
  { body: { ...RECORD_BODIES.SRV, service: undefined }, field: "service", why: "SRV: service is required" },
  { body: { ...RECORD_BODIES.SRV, service: "_" }, field: "service", why: "SRV: service has a name" },
  { body: { ...RECORD_BODIES.SRV, protocol: "t p" }, field: "protocol", why: "SRV: protocol is a name" },
  { body: { ...RECORD_BODIES.SRV, protocol: "tcp..a" }, field: "protocol", why: "SRV: a subdomain is a host name" },
  {
    body: { ...RECORD_BODIES.SRV, protocol: "tcp." },
    field: "protocol",
    why: "SRV: a period stands before a subdomain",
  },
  { body: { ...RECORD_BODIES.CNAME, target: "." }, field: "target", why: "CNAME: target is a host" },
  { body: { ...RECORD_BODIES.TXT, target: "" }, field: "target", why: "TXT: target is required" },
  { body: { ...RECORD_BODIES.SRV, port: undefined }, field: "port", why: "SRV: port is required" },
  { body: { ...RECORD_BODIES.SRV, port: 65_536 }, field: "port", why: "SRV: port is 0..65535" },
  { body: { ...RECORD_BODIES.SRV, priority: undefined }, field: "priority", why: "SRV: priority is required" },
  { body: { ...RECORD_BODIES.SRV, weight: undefined }, field: "weight", why: "SRV: weight is required" },
  { body: { ...RECORD_BODIES.SRV, weight: 65_536 }, field: "weight", why: "SRV: weight is 0..65535" },
  { body: { ...RECORD_BODIES.CAA, tag: undefined }, field: "tag", why: "CAA: tag is required" },
  { body: { ...RECORD_BODIES.CAA, tag: "issues" }, field: "tag", why: "CAA: tag is issue, issuewild or iodef" },
  { body: { ...RECORD_BODIES.CAA, target: "ca.org." }, field: "target", why: "CAA: no trailing period" },
  {
    body: { ...RECORD_BODIES.TXT, target: "a".repeat(65_536) },
    field: "target",
    why: "a target has up to 65535 characters",
  },
  { body: { name: "a".repeat(64) }, field: "name", why: "a label has at most 63 characters" },
  { body: { name: `${"a.".repeat(50)}a` }, field: "name", why: "a name has at most 100 characters" },
  { body: { name: "a b" }, field: "name", why: "a space" },
  { body: { name: "www.*" }, field: "name", why: "a wildcard that is not the first label" },
  { body: { ttl_sec: -300 }, field: "ttl_sec", why: "a negative time" },
])("record create refuses $field: $why", async ({ body, field }) => {
  const simulator = await running();
  const path = `${await master(simulator)}/records`;
  const reply = await simulator.call("POST", path, { ...RECORD_BODIES.A, ...body });
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, field]);
  expect(simulator.control.rows("record")).toEqual([]);
});

test.each([
  { given: 0, stored: 0, why: "0 stands for the default" },
  { given: 1, stored: 300, why: "the smallest is nearest" },
  { given: 30, stored: 30, why: "half a minute stays" },
  { given: 31, stored: 300, why: "the smallest that the documents name is nearest" },
  { given: 120, stored: 120, why: "two minutes stay" },
  { given: 400, stored: 300, why: "down to the nearest" },
  { given: 1950, stored: 3600, why: "the middle goes up" },
  { given: 3000, stored: 3600, why: "up to the nearest" },
  { given: 99_999_999, stored: 2_419_200, why: "the largest is nearest" },
])(
  "the TTL of a record is rounded to the nearest valid one: $given becomes $stored, $why",
  async ({ given, stored }) => {
    const simulator = await running();
    const path = `${await master(simulator)}/records`;
    const created = await simulator.ok("POST", path, { ...RECORD_BODIES.A, ttl_sec: given });
    expect(created["ttl_sec"]).toBe(stored);
  },
);

test("[remote_addr] stands for the caller's address, of the family it has", async () => {
  const simulator = await running();
  const path = `${await master(simulator)}/records`;
  const body = { ...RECORD_BODIES.A, target: "[remote_addr]" };
  const created = await simulator.ok("POST", path, body);
  expect(created["target"]).toBe("127.0.0.1");
  const one = `${path}/${String(created["id"])}`;
  await simulator.ok("PUT", one, { target: "192.0.2.7" });
  expect((await simulator.ok("PUT", one, { target: "[remote_addr]" }))["target"]).toBe("127.0.0.1");
  expect(reasons(await simulator.call("POST", path, { ...body, type: "AAAA" }))[0]).toMatch(/^target: /);
});

test("the name of an SRV record is built as _service._protocol, also after a change", async () => {
  const simulator = await running();
  const path = `${await master(simulator)}/records`;
  const body = { ...RECORD_BODIES.SRV, service: " _xmpp-client ", protocol: "_tcp", name: "ignored" };
  const created = await simulator.ok("POST", path, body);
  expect(created).toMatchObject({ name: "_xmpp-client._tcp", service: "xmpp-client", protocol: "tcp" });
  const changed = await simulator.ok("PUT", `${path}/${String(created["id"])}`, { protocol: "udp", port: 1 });
  expect(changed).toMatchObject({ name: "_xmpp-client._udp", port: 1, weight: 5 });
});

test.each([
  {
    body: { ...RECORD_BODIES.MX, target: "mail.example.net." },
    shown: { target: "mail.example.net" },
    why: "a trailing period, which goes",
  },
  { body: { ...RECORD_BODIES.CNAME, target: "top." }, shown: { target: "top" }, why: "a top-level name" },
  { body: { ...RECORD_BODIES.SRV, target: "sub" }, shown: { target: "sub.example.org" }, why: "a host of the domain" },
  { body: { ...RECORD_BODIES.SRV, target: "top." }, shown: { target: "top" }, why: "a top-level name of a service" },
  { body: { ...RECORD_BODIES.SRV, target: "." }, shown: { target: "." }, why: "a service that is not available" },
  { body: { ...RECORD_BODIES.MX, target: "" }, shown: { target: "" }, why: "a null MX" },
  { body: { ...RECORD_BODIES.MX, target: "." }, shown: { target: "" }, why: "a null MX as zone files write it" },
  { body: { ...RECORD_BODIES.TXT, target: '"a" "b"' }, shown: { target: '"a" "b"' }, why: "quotes, which stay" },
  {
    body: { ...RECORD_BODIES.SRV, protocol: "_tcp.play" },
    shown: { name: "_sip._tcp.play", protocol: "tcp.play" },
    why: "a protocol with a subdomain",
  },
  { body: { ...RECORD_BODIES.A, name: "*" }, shown: { name: "*" }, why: "a wildcard" },
  { body: { ...RECORD_BODIES.A, name: "*.sub" }, shown: { name: "*.sub" }, why: "a wildcard below a name" },
  { body: { ...RECORD_BODIES.TXT, name: "_dmarc" }, shown: { name: "_dmarc" }, why: "an underscore" },
  { body: { ...RECORD_BODIES.A, name: null }, shown: { name: "" }, why: "the apex" },
  {
    body: { ...RECORD_BODIES.A, priority: 10, weight: 1, port: 80, tag: "issue", service: "a", protocol: "b" },
    shown: { ...PLAIN, name: "www" },
    why: "fields of other types, which say nothing",
  },
])("a record is accepted with $why", async ({ body, shown }) => {
  const simulator = await running();
  const path = `${await master(simulator)}/records`;
  expect(await simulator.ok("POST", path, body)).toMatchObject(shown);
});

test.each(["top.", "."])("an SRV record with the target %s keeps it in an update of another field", async (target) => {
  const simulator = await running();
  const path = `${await master(simulator)}/records`;
  const created = await simulator.ok("POST", path, { ...RECORD_BODIES.SRV, target });
  const changed = await simulator.ok("PUT", `${path}/${String(created["id"])}`, { weight: 7 });
  expect(changed).toEqual({ ...created, weight: 7 });
});

test("the zone file has a null MX and a service that is not available as a period", async () => {
  const simulator = await running();
  const path = await master(simulator);
  await simulator.ok("POST", `${path}/records`, { ...RECORD_BODIES.MX, target: "", priority: 0 });
  await simulator.ok("POST", `${path}/records`, { ...RECORD_BODIES.SRV, target: "." });
  const { zone_file: lines } = (await simulator.ok("GET", `${path}/zone-file`)) as { zone_file: string[] };
  expect(lines).toContain("@\t\tMX\t0 .");
  expect(lines.some((line) => /^_sip\._tcp\t\tSRV\t\d+ \d+ \d+ \.$/.test(line))).toBe(true);
});

test("an update keeps the type and what it does not name, and moves updated", async () => {
  const simulator = await running();
  const path = `${await master(simulator)}/records`;
  const created = await simulator.ok("POST", path, { ...RECORD_BODIES.A, ttl_sec: 300 });
  await simulator.clock.advance(60_000);
  const one = `${path}/${String(created["id"])}`;
  expect(await simulator.ok("PUT", one, { type: "TXT", target: "192.0.2.2" })).toEqual({
    ...created,
    target: "192.0.2.2",
    updated: "2026-01-01T00:01:00",
  });
  expect(reasons(await simulator.call("PUT", one, { target: "text" }))[0]).toMatch(/^target: /);
});

test("two CNAMEs do not share a name", async () => {
  const simulator = await running();
  const path = `${await master(simulator)}/records`;
  const { id } = await simulator.ok("POST", path, RECORD_BODIES.CNAME);
  expect(reasons(await simulator.call("POST", path, RECORD_BODIES.CNAME))[0]).toMatch(/^name: /);
  expect((await simulator.call("PUT", `${path}/${String(id)}`, { target: "other.org" })).status).toBe(200);
});

test("a record of one domain is not found under another", async () => {
  const simulator = await running();
  const one = await master(simulator);
  const two = await master(simulator, "example.net");
  const { id } = await simulator.ok("POST", `${one}/records`, RECORD_BODIES.A);
  for (const method of ["GET", "PUT", "DELETE"])
    expect((await simulator.call(method, `${two}/records/${String(id)}`)).status, method).toBe(404);
});

test("records are filtered by type, name, target and tag", async () => {
  const simulator = await running();
  const path = `${await master(simulator)}/records`;
  for (const body of Object.values(RECORD_BODIES)) await simulator.ok("POST", path, body);
  const count = async (filter: unknown) =>
    (await simulator.call("GET", path, undefined, { headers: { "X-Filter": JSON.stringify(filter) } })).body["results"];
  expect(await count({ type: "A" })).toBe(1);
  expect(await count({ name: "www" })).toBe(2);
  expect(await count({ target: { "+contains": "example.net" } })).toBe(3);
  expect(await count({ tag: "issue" })).toBe(1);
  expect(await count({ port: 5060 })).toBeUndefined();
});

test("a domain has at most 12,000 records", async () => {
  const simulator = await running();
  const path = await master(simulator);
  const { id, ...row } = (await simulator.ok("POST", `${path}/records`, RECORD_BODIES.A)) as { id: number };
  const dump = simulator.control.snapshot();
  const parent = path.split("/").at(-1) ?? "";
  const common = { table: "record", account: "demo", parent, insertedAt: 0 };
  for (let number = 1; number < 12_000; number += 1) {
    const body = { ...row, id: id + number, domainId: Number(parent), created: 0, updated: 0 };
    dump.rows.push({ ...common, id: String(id + number), body });
  }
  simulator.control.restore({ ...dump, sequences: { ...dump.sequences, record: 20_000 } });
  expect((await simulator.ok("GET", `${path}/records`))["results"]).toBe(12_000);
  expect((await simulator.call("POST", `${path}/records`, RECORD_BODIES.A)).status).toBe(400);
  await simulator.ok("DELETE", `${path}/records/${id + 5}`);
  expect((await simulator.call("POST", `${path}/records`, RECORD_BODIES.A)).status).toBe(200);
});

test("changes of records are told by events of their domain", async () => {
  const simulator = await running();
  const path = await master(simulator);
  const { id } = await simulator.ok("POST", `${path}/records`, RECORD_BODIES.A);
  await simulator.ok("DELETE", `${path}/records/${String(id)}`);
  await simulator.ok("DELETE", path);
  const { data } = await simulator.ok("GET", "/account/events");
  const entity = { id: Number(path.split("/").at(-1)), type: "domain", label: "example.org", url: `/v4${path}` };
  expect(data).toMatchObject([
    { action: "dns_zone_delete", entity },
    { action: "dns_record_delete", entity },
    { action: "dns_record_create", entity, secondary_entity: { id, type: "domain_record", label: "www" } },
    { action: "dns_zone_create", entity },
  ]);
});

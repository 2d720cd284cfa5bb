import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";
import { master, RECORD_BODIES } from "./domain-bodies.ts";

const MASTER = { domain: "example.org", type: "master", soa_email: "admin@example.org" };
const RESTRICTED = { token: "demo-token-restricted" };

test("a new master is active and its timings are the defaults", async () => {
  const simulator = await running();
  const created = await simulator.ok("POST", "/domains", {
    ...MASTER,
    description: "ours",
    group: "web",
    tags: ["tag"],
  });
  expect(created).toEqual({
    id: expect.any(Number),
    domain: "example.org",
    type: "master",
    status: "active",
    errors: "",
    soa_email: "admin@example.org",
    description: "ours",
    group: "web",
    master_ips: [],
    axfr_ips: [],
    expire_sec: 0,
    refresh_sec: 0,
    retry_sec: 0,
    ttl_sec: 0,
    tags: ["tag"],
    created: "2026-01-01T00:00:00",
    updated: "2026-01-01T00:00:00",
  });
  expect(await simulator.ok("GET", `/domains/${String(created["id"])}`)).toEqual(created);
});

test("a slave has at least one of master_ips and needs no soa_email", async () => {
  const simulator = await running();
  const body = { domain: "example.org", type: "slave", master_ips: ["192.0.2.1", "2001:db8::1"] };
  expect(await simulator.ok("POST", "/domains", body)).toMatchObject({ ...body, soa_email: null });
});

test.each([
  { body: { domain: undefined }, field: "domain", why: "domain is required" },
  { body: { domain: "" }, field: "domain", why: "a domain has 1..253 characters" },
  { body: { domain: `${"a.".repeat(126)}ab` }, field: "domain", why: "a domain has 1..253 characters" },
  { body: { domain: `${"a".repeat(64)}.org` }, field: "domain", why: "labels have at most 63 characters" },
  { body: { domain: "-a.org" }, field: "domain", why: "a label begins with a letter or digit" },
  { body: { domain: "a_b.org" }, field: "domain", why: "no underscores" },
  { body: { domain: "example.org." }, field: "domain", why: "no empty label" },
  { body: { type: undefined }, field: "type", why: "type is required" },
  { body: { type: "primary" }, field: "type", why: "type is master or slave" },
  { body: { soa_email: undefined }, field: "soa_email", why: "a master needs soa_email" },
  { body: { soa_email: "admin" }, field: "soa_email", why: "not an e-mail address" },
  { body: { type: "slave" }, field: "master_ips", why: "a slave needs master_ips" },
  { body: { type: "slave", master_ips: [] }, field: "master_ips", why: "a slave needs at least one" },
  { body: { master_ips: ["example.net"] }, field: "master_ips.0", why: "not an address" },
  {
    body: { axfr_ips: Array.from({ length: 91 }, () => "192.168.1.2") },
    field: "axfr_ips",
    why: "over 1000 characters",
  },
  {
    body: { master_ips: Array.from({ length: 91 }, () => "192.168.1.2") },
    field: "master_ips",
    why: "over 1000 characters",
  },
  { body: { description: "" }, field: "description", why: "a description has 1..253 characters" },
  { body: { description: "a".repeat(254) }, field: "description", why: "a description has 1..253 characters" },
  { body: { group: "a".repeat(51) }, field: "group", why: "a group has 1..50 characters" },
  { body: { status: "enabled" }, field: "status", why: "status is active or disabled" },
  { body: { ttl_sec: -1 }, field: "ttl_sec", why: "a negative time" },
  { body: { refresh_sec: "3600" }, field: "refresh_sec", why: "a wrong type" },
  { body: { tags: ["ab"] }, field: "tags.0", why: "a tag has 3..50 characters" },
])("domain create refuses $field: $why", async ({ body, field }) => {
  const simulator = await running();
  const reply = await simulator.call("POST", "/domains", { ...MASTER, ...body });
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, field]);
  expect(simulator.control.rows("domain")).toEqual([]);
});

test.each([
  { given: 0, stored: 0, why: "0 stands for the default" },
  { given: 1, stored: 300, why: "up to the smallest" },
  { given: 300, stored: 300, why: "a valid value stays" },
  { given: 301, stored: 3600, why: "up, also from just above" },
  { given: 86_400, stored: 86_400, why: "a valid value stays" },
  { given: 604_801, stored: 1_209_600, why: "up" },
  { given: 9_999_999, stored: 2_419_200, why: "nothing is above the largest" },
])("domain timings are rounded up: $given becomes $stored, $why", async ({ given, stored }) => {
  const simulator = await running();
  const timings = { expire_sec: given, refresh_sec: given, retry_sec: given, ttl_sec: given };
  const rounded = { expire_sec: stored, refresh_sec: stored, retry_sec: stored, ttl_sec: stored };
  expect(await simulator.ok("POST", "/domains", { ...MASTER, ...timings })).toMatchObject(rounded);
  const path = await master(simulator, "example.net");
  expect(await simulator.ok("PUT", path, timings)).toMatchObject(rounded);
});

test("a domain is unique across the platform, whatever its case and whosever it is", async () => {
  const simulator = await running();
  const path = await master(simulator);
  simulator.control.addAccount({ id: "other" });
  simulator.control.addUser("other", { username: "other" });
  simulator.control.addToken({ token: "other", username: "other", account: "other" });
  const twice = await simulator.call("POST", "/domains", { ...MASTER, domain: "Example.ORG" }, { token: "other" });
  expect([twice.status, reasons(twice)]).toEqual([400, ["domain: DNS zone already exists."]]);
  const second = await master(simulator, "example.net");
  expect((await simulator.call("PUT", second, { domain: "example.org" })).status).toBe(400);
  expect((await simulator.ok("PUT", path, { domain: "example.org" }))["domain"]).toBe("example.org");
  await simulator.ok("DELETE", path);
  expect((await simulator.call("POST", "/domains", MASTER, { token: "other" })).status).toBe(200);
});

test("an update changes what it names, and the rules hold for what comes of it", async () => {
  const simulator = await running();
  const path = await master(simulator);
  const before = await simulator.ok("GET", path);
  const body = { status: "disabled", description: "new", axfr_ips: ["192.0.2.9"], tags: ["web"] };
  expect(await simulator.ok("PUT", path, body)).toEqual({ ...before, ...body });
  expect(await simulator.ok("PUT", path, { axfr_ips: [], tags: [] })).toMatchObject({ axfr_ips: [], tags: [] });
  expect(reasons(await simulator.call("PUT", path, { type: "slave" }))[0]).toMatch(/^master_ips: /);
  expect((await simulator.ok("PUT", path, { type: "slave", master_ips: ["192.0.2.1"] }))["type"]).toBe("slave");
});

test("an answer can be sent back as an update", async () => {
  const simulator = await running();
  const path = await master(simulator);
  const before = await simulator.ok("GET", path);
  expect(await simulator.ok("PUT", path, before)).toEqual(before);
});

test("a deleted domain is gone with all of its records", async () => {
  const simulator = await running();
  const path = await master(simulator);
  await simulator.ok("POST", `${path}/records`, RECORD_BODIES.A);
  expect(await simulator.ok("DELETE", path)).toEqual({});
  expect((await simulator.call("GET", path)).status).toBe(404);
  expect((await simulator.call("GET", `${path}/records`)).status).toBe(404);
  expect(simulator.control.rows("record")).toEqual([]);
});

test("domains are filtered by domain, group and tags", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/domains", { ...MASTER, group: "web", tags: ["shop"] });
  await master(simulator, "example.net");
  const count = async (filter: unknown) =>
    (await simulator.call("GET", "/domains", undefined, { headers: { "X-Filter": JSON.stringify(filter) } })).body[
      "results"
    ];
  expect(await count({})).toBe(2);
  expect(await count({ domain: "example.net" })).toBe(1);
  expect(await count({ group: "web" })).toBe(1);
  expect(await count({ tags: "shop" })).toBe(1);
  expect(await count({ status: "active" })).toBeUndefined();
});

test.each([
  { method: "GET", suffix: "", scopes: "domains:read_only", status: 200 },
  { method: "GET", suffix: "/zone-file", scopes: "domains:read_only", status: 200 },
  { method: "GET", suffix: "", scopes: "account:read_write", status: 403 },
  { method: "PUT", suffix: "", scopes: "domains:read_only", status: 403 },
  { method: "PUT", suffix: "", scopes: "domains:read_write", status: 200 },
  { method: "DELETE", suffix: "", scopes: "domains:read_only", status: 403 },
])("domain scopes: $method $suffix with $scopes is $status", async ({ method, suffix, scopes, status }) => {
  const simulator = await running();
  const path = await master(simulator);
  simulator.control.addToken({ token: "scoped", username: "demo", scopes });
  const body = method === "PUT" ? {} : undefined;
  expect((await simulator.call(method, path + suffix, body, { token: "scoped" })).status).toBe(status);
});

test("a restricted user needs add_domains to create, and a grant to see or change", async () => {
  const simulator = await running();
  const path = await master(simulator, "theirs.org");
  expect((await simulator.call("POST", "/domains", MASTER, RESTRICTED)).status).toBe(403);
  expect((await simulator.call("GET", path, undefined, RESTRICTED)).status).toBe(404);
  const grants = { account_access: null, global: { add_domains: true }, entities: {} };
  simulator.control.change("user", "demo-restricted", { grants });
  const { id } = await simulator.ok("POST", "/domains", MASTER, RESTRICTED);
  expect((await simulator.ok("GET", "/domains", undefined, RESTRICTED))["results"]).toBe(1);
  const records = `/domains/${String(id)}/records`;
  expect((await simulator.call("POST", records, RECORD_BODIES.A, RESTRICTED)).status).toBe(200);
  expect((await simulator.call("PUT", `/domains/${String(id)}`, { tags: ["tag"] }, RESTRICTED)).status).toBe(403);
});

test("the zone file renders an active domain with its records", async () => {
  const simulator = await running();
  const path = await master(simulator);
  for (const body of Object.values(RECORD_BODIES)) await simulator.ok("POST", `${path}/records`, body);
  const { zone_file: lines } = (await simulator.ok("GET", `${path}/zone-file`)) as { zone_file: string[] };
  const text = lines.join("\n");
  expect(text).toContain("$TTL 86400");
  expect(text).toMatch(/IN\tSOA\tns1\.\S+ admin\.example\.org\. \d+ 14400 14400 1209600 86400/);
  expect(lines).toContain("www\t\tA\t192.0.2.1");
  expect(lines).toContain("_sip._tcp\t\tSRV\t10 5 5060 sip.example.net.");
  expect(lines).toContain('@\t\tCAA\t0 issue "letsencrypt.org"');
  expect(lines).toContain("@\t\tMX\t0 mail.example.net.");
  expect(lines).toContain('@\t\tTXT\t"v=spf1 -all"');
});

test("the zone file escapes what would end a string, a label or a line", async () => {
  const simulator = await running();
  const path = await master(simulator);
  await simulator.ok("PUT", path, { soa_email: "jane.doe@example.net" });
  await simulator.ok("POST", `${path}/records`, { type: "TXT", target: `say "hi" \\ ü\n${"x".repeat(300)}` });
  await simulator.ok("POST", `${path}/records`, { type: "CAA", tag: "iodef", target: 'a"b' });
  const { zone_file: lines } = (await simulator.ok("GET", `${path}/zone-file`)) as { zone_file: string[] };
  expect(lines[2]).toContain(String.raw` jane\.doe.example.net. `);
  const start = String.raw`say \"hi\" \\ \195\188\010`;
  expect(lines.at(-2)).toBe(`@\t\tTXT\t"${start}${"x".repeat(241)}" "${"x".repeat(59)}"`);
  expect(lines.at(-1)).toBe(String.raw`@		CAA	0 iodef "a\"b"`);
});

test("a disabled domain is not rendered", async () => {
  const simulator = await running();
  const path = await master(simulator);
  await simulator.ok("PUT", path, { status: "disabled" });
  const { zone_file: lines } = (await simulator.ok("GET", `${path}/zone-file`)) as { zone_file: string[] };
  expect(lines).toHaveLength(1);
});

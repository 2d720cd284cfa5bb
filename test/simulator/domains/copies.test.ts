import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";
import type { Reply, Running } from "../running.ts";
import { master, RECORD_BODIES } from "./domain-bodies.ts";

const NAME_SERVER = "ns1.example.net";
const IMPORT = { domain: "example.org", remote_nameserver: NAME_SERVER };

/** What the records of a domain say, without what tells copies apart. */
async function contents(simulator: Running, path: string): Promise<unknown[]> {
  const { data } = await simulator.ok("GET", `${path}/records`);
  return (data as Record<string, unknown>[]).map(({ id: _id, created: _c, updated: _u, ...content }) => content);
}

const firstField = (reply: Reply) => reasons(reply)[0]?.split(": ")[0];

test("an import takes over what the remote name server transfers", async () => {
  const simulator = await running();
  const records = [RECORD_BODIES.A, RECORD_BODIES.SRV, { type: "PTR", name: "4", target: "host.example.org" }] as const;
  simulator.control.domains.setRemoteZone({
    nameserver: NAME_SERVER,
    domain: "example.org",
    soa_email: "us@example.org",
    records: [...records],
  });
  const created = await simulator.ok("POST", "/domains/import", IMPORT);
  expect(created).toMatchObject({
    domain: "example.org",
    type: "master",
    status: "active",
    soa_email: "us@example.org",
  });
  expect(await contents(simulator, `/domains/${String(created["id"])}`)).toMatchObject([
    { type: "A", name: "www", target: "192.0.2.1" },
    { type: "SRV", name: "_sip._tcp", port: 5060 },
    { type: "PTR", name: "4", target: "host.example.org" },
  ]);
});

test("the control side is told of remote zones over HTTP, too", async () => {
  const simulator = await running();
  const zone = { nameserver: NAME_SERVER, domain: "example.org", records: [RECORD_BODIES.A] };
  await simulator.ok("PUT", "/_simulator/remote-zones", zone, { token: simulator.controlToken });
  expect((await simulator.call("POST", "/domains/import", IMPORT)).status).toBe(200);
});

test("an import from a name server that does not answer fails and names remote_nameserver", async () => {
  const simulator = await running();
  simulator.control.domains.setRemoteZone({ nameserver: NAME_SERVER, domain: "example.com" });
  const reply = await simulator.call("POST", "/domains/import", IMPORT);
  expect([reply.status, firstField(reply)]).toEqual([400, "remote_nameserver"]);
  expect(simulator.control.rows("domain")).toEqual([]);
});

test("the remote name server must allow zone transfers from all four addresses", async () => {
  const simulator = await running();
  const transferTo = ["96.126.114.97", "96.126.114.98", "2600:3c00::5e"];
  simulator.control.domains.setRemoteZone({ nameserver: NAME_SERVER, domain: "example.org", transferTo });
  const reply = await simulator.call("POST", "/domains/import", IMPORT);
  expect(reasons(reply)).toEqual([expect.stringMatching(/^remote_nameserver: .*2600:3c00::5f/)]);
});

test.each([
  { body: { remote_nameserver: NAME_SERVER }, field: "domain", why: "domain is required" },
  { body: { domain: "example.org" }, field: "remote_nameserver", why: "remote_nameserver is required" },
])("domain import: $why", async ({ body, field }) => {
  const simulator = await running();
  expect(firstField(await simulator.call("POST", "/domains/import", body))).toBe(field);
});

test("an import does not take a name that is taken", async () => {
  const simulator = await running();
  simulator.control.domains.setRemoteZone({ nameserver: NAME_SERVER, domain: "example.org" });
  await master(simulator);
  expect(firstField(await simulator.call("POST", "/domains/import", IMPORT))).toBe("domain");
});

test("a clone has the settings of its source and copies all records", async () => {
  const simulator = await running();
  const source = await master(simulator);
  await simulator.ok("PUT", source, { ttl_sec: 3600, tags: ["mine"] });
  for (const body of Object.values(RECORD_BODIES)) await simulator.ok("POST", `${source}/records`, body);
  const clone = await simulator.ok("POST", `${source}/clone`, { domain: "example.net" });
  expect(clone).toMatchObject({ domain: "example.net", ttl_sec: 3600, soa_email: "admin@example.org", tags: [] });
  const path = `/domains/${String(clone["id"])}`;
  expect(await contents(simulator, path)).toEqual(await contents(simulator, source));
  await simulator.ok("DELETE", path);
  expect(await contents(simulator, source)).toHaveLength(8);
});

test("a clone needs a free name, a source that exists, and add_domains", async () => {
  const simulator = await running();
  const source = await master(simulator);
  expect(firstField(await simulator.call("POST", `${source}/clone`, { domain: "example.org" }))).toBe("domain");
  expect(firstField(await simulator.call("POST", `${source}/clone`, {}))).toBe("domain");
  expect((await simulator.call("POST", "/domains/999/clone", { domain: "a.org" })).status).toBe(404);
  expect((await simulator.call("POST", "/domains/none/clone", { domain: "a.org" })).status).toBe(404);
  const restricted = await simulator.call(
    "POST",
    `${source}/clone`,
    { domain: "a.org" },
    { token: "demo-token-restricted" },
  );
  expect(restricted.status).toBe(403);
});

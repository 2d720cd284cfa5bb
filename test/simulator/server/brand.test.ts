import { expect, test } from "vitest";
import { brandFor } from "../../../src/simulator/server/brand.ts";
import { DEBIAN, reasons, running } from "../running.ts";

const brand = brandFor("acme");

test.each([
  { neutral: { compute_id: 1, compute_label: "a" }, branded: { acme_id: 1, acme_label: "a" }, why: "keys" },
  {
    neutral: { computes: [1], devices: { computes: [2] } },
    branded: { acmes: [1], devices: { acmes: [2] } },
    why: "plural keys, nested",
  },
  { neutral: { image: "compute/debian12" }, branded: { image: "acme/debian12" }, why: "prefix of an identifier" },
  {
    neutral: { kernel: "compute/6.8.9-x86_64-compute164" },
    branded: { kernel: "acme/6.8.9-x86_64-acme164" },
    why: "the number of a kernel's build",
  },
  { neutral: { action: "compute_boot" }, branded: { action: "acme_boot" }, why: "event actions" },
  { neutral: { type: "compute" }, branded: { type: "acme" }, why: "entity types" },
  { neutral: { created_by: "compute" }, branded: { created_by: "acme" }, why: "the service itself as a maker" },
  {
    neutral: { global: { add_computes: true }, compute: [] },
    branded: { global: { add_acmes: true }, acme: [] },
    why: "grants",
  },
  {
    neutral: { label: "compute/one compute_boot" },
    branded: { label: "compute/one compute_boot" },
    why: "a user's text stays",
  },
  {
    neutral: { "entity.type": { "+neq": "compute" } },
    branded: { "entity.type": { "+neq": "acme" } },
    why: "what a filter compares",
  },
  {
    neutral: { url: "/v4/compute/instances/3" },
    branded: { url: "/v4/acme/instances/3" },
    why: "addresses of entities",
  },
  {
    neutral: { capabilities: ["Compute", "GPU Computes", "Vlans"] },
    branded: { capabilities: ["Acmes", "GPU Acmes", "Vlans"] },
    why: "capabilities",
  },
])("part 1 section 1 rule 4: the brand word is translated both ways: $why", ({ neutral, branded }) => {
  expect(brand.outbound(neutral)).toEqual(branded);
  expect(brand.inbound(branded)).toEqual(neutral);
});

test("a reason names fields and the service in the brand word, and nothing else changes in it", () => {
  const reason = "compute_id is not valid: Compute busy. Compute 2GB has no computer";
  const told = "acme_id is not valid: Acme busy. Acme 2GB has no computer";
  expect(brand.outbound({ errors: [{ field: "compute_id", reason }] })).toEqual({
    errors: [{ field: "acme_id", reason: told }],
  });
});

test("scopes are plural on the wire", () => {
  expect(brand.outboundScopes("compute:read_only images:read_only")).toBe("acmes:read_only images:read_only");
});

test("only the segment that carries the brand is translated", () => {
  expect(brand.inboundPath("/v4/acme/kernels/acme%2Fgrub2?page=1")).toBe("/v4/compute/kernels/compute%2Fgrub2?page=1");
  expect(brand.inboundPath("/v4/images/acme/debian12")).toBe("/v4/images/compute/debian12");
  expect(brand.inboundPath("/v4/tags/acme")).toBe("/v4/tags/acme");
});

test("the scopes of a token are understood as the service writes them, and as the documents do", async () => {
  const simulator = await running({ brandWord: "acme" });
  for (const scopes of ["acmes:read_only", "compute:read_only"]) {
    simulator.control.addToken({ token: scopes, username: "demo", scopes });
    const reply = await simulator.call("GET", "/acme/instances", undefined, { token: scopes });
    expect([reply.status, reply.headers.get("x-oauth-scopes")]).toEqual([200, "acmes:read_only"]);
    expect((await simulator.call("GET", "/domains", undefined, { token: scopes })).status).toBe(403);
  }
});

test("a branded simulator speaks its word on every side", async () => {
  const simulator = await running({ brandWord: "acme" });
  const created = await simulator.ok("POST", "/acme/instances", { ...DEBIAN, image: "acme/debian12" });
  expect(created["image"]).toBe("acme/debian12");
  const id = String(created["id"]);
  const busy = await simulator.call("POST", `/acme/instances/${id}/reboot`);
  expect(reasons(busy)).toEqual(["Acme busy."]);
  expect(busy.headers.get("x-accepted-oauth-scopes")).toBe("acmes:read_write");
  const headers = { "X-Filter": JSON.stringify({ action: "acme_create", "entity.type": "acme" }) };
  const events = await simulator.ok("GET", "/account/events", undefined, { headers });
  expect(events["data"]).toMatchObject([{ entity: { url: `/v4/acme/instances/${id}` } }]);
  expect(simulator.control.ledger({ path: "/v4/compute/instances" })).toHaveLength(1);
  const [region] = (await simulator.ok("GET", "/regions"))["data"] as { capabilities: string[] }[];
  expect(region?.capabilities).toContain("Acmes");
  expect(created["label"]).toBe(`acme${id}`);
});

test("no list of the service has a field with the neutral word under another brand", async () => {
  const simulator = await running({ brandWord: "acme" });
  const machine = { ...DEBIAN, image: "acme/debian12", backups_enabled: true, tags: ["web"] };
  const { id } = await simulator.ok("POST", "/acme/instances", machine);
  await simulator.ok("POST", "/networking/firewalls", {
    label: "web",
    rules: { inbound_policy: "DROP", outbound_policy: "ACCEPT" },
    devices: { acmes: [id] },
  });
  await simulator.ok("POST", "/object-storage/buckets", { label: "media", cluster: "us-east-1" });
  await simulator.ok("POST", "/object-storage/keys", { label: "media" });
  simulator.control.clock.advance(600_000);
  const { body: document } = await simulator.call("GET", "/openapi.json");
  const paths = Object.entries(document["paths"] as Record<string, object>).filter(([, methods]) => "get" in methods);
  const named = paths.map(([path]) => path.replace("{computeId}", String(id)).replace("{tagLabel}", "web"));
  const leaks: string[] = [];
  for (const path of named.filter((each) => !each.includes("{"))) {
    const { text } = await simulator.call("GET", path === "/networking/vlans" ? `/v4beta${path}` : path);
    leaks.push(...Array.from(text.matchAll(/"([^"]*compute[^"]*)":/gi), ([, key]) => `${path}: ${key}`));
  }
  expect(named.length).toBeGreaterThan(50);
  expect([...new Set(leaks)]).toEqual([]);
});

test.each([
  { why: "the default word", brandWord: undefined, served: "compute", other: "acme" },
  { why: "a set word", brandWord: "acme", served: "acme", other: "compute" },
])("a path with another word than $why is answered with 404", async ({ brandWord, served, other }) => {
  const simulator = await running(brandWord === undefined ? {} : { brandWord });
  for (const path of ["types", "instances"]) {
    expect((await simulator.call("GET", `/${served}/${path}`)).status).toBe(200);
    expect((await simulator.call("GET", `/${other}/${path}`)).status).toBe(404);
  }
});

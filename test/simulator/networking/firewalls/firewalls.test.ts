import { expect, test } from "vitest";
import { reasons, running } from "../../running.ts";
import { RULE, RULES, actions, firewall, instance } from "./firewall-bodies.ts";

const path = "/networking/firewalls";
const RESTRICTED = { token: "demo-token-restricted" };

test("a new firewall is enabled, has what was sent and tells firewall_create", async () => {
  const simulator = await running();
  const inbound = [{ ...RULE, ports: "22, 80-443", label: "web", description: "from all" }];
  const body = { label: "edge-1", rules: { ...RULES, inbound }, tags: ["a-tag", "a-tag"] };
  const created = await simulator.ok("POST", path, body);
  expect(created).toEqual({
    id: expect.any(Number),
    label: "edge-1",
    status: "enabled",
    tags: ["a-tag"],
    rules: { inbound, outbound: [], ...RULES, version: 1, fingerprint: expect.any(String) as string },
    entities: [],
    created: "2026-01-01T00:00:00",
    updated: "2026-01-01T00:00:00",
  });
  expect(await simulator.ok("GET", `${path}/${String(created["id"])}`)).toEqual(created);
  expect(await actions(simulator)).toEqual(["firewall_create"]);
});

test.each([
  { label: "ab", why: "shorter than 3" },
  { label: "a".repeat(33), why: "longer than 32" },
  { label: "-abc", why: "does not begin alphanumeric" },
  { label: "abc.", why: "does not end alphanumeric" },
  { label: "a b c", why: "a space" },
  { label: "a--b", why: "two dashes in a row" },
  { label: "a_.b", why: "an underscore and a period in a row" },
  { label: undefined, why: "missing" },
  { label: 12345, why: "not a string" },
])("a firewall label is refused: $why", async ({ label }) => {
  const simulator = await running();
  const reply = await simulator.call("POST", path, { label, rules: RULES });
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, "label"]);
  expect(simulator.control.rows("firewall")).toEqual([]);
});

test("a firewall label is unique in the account, also when it changes", async () => {
  const simulator = await running();
  const first = await firewall(simulator, "edge");
  const second = await firewall(simulator, "core");
  expect(reasons(await simulator.call("POST", path, { label: "edge", rules: RULES }))).toEqual([
    "label: Label must be unique",
  ]);
  expect(reasons(await simulator.call("PUT", second, { label: "edge" }))).toEqual(["label: Label must be unique"]);
  expect((await simulator.ok("PUT", first, { label: "edge" }))["label"]).toBe("edge");
  simulator.control.addAccount({ id: "other" });
  simulator.control.addUser("other", { username: "other" });
  simulator.control.addToken({ token: "other", username: "other", account: "other" });
  const elsewhere = await simulator.call("POST", path, { label: "edge", rules: RULES }, { token: "other" });
  expect(elsewhere.status).toBe(200);
});

test.each([
  { rules: undefined, field: "rules", why: "rules are required" },
  { rules: { inbound_policy: "DROP" }, field: "rules.outbound_policy", why: "outbound_policy is required" },
  { rules: { outbound_policy: "DROP" }, field: "rules.inbound_policy", why: "inbound_policy is required" },
  { rules: { ...RULES, inbound_policy: "REJECT" }, field: "rules.inbound_policy", why: "a policy is ACCEPT or DROP" },
])("firewall create: $why", async ({ rules, field }) => {
  const simulator = await running();
  const reply = await simulator.call("POST", path, { label: "edge", rules });
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, field]);
});

test("an update changes label, tags and status with an event for each sort of change", async () => {
  const simulator = await running();
  const edge = await firewall(simulator, "edge");
  expect(await simulator.ok("PUT", edge, { label: "brim", tags: ["new"] })).toMatchObject({
    label: "brim",
    tags: ["new"],
  });
  expect((await simulator.ok("PUT", edge, { status: "disabled" }))["status"]).toBe("disabled");
  expect((await simulator.ok("PUT", edge, { status: "enabled", tags: [] }))["tags"]).toEqual([]);
  expect(await actions(simulator)).toEqual([
    "firewall_enable",
    "firewall_update",
    "firewall_disable",
    "firewall_update",
    "firewall_create",
  ]);
  expect((await simulator.call("PUT", edge, { status: "deleted" })).status).toBe(400);
});

test("a disabled firewall cannot be enabled while another active one is assigned to the instance", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  const first = await firewall(simulator, "first", [id]);
  await simulator.ok("PUT", first, { status: "disabled" });
  const second = await firewall(simulator, "second", [id]);
  const reply = await simulator.call("PUT", first, { status: "enabled" });
  expect([reply.status, reasons(reply)[0]]).toEqual([400, expect.stringMatching(/^status: .*second/)]);
  await simulator.ok("DELETE", second);
  expect((await simulator.ok("PUT", first, { status: "enabled" }))["status"]).toBe("enabled");
});

test("a deleted firewall is gone with its devices", async () => {
  const simulator = await running();
  const edge = await firewall(simulator, "edge", [await instance(simulator)]);
  expect(await simulator.ok("DELETE", edge)).toEqual({});
  expect((await simulator.call("GET", edge)).status).toBe(404);
  expect(simulator.control.rows("firewall-device")).toEqual([]);
  expect((await actions(simulator))[0]).toBe("firewall_delete");
});

test("firewalls are listed and filtered by id, label, tags and times", async () => {
  const simulator = await running();
  await firewall(simulator, "one");
  await simulator.clock.advance(60_000);
  const two = await firewall(simulator, "two");
  await simulator.ok("PUT", two, { tags: ["web"] });
  const count = async (filter: unknown) =>
    (await simulator.call("GET", path, undefined, { headers: { "X-Filter": JSON.stringify(filter) } })).body["results"];
  expect(await count({})).toBe(2);
  expect(await count({ label: "two" })).toBe(1);
  expect(await count({ tags: "web" })).toBe(1);
  expect(await count({ created: { "+gt": "2026-01-01T00:00:00" } })).toBe(1);
  expect(await count({ status: "enabled" })).toBeUndefined();
});

test.each([
  { method: "GET", suffix: "", scopes: "firewall:read_only", status: 200 },
  { method: "GET", suffix: "/rules", scopes: "firewall:read_only", status: 200 },
  { method: "GET", suffix: "/devices", scopes: "firewall:read_only", status: 200 },
  { method: "GET", suffix: "", scopes: "compute:read_write", status: 403 },
  { method: "PUT", suffix: "", scopes: "firewall:read_only", status: 403 },
  { method: "PUT", suffix: "", scopes: "firewall:read_write", status: 200 },
  { method: "DELETE", suffix: "", scopes: "firewall:read_only", status: 403 },
])("firewall scopes: $method $suffix with $scopes is $status", async ({ method, suffix, scopes, status }) => {
  const simulator = await running();
  const edge = await firewall(simulator, "edge");
  simulator.control.addToken({ token: "scoped", username: "demo", scopes });
  const body = method === "PUT" ? {} : undefined;
  expect((await simulator.call(method, edge + suffix, body, { token: "scoped" })).status).toBe(status);
});

test("a restricted user needs add_firewalls to create, and may change what it created", async () => {
  const simulator = await running();
  await firewall(simulator, "theirs");
  expect((await simulator.call("POST", path, { label: "mine", rules: RULES }, RESTRICTED)).status).toBe(403);
  const grants = { account_access: null, global: { add_firewalls: true }, entities: {} };
  simulator.control.change("user", "demo-restricted", { grants });
  const { id } = await simulator.ok("POST", path, { label: "mine", rules: RULES }, RESTRICTED);
  expect((await simulator.ok("GET", path, undefined, RESTRICTED))["results"]).toBe(1);
  expect((await simulator.call("PUT", `${path}/${String(id)}`, { label: "still" }, RESTRICTED)).status).toBe(200);
  expect((await simulator.call("PUT", `${path}/${String(id)}`, { tags: ["tag"] }, RESTRICTED)).status).toBe(403);
});

test("creating firewall devices needs read_write on the instances", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  const grant = (permission: string | undefined) => {
    const entities = permission === undefined ? {} : { compute: { [id]: permission } };
    simulator.control.change("user", "demo-restricted", {
      grants: { account_access: null, global: { add_firewalls: true }, entities },
    });
  };
  const body = { label: "mine", rules: RULES, devices: { computes: [id] } };
  const status = async () => (await simulator.call("POST", path, body, RESTRICTED)).status;
  grant(undefined);
  expect(await status()).toBe(400);
  grant("read_only");
  expect(await status()).toBe(403);
  expect(simulator.control.rows("firewall")).toEqual([]);
  grant("read_write");
  expect(await status()).toBe(200);
});

import { expect, test } from "vitest";
import { DEBIAN, reasons, running } from "../running.ts";

const RESTRICTED = { token: "demo-token-restricted" };

test("the profile is changed field by field and null clears the keys", async () => {
  const simulator = await running();
  const changed = { timezone: "America/New_York", email: "me@example.com", authorized_keys: ["ssh-rsa AAAA"] };
  expect(await simulator.ok("PUT", "/profile", changed)).toMatchObject({
    ...changed,
    username: "demo",
    restricted: false,
  });
  expect(await simulator.ok("PUT", "/profile", { authorized_keys: null })).toMatchObject({
    authorized_keys: null,
    timezone: "America/New_York",
  });
});

test.each([
  { body: { timezone: "Mars/Olympus" }, field: "timezone", why: "no such time zone" },
  { body: { email: "nobody" }, field: "email", why: "not an address" },
  { body: { lish_auth_method: "open" }, field: "lish_auth_method", why: "not in the enumeration" },
  { body: { ip_whitelist_enabled: true }, field: "ip_whitelist_enabled", why: "deprecated: cannot be enabled" },
  { body: { authorized_keys: "ssh-rsa" }, field: "authorized_keys", why: "not a list" },
])("the profile refuses $field: $why", async ({ body, field }) => {
  const simulator = await running();
  const reply = await simulator.call("PUT", "/profile", body);
  expect([reply.status, reasons(reply)[0]?.split(":")[0]]).toEqual([400, field]);
});

test("part 1 section 7 rule 2: grants are 204 without a body for an unrestricted user", async () => {
  const simulator = await running();
  const reply = await simulator.call("GET", "/profile/grants");
  expect([reply.status, reply.text]).toEqual([204, ""]);
  expect(await simulator.ok("GET", "/profile/grants", undefined, RESTRICTED)).toMatchObject({
    global: { account_access: null, add_computes: false },
    compute: [],
    domain: [],
  });
});

test("part 1 section 4.2 rule 5: grants name entities that are there, by their labels, and no others", async () => {
  const simulator = await running();
  const { id } = await simulator.ok("POST", "/compute/instances", { ...DEBIAN, label: "seen" });
  await simulator.ok("POST", "/images/upload", { label: "mine", region: "us-east" });
  const compute = { [String(id)]: "read_only", 999: "read_write" };
  const grants = { account_access: "read_only", global: {}, entities: { compute, image: { 15001: "read_write" } } };
  simulator.control.change("user", "demo-restricted", { grants });
  expect(await simulator.ok("GET", "/profile/grants", undefined, RESTRICTED)).toMatchObject({
    global: { account_access: "read_only" },
    compute: [{ id, label: "seen", permissions: "read_only" }],
    image: [{ id: 15_001, label: "mine", permissions: "read_write" }],
  });
});

test("an SSH key is made, read, renamed and deleted, and is its user's alone", async () => {
  const simulator = await running();
  const key = await simulator.ok("POST", "/profile/sshkeys", { label: "laptop", ssh_key: "ssh-ed25519 AAAA me" });
  const path = `/profile/sshkeys/${String(key["id"])}`;
  expect(await simulator.ok("GET", path)).toEqual(key);
  expect(await simulator.ok("PUT", path, { label: "desk" })).toEqual({ ...key, label: "desk" });
  expect((await simulator.call("GET", path, undefined, RESTRICTED)).status).toBe(404);
  expect(await simulator.ok("DELETE", path)).toEqual({});
  expect((await simulator.call("GET", path)).status).toBe(404);
});

test("the account tells who it is", async () => {
  const simulator = await running();
  const account = await simulator.ok("GET", "/account");
  expect(account).toMatchObject({ balance: 0, active_since: "2026-01-01T00:00:00" });
  expect(account["euuid"]).toMatch(/^[0-9a-f-]{36}$/);
});

test("events are listed newest first, keep their id to the end, and are marked", async () => {
  const simulator = await running();
  const { id } = await simulator.ok("POST", "/compute/instances", DEBIAN);
  const [scheduled] = (await simulator.ok("GET", "/account/events"))["data"] as Record<string, unknown>[];
  expect(scheduled).toMatchObject({
    action: "compute_create",
    status: "scheduled",
    percent_complete: 0,
    username: "demo",
  });
  await simulator.clock.advance(10_000);
  const one = `/account/events/${String(scheduled?.["id"])}`;
  expect(await simulator.ok("GET", one)).toMatchObject({
    status: "started",
    percent_complete: 44,
    duration: 8,
  });
  await simulator.clock.advance(20_000);
  expect(await simulator.ok("GET", one)).toMatchObject({
    status: "finished",
    percent_complete: 100,
    entity: { id, type: "compute" },
  });
  const { data } = await simulator.ok("GET", "/account/events");
  expect((data as { action: string }[]).map((event) => event.action)).toEqual(["compute_boot", "compute_create"]);
  await simulator.ok("POST", `${one}/read`);
  await simulator.ok("POST", `${one}/seen`);
  expect(await simulator.ok("GET", one)).toMatchObject({ read: true, seen: true });
});

test("events older than 90 days are not listed", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/compute/instances", DEBIAN);
  await simulator.clock.advance(91 * 86_400_000);
  expect((await simulator.ok("GET", "/account/events"))["results"]).toBe(0);
});

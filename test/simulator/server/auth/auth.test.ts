import { expect, test } from "vitest";
import { DEBIAN, reasons, running } from "../../running.ts";

const RESTRICTED = { token: "demo-token-restricted" };

test("part 1 section 5 rule 1: a missing, malformed or revoked token is a 401", async () => {
  const simulator = await running();
  simulator.control.addToken({ token: "old", username: "demo", revoked: true });
  const replies = [
    await simulator.call("GET", "/profile", undefined, { token: null }),
    await simulator.call("GET", "/profile", undefined, { token: null, headers: { Authorization: "Basic demo-token" } }),
    await simulator.call("GET", "/profile", undefined, { token: "old" }),
  ];
  expect(replies.map((reply) => reply.status)).toEqual([401, 401, 401]);
});

test.each([
  { clientId: "personal", why: "a personal token" },
  { clientId: "dashboard", why: "a token of an OAuth client" },
])("part 1 section 5 rule 1: $why is none any more from its expiry on", async ({ clientId }) => {
  const simulator = await running();
  const expiry = simulator.control.clock.now() + 7_200_000;
  const body = { token: "short", username: "demo", clientId, scopes: "account:read_only", expiry };
  const headers = { Authorization: `Bearer ${simulator.controlToken}` };
  await simulator.ok("POST", "/_simulator/tokens", body, { headers, token: null });
  const { status } = await simulator.call("GET", "/profile", undefined, { token: "short" });
  await simulator.clock.advance(7_200_000);
  expect([status, (await simulator.call("GET", "/profile", undefined, { token: "short" })).status]).toEqual([200, 401]);
});

test("two accounts see nothing of each other, and an app's token ends with the app", async () => {
  const simulator = await running();
  const { id } = await simulator.ok("POST", "/compute/instances", DEBIAN);
  const other = { token: "demo-token-other" };
  expect((await simulator.ok("GET", "/account", undefined, other))["euuid"]).not.toBe(
    (await simulator.ok("GET", "/account"))["euuid"],
  );
  expect((await simulator.call("GET", `/compute/instances/${String(id)}`, undefined, other)).status).toBe(404);
  expect((await simulator.ok("GET", "/compute/instances", undefined, other))["results"]).toBe(0);

  const app = { token: "demo-token-dashboard" };
  expect((await simulator.ok("GET", "/profile", undefined, app))["username"]).toBe("demo");
  const { data } = await simulator.ok("GET", "/profile/apps");
  const dashboard = (data as { id: number; label: string }[]).find(({ label }) => label === "Dashboard");
  await simulator.ok("DELETE", `/profile/apps/${String(dashboard?.id)}`);
  expect((await simulator.call("GET", "/profile", undefined, app)).status).toBe(401);
});

test("a catalog needs no token, and images without one are the public ones", async () => {
  const simulator = await running();
  for (const path of ["/regions", "/compute/types", "/compute/kernels", "/images"])
    expect((await simulator.call("GET", path, undefined, { token: null })).status, path).toBe(200);
});

test.each([
  { scopes: "account:read_only", status: 403, why: "read_only does not cover a change" },
  { scopes: "account:read_write", status: 200, why: "the scope itself" },
  { scopes: "compute:read_write", status: 403, why: "another area" },
  { scopes: "account:*", status: 200, why: "a whole area" },
  { scopes: "compute:read_only account:read_write", status: 200, why: "one of several" },
])(
  "part 1 section 5 rule 2: a change of the profile with the scopes $scopes is $status: $why",
  async ({ scopes, status }) => {
    const simulator = await running();
    simulator.control.addToken({ token: "scoped", username: "demo", scopes });
    const reply = await simulator.call("PUT", "/profile", { timezone: "Europe/Paris" }, { token: "scoped" });
    expect(reply.status).toBe(status);
    expect(reply.headers.get("x-oauth-scopes")).toBe(scopes);
    expect(reply.headers.get("x-accepted-oauth-scopes")).toBe("account:read_write");
    expect(reply.headers.get("x-spec-version")).toBe("4.166.0");
  },
);

test("a restricted user without grants sees an empty account and may not create", async () => {
  const simulator = await running();
  const instance = await simulator.ok("POST", "/compute/instances", DEBIAN);
  expect((await simulator.ok("GET", "/compute/instances", undefined, RESTRICTED))["results"]).toBe(0);
  const path = `/compute/instances/${String(instance["id"])}`;
  expect((await simulator.call("GET", path, undefined, RESTRICTED)).status).toBe(404);
  expect((await simulator.call("POST", "/compute/instances", DEBIAN, RESTRICTED)).status).toBe(403);
  expect((await simulator.call("GET", "/account", undefined, RESTRICTED)).status).toBe(403);
});

test("part 1 section 5 rule 4: a grant to read does not let a restricted user change", async () => {
  const simulator = await running();
  const { id } = await simulator.ok("POST", "/compute/instances", DEBIAN);
  const grants = { account_access: null, global: {}, entities: { compute: { [String(id)]: "read_only" } } };
  simulator.control.addUser("demo", { username: "reader", restricted: true, grants: grants as never });
  simulator.control.addToken({ token: "reader", username: "reader" });
  const path = `/compute/instances/${String(id)}`;
  expect((await simulator.call("GET", path, undefined, { token: "reader" })).status).toBe(200);
  expect((await simulator.call("PUT", path, { label: "mine" }, { token: "reader" })).status).toBe(403);
  expect((await simulator.call("DELETE", path, undefined, { token: "reader" })).status).toBe(403);
});

test("what a restricted user may create is its own, but without tags", async () => {
  const simulator = await running();
  const grants = { account_access: null, global: { add_computes: true }, entities: {} };
  simulator.control.addUser("demo", { username: "maker", restricted: true, grants });
  simulator.control.addToken({ token: "maker", username: "maker" });
  const tagged = await simulator.call("POST", "/compute/instances", { ...DEBIAN, tags: ["mine"] }, { token: "maker" });
  expect(tagged.status).toBe(403);
  expect(reasons(tagged)[0]).toMatch(/^tags: /);
  const { id } = await simulator.ok("POST", "/compute/instances", DEBIAN, { token: "maker" });
  expect((await simulator.ok("GET", "/compute/instances", undefined, { token: "maker" }))["results"]).toBe(1);
  const listed = await simulator.ok("GET", "/profile/grants", undefined, { token: "maker" });
  expect(listed).toMatchObject({
    global: { add_computes: true, add_domains: false },
    compute: [{ id, permissions: "read_write" }],
  });
});

test("the rows of one account are not seen by another", async () => {
  const simulator = await running();
  simulator.control.addAccount({ id: "other" });
  simulator.control.addUser("other", { username: "stranger" });
  simulator.control.addToken({ token: "stranger", account: "other", username: "stranger" });
  const { id } = await simulator.ok("POST", "/compute/instances", DEBIAN);
  const reply = await simulator.call("GET", `/compute/instances/${String(id)}`, undefined, { token: "stranger" });
  expect(reply.status).toBe(404);
});

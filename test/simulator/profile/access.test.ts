import { expect, test } from "vitest";
import { running } from "../running.ts";
import type { Running } from "../running.ts";

const DAY = 86_400_000;

async function listed(simulator: Running, path: string): Promise<Record<string, unknown>[]> {
  return (await simulator.ok("GET", path))["data"] as Record<string, unknown>[];
}

test("an authorized app shows what it may do and until when", async () => {
  const simulator = await running();
  const [app] = await listed(simulator, "/profile/apps");
  expect(app).toEqual({
    id: 1,
    label: "Backup tool",
    scopes: "compute:read_only",
    website: "https://app-1.example.com",
    thumbnail_url: "https://app-1.example.com/thumbnail.png",
    created: "2026-01-01T00:00:00",
    expiry: null,
  });
  expect(await simulator.ok("GET", "/profile/apps/1")).toEqual(app);
});

test("part 1 section 4.2: a revoked app's token no longer grants access", async () => {
  const simulator = await running();
  const id = simulator.control.profile.addApp({ username: "demo", clientId: "photos" });
  simulator.control.addToken({ token: "of-app", username: "demo", clientId: "photos" });
  simulator.control.addToken({ token: "of-another-user", username: "demo-restricted", clientId: "photos" });
  expect((await simulator.call("GET", "/profile", undefined, { token: "of-app" })).status).toBe(200);
  expect(await simulator.ok("DELETE", `/profile/apps/${id}`)).toEqual({});
  expect((await simulator.call("GET", "/profile", undefined, { token: "of-app" })).status).toBe(401);
  expect((await simulator.call("GET", "/profile", undefined, { token: "of-another-user" })).status).toBe(200);
  expect((await simulator.call("GET", `/profile/apps/${id}`)).status).toBe(404);
});

test("an app is gone when it expires", async () => {
  const simulator = await running();
  expect(await listed(simulator, "/profile/apps")).toHaveLength(2);
  await simulator.clock.advance(365 * DAY);
  expect((await listed(simulator, "/profile/apps")).map(({ label }) => label)).toEqual(["Backup tool"]);
  expect((await simulator.call("GET", "/profile/apps/2")).status).toBe(404);
});

test("a trusted device is viewed, and logs in again after it is deleted", async () => {
  const simulator = await running();
  const [device] = await listed(simulator, "/profile/devices");
  expect(device).toEqual({
    id: 1,
    user_agent: "Firefox",
    last_remote_addr: "192.0.2.10",
    created: "2025-12-30T00:00:00",
    last_authenticated: "2025-12-30T00:00:00",
    expiry: "2026-01-29T00:00:00",
  });
  expect(await simulator.ok("GET", "/profile/devices/1")).toEqual(device);
  expect(await simulator.ok("DELETE", "/profile/devices/1")).toEqual({});
  expect((await simulator.call("GET", "/profile/devices/1")).status).toBe(404);
});

test("part 1 section 2.5: the trust in a device lasts 30 days", async () => {
  const simulator = await running();
  simulator.control.profile.addDevice({ username: "demo", user_agent: "Phone" });
  await simulator.clock.advance(30 * DAY - 1000);
  expect((await listed(simulator, "/profile/devices")).map((device) => device["user_agent"])).toEqual(["Phone"]);
  await simulator.clock.advance(1000);
  expect(await listed(simulator, "/profile/devices")).toEqual([]);
});

test("part 1 section 8: logins of the last 90 days are listed, failed ones too", async () => {
  const simulator = await running();
  const logins = await listed(simulator, "/profile/logins");
  expect(logins.map(({ status }) => status)).toEqual(["failed", "successful"]);
  expect(await simulator.ok("GET", "/profile/logins/3")).toEqual({
    id: 3,
    username: "demo",
    datetime: "2025-12-31T00:00:00",
    ip: "192.0.2.10",
    restricted: false,
    status: "successful",
  });
  expect((await simulator.call("GET", "/profile/logins/1")).status).toBe(404);
  await simulator.clock.advance(90 * DAY);
  expect(await listed(simulator, "/profile/logins")).toEqual([]);
});

test.each(["apps", "devices", "logins"])("a user's %s are not another user's", async (what) => {
  const simulator = await running();
  const other = { token: "demo-token-restricted" };
  expect((await simulator.ok("GET", `/profile/${what}`, undefined, other))["results"]).toBe(0);
  expect((await simulator.call("GET", `/profile/${what}/2`, undefined, other)).status).toBe(404);
});

test.each([
  { method: "GET", path: "/profile/apps", why: "apps tell who has access" },
  { method: "GET", path: "/profile/logins", why: "logins tell addresses" },
  { method: "GET", path: "/profile/preferences", why: "preferences are private" },
])("$path wants a scope: $why", async ({ method, path }) => {
  const simulator = await running();
  simulator.control.addToken({ token: "narrow", username: "demo", scopes: "compute:read_write" });
  expect((await simulator.call(method, path, undefined, { token: "narrow" })).status).toBe(403);
});

import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";

const PATH = "/profile/preferences";

test("part 1 section 4.2 rule 3: preferences are replaced whole", async () => {
  const simulator = await running();
  expect(await simulator.ok("GET", PATH)).toEqual({});
  const first = { theme: "dark", nested: { list: [1, null] } };
  expect(await simulator.ok("PUT", PATH, first)).toEqual(first);
  expect(await simulator.ok("PUT", PATH, { theme: "light" })).toEqual({ theme: "light" });
  expect(await simulator.ok("GET", PATH)).toEqual({ theme: "light" });
});

test("part 1 section 2.5: each OAuth client and each user has its own preferences", async () => {
  const simulator = await running();
  simulator.control.addToken({ token: "by-app", username: "demo", clientId: "dashboard" });
  await simulator.ok("PUT", PATH, { of: "personal tokens" });
  expect(await simulator.ok("GET", PATH, undefined, { token: "by-app" })).toEqual({});
  await simulator.ok("PUT", PATH, { of: "the dashboard" }, { token: "by-app" });
  expect(await simulator.ok("GET", PATH)).toEqual({ of: "personal tokens" });
  expect(await simulator.ok("GET", PATH, undefined, { token: "demo-token-restricted" })).toEqual({});
});

test.each([
  { length: 65_535, status: 200 },
  { length: 65_536, status: 400 },
])("part 1 section 8: a body of $length characters is answered with $status", async ({ length, status }) => {
  const simulator = await running();
  const body = `{"text":"${"a".repeat(length - 11)}"}`;
  expect((await simulator.call("PUT", PATH, body)).status).toBe(status);
});

test("spaces of the body count, too", async () => {
  const simulator = await running();
  const reply = await simulator.call("PUT", PATH, `{"a":1${" ".repeat(65_535)}}`);
  expect(reasons(reply)).toEqual(["The body must have at most 65535 characters"]);
});

test("preferences are the client's own words: the brand word is not looked for", async () => {
  const simulator = await running({ brandWord: "acme" });
  const preferences = { computes: 1, acme_id: 2, type: "acme" };
  expect(await simulator.ok("PUT", PATH, preferences)).toEqual(preferences);
  expect(simulator.control.rows("preferences")[0]).toMatchObject({ preferences });
});

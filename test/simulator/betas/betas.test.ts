import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";

const RESTRICTED = { token: "demo-token-restricted" };

test("part 2 section 4.9: active programs are listed; one that is over can be viewed", async () => {
  const simulator = await running();
  const programs = (await simulator.ok("GET", "/betas"))["data"] as Record<string, unknown>[];
  expect(programs.map(({ id }) => id)).toEqual(["fast-disks", "early-network", "one-place"]);
  expect(programs[0]).toEqual({
    id: "fast-disks",
    label: "Fast disks",
    description: "Fast disks for everybody",
    greenlight_only: false,
    started: "2023-06-01T00:00:00",
    ended: null,
    more_info: "https://beta.example.com/fast-disks",
  });
  expect(await simulator.ok("GET", "/betas/long-gone")).toMatchObject({ ended: "2024-01-01T00:00:00" });
  expect((await simulator.call("GET", "/betas/never")).status).toBe(404);
});

test("an account enrolls, and sees what it takes part in, also when the program is over", async () => {
  const simulator = await running();
  expect(await simulator.ok("POST", "/account/betas", { id: "fast-disks" })).toEqual({});
  const enrolled = {
    id: "fast-disks",
    label: "Fast disks",
    description: "Fast disks for everybody",
    started: "2023-06-01T00:00:00",
    ended: null,
    enrolled: "2026-01-01T00:00:00",
  };
  expect(await simulator.ok("GET", "/account/betas/fast-disks")).toEqual(enrolled);
  simulator.control.change("beta", "fast-disks", { ended: "2025-12-31T00:00:00" }, "");
  expect((await simulator.ok("GET", "/account/betas"))["data"]).toEqual([
    { ...enrolled, ended: "2025-12-31T00:00:00" },
  ]);
  expect((await simulator.call("GET", "/account/betas/early-network")).status).toBe(404);
});

test.each([
  { id: undefined, why: "id is required" },
  { id: "never", why: "There is no such beta program" },
  { id: "long-gone", why: "The beta program is not active" },
  { id: "early-network", why: "The beta program is for accounts of the early-access program only" },
])("part 2 section 4.9: enrollment in $id is refused: $why", async ({ id, why }) => {
  const simulator = await running();
  const reply = await simulator.call("POST", "/account/betas", { id });
  expect([reply.status, reasons(reply)]).toEqual([400, [`id: ${why}`]]);
});

test("part 2 section 4.9: greenlight_only programs accept accounts of the early-access program", async () => {
  const simulator = await running();
  simulator.control.addAccount({ id: "demo", greenlight: true });
  expect(await simulator.ok("POST", "/account/betas", { id: "early-network" })).toEqual({});
});

test("part 2 section 7: when the maximum of enrollments is reached, an error is returned", async () => {
  const simulator = await running();
  simulator.control.addAccount({ id: "other" });
  simulator.control.addUser("other", { username: "eve" });
  simulator.control.addToken({ token: "eve", account: "other", username: "eve" });
  await simulator.ok("POST", "/account/betas", { id: "one-place" }, { token: "eve" });
  const reply = await simulator.call("POST", "/account/betas", { id: "one-place" });
  expect([reply.status, reasons(reply)]).toEqual([400, ["id: The maximum number of enrollments is reached"]]);
});

test("an account enrolls once", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/account/betas", { id: "fast-disks" });
  expect((await simulator.call("POST", "/account/betas", { id: "fast-disks" })).status).toBe(400);
});

test.each([
  { method: "GET", path: "/betas" },
  { method: "GET", path: "/betas/fast-disks" },
  { method: "GET", path: "/account/betas" },
  { method: "POST", path: "/account/betas" },
])("part 2 section 4.9: $method $path is for unrestricted users only", async ({ method, path }) => {
  const simulator = await running();
  const body = method === "POST" ? { id: "fast-disks" } : undefined;
  expect((await simulator.call(method, path, body, RESTRICTED)).status).toBe(403);
});

test("part 1 section 5: programs want credentials and no scope", async () => {
  const simulator = await running();
  simulator.control.addToken({ token: "narrow", username: "demo", scopes: "ips:read_only" });
  expect((await simulator.call("GET", "/betas", undefined, { token: "narrow" })).status).toBe(200);
  expect((await simulator.call("GET", "/betas", undefined, { token: null })).status).toBe(401);
  expect((await simulator.call("GET", "/account/betas", undefined, { token: "narrow" })).status).toBe(403);
});

import { expect, test } from "vitest";
import { DEBIAN, running } from "../running.ts";
import type { Running } from "../running.ts";

async function statuses(
  simulator: Running,
  times: number,
  method: string,
  path: string,
  body?: unknown,
): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < times; index += 1) found.push((await simulator.call(method, path, body)).status);
  return found;
}

test("the eleventh instance within 30 seconds is a 429 that says when to come back", async () => {
  const simulator = await running({ rateLimits: true });
  expect(await statuses(simulator, 10, "POST", "/compute/instances", DEBIAN)).toEqual(Array(10).fill(200));
  await simulator.clock.advance(10_000);
  const reply = await simulator.call("POST", "/compute/instances", DEBIAN);
  expect([reply.status, reply.headers.get("retry-after")]).toEqual([429, "20"]);
  expect(reply.headers.get("x-ratelimit-remaining")).toBe("0");
  await simulator.clock.advance(20_000);
  expect((await simulator.call("POST", "/compute/instances", DEBIAN)).status).toBe(200);
});

test.each([
  { call: "GET /profile", limit: 800, seconds: 60, why: "each operation" },
  { call: "GET /compute/instances", limit: 400, seconds: 60, why: "a paged list" },
  { call: "POST /compute/instances", limit: 10, seconds: 30, why: "instance create" },
  { call: "GET /images", limit: 20, seconds: 60, why: "the list of images" },
  { call: "GET /compute/instances/1001/stats", limit: 100, seconds: 60, why: "statistics" },
  { call: "GET /compute/instances/1001/stats/2026/1", limit: 100, seconds: 60, why: "statistics of a month" },
  { call: "GET /object-storage/buckets", limit: 750, seconds: 1, why: "object storage" },
])("not-shown section 1: $why is limited to $limit in $seconds s, with headers and Retry-After", async (row) => {
  const simulator = await running({ rateLimits: true });
  await simulator.ok("POST", "/compute/instances", DEBIAN);
  const [method = "", path = ""] = row.call.split(" ");
  const body = method === "POST" ? DEBIAN : undefined;
  const first = await simulator.call(method, path, body);
  expect([first.status, first.headers.get("x-ratelimit-limit")]).toEqual([200, String(row.limit)]);
  // One request of each bucket is allowed now, and was made.
  simulator.control.rateLimits.set({ scale: 1 / row.limit });
  expect((await simulator.call(method, path, body)).status).toBe(200);
  const refused = await simulator.call(method, path, body);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, String(row.seconds)]);
  expect(Number(refused.headers.get("x-ratelimit-reset"))).toBe(Date.UTC(2026, 0, 1) / 1000 + row.seconds);
  expect(refused.body).toEqual({ errors: [{ reason: "Too many requests" }] });
});

test("headers count down within the window of the operation", async () => {
  const simulator = await running({ rateLimits: true });
  await simulator.call("GET", "/images");
  const reply = await simulator.call("GET", "/images");
  expect(reply.headers.get("x-ratelimit-limit")).toBe("20");
  expect(reply.headers.get("x-ratelimit-remaining")).toBe("18");
  expect(Number(reply.headers.get("x-ratelimit-reset"))).toBe(Date.UTC(2026, 0, 1, 0, 1) / 1000);
});

test("limits are counted per token, can be scaled, and can be off", async () => {
  const simulator = await running({ rateLimits: true });
  simulator.control.rateLimits.set({ scale: 0.1 });
  expect(await statuses(simulator, 3, "GET", "/images")).toEqual([200, 200, 429]);
  simulator.control.addToken({ token: "second", username: "demo" });
  expect((await simulator.call("GET", "/images", undefined, { token: "second" })).status).toBe(200);
  simulator.control.rateLimits.set({ enabled: false });
  expect(await statuses(simulator, 4, "GET", "/images")).toEqual([200, 200, 200, 200]);
});

test("there is a limit for all operations together", async () => {
  const simulator = await running({ rateLimits: true });
  simulator.control.rateLimits.set({ scale: 0.002 });
  expect(await statuses(simulator, 1, "GET", "/account")).toEqual([200]);
  expect(await statuses(simulator, 1, "GET", "/profile")).toEqual([200]);
  expect(await statuses(simulator, 1, "GET", "/profile/sshkeys")).toEqual([200]);
  expect(await statuses(simulator, 1, "GET", "/compute/instances")).toEqual([429]);
});

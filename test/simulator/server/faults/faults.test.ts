import { expect, test } from "vitest";
import { reasons, running } from "../../running.ts";
import type { Running } from "../../running.ts";

const KEY = { ssh_key: "ssh-rsa AAAA", label: "laptop" };
const add = (simulator: Running) => simulator.call("POST", "/profile/sshkeys", KEY);
const count = async (simulator: Running) => (await simulator.ok("GET", "/profile/sshkeys"))["results"];

test("an error answer replaces the operation and leaves no effect", async () => {
  const simulator = await running();
  simulator.control.faults.add({ kind: "status", status: 500, method: "POST", path: "/profile/sshkeys", times: 1 });
  const reply = await add(simulator);
  expect([reply.status, reasons(reply)]).toEqual([500, ["Simulated fault"]]);
  expect(await count(simulator)).toBe(0);
  expect((await add(simulator)).status).toBe(200);
});

test("a gateway's page is HTML", async () => {
  const simulator = await running();
  simulator.control.faults.add({ kind: "html" });
  const reply = await simulator.call("GET", "/profile");
  expect([reply.status, reply.headers.get("content-type")]).toEqual([502, "text/html"]);
  expect(reply.text).toContain("<html>");
});

test("429 comes with and without Retry-After, maintenance with its header", async () => {
  const simulator = await running();
  simulator.control.faults.add({ kind: "rate-limit", retryAfter: 7, times: 1 });
  simulator.control.faults.add({ kind: "rate-limit", times: 1 });
  simulator.control.faults.add({ kind: "maintenance", retryAfter: 30, times: 1 });
  const replies = [
    await simulator.call("GET", "/profile"),
    await simulator.call("GET", "/profile"),
    await simulator.call("GET", "/profile"),
  ];
  expect(replies.map((reply) => [reply.status, reply.headers.get("retry-after")])).toEqual([
    [429, "7"],
    [429, null],
    [503, "30"],
  ]);
  expect(replies[2]?.headers.get("x-maintenance-mode")).toBe("true");
});

test("a reset before applying changes nothing, one after applying has done it", async () => {
  const simulator = await running();
  simulator.control.faults.add({ kind: "reset-before", method: "POST", times: 1 });
  await expect(add(simulator)).rejects.toThrow();
  expect(await count(simulator)).toBe(0);
  simulator.control.faults.add({ kind: "reset-after", method: "POST", times: 1 });
  await expect(add(simulator)).rejects.toThrow();
  expect(await count(simulator)).toBe(1);
  const [before, after] = simulator.control.ledger({ mutating: true });
  expect(before).toMatchObject({ fault: "reset-before", appliedAt: null, repliedAt: null, status: null });
  expect(after).toMatchObject({ fault: "reset-after", status: 200, repliedAt: null });
  expect(after?.appliedAt).not.toBeNull();
});

test("a late apply happens after the answer was lost", async () => {
  const simulator = await running();
  simulator.control.faults.add({ kind: "late-apply", ms: 5_000, method: "POST", times: 1 });
  await expect(add(simulator)).rejects.toThrow();
  expect(await count(simulator)).toBe(0);
  await simulator.clock.advance(5_000);
  expect(await count(simulator)).toBe(1);
});

test("a delayed request runs when the delay is over", async () => {
  const simulator = await running();
  simulator.control.faults.add({ kind: "delay", ms: 3_000, method: "POST", times: 1 });
  const reply = add(simulator);
  await expect.poll(() => simulator.clock.waiting()).toBeGreaterThan(0);
  expect(await count(simulator)).toBe(0);
  await simulator.clock.advance(3_000);
  expect((await reply).status).toBe(200);
});

test("a truncated answer ends in the middle, with the effect done", async () => {
  const simulator = await running();
  simulator.control.faults.add({ kind: "truncate", method: "POST", times: 1 });
  await expect(add(simulator)).rejects.toThrow();
  expect(await count(simulator)).toBe(1);
});

test("a young row is absent from lists and readable by its id", async () => {
  const simulator = await running();
  await add(simulator);
  simulator.control.faults.add({ kind: "absent", seconds: 10, path: "/profile/sshkeys" });
  expect(await count(simulator)).toBe(0);
  expect((await simulator.call("GET", "/profile/sshkeys/1")).status).toBe(200);
  await simulator.clock.advance(10_000);
  expect(await count(simulator)).toBe(1);
});

test("a page that shifts loses a row between the pages", async () => {
  const simulator = await running();
  for (let number = 0; number < 30; number += 1) await add(simulator);
  simulator.control.faults.add({ kind: "shift", by: 1 });
  const ids: number[] = [];
  for (const page of [1, 2]) {
    const { data } = await simulator.ok("GET", `/profile/sshkeys?page=${page}&page_size=25`);
    ids.push(...(data as { id: number }[]).map((key) => key.id));
  }
  expect(ids).toHaveLength(29);
  expect(ids).not.toContain(26);
});

test("faults pass over requests, run out, and match by method and path", async () => {
  const simulator = await running();
  simulator.control.faults.add({ kind: "status", status: 503, method: "GET", path: "/profile/*", skip: 1, times: 1 });
  const statuses: number[] = [];
  for (const path of ["/profile", "/profile/sshkeys", "/profile/sshkeys", "/profile/sshkeys"])
    statuses.push((await simulator.call("GET", path)).status);
  expect(statuses).toEqual([200, 200, 503, 200]);
});

test("a chance with a seed hits the same requests in every run", async () => {
  const pattern = async (): Promise<number[]> => {
    const simulator = await running();
    simulator.control.faults.add({ kind: "status", status: 500, probability: 0.5, seed: 42 });
    const statuses: number[] = [];
    for (let index = 0; index < 12; index += 1) statuses.push((await simulator.call("GET", "/profile")).status);
    return statuses;
  };
  const first = await pattern();
  expect(new Set(first)).toEqual(new Set([200, 500]));
  expect(await pattern()).toEqual(first);
});

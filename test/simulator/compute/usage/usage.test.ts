import { expect, test } from "vitest";
import { reasons, running } from "../../running.ts";
import type { Running } from "../../running.ts";
import { instanceOf } from "../instance.ts";
import type { Instance } from "../instance.ts";

type Points = [number, number][];
interface Statistics {
  title: string;
  cpu: Points;
  io: { io: Points; swap: Points };
  netv4: Record<string, Points>;
  netv6: Record<string, Points>;
}

const HOUR = 3_600_000;

const statistics = async (simulator: Running, instance: Instance, month = "") =>
  (await simulator.ok("GET", `${instance.path}/stats${month}`)) as unknown as Statistics;

test("statistics hold a point every five minutes of the past 24 hours, none before the creation", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.clock.advance(HOUR);
  const young = await statistics(simulator, instance);
  expect(young.cpu).toHaveLength(13);
  await simulator.clock.advance(48 * HOUR);
  const { cpu, io, netv4, netv6, title } = await statistics(simulator, instance);
  expect(title).toContain(`compute${instance.id}`);
  expect(cpu).toHaveLength(288);
  expect(cpu.every(([, value]) => value > 0 && value <= 100)).toBe(true);
  expect((cpu[1]?.[0] ?? 0) - (cpu[0]?.[0] ?? 0)).toBe(300_000);
  expect(simulator.control.clock.now() - (cpu.at(-1)?.[0] ?? 0)).toBeLessThanOrEqual(300_000);
  for (const points of [io.io, io.swap, ...Object.values(netv4), ...Object.values(netv6)])
    expect(points).toHaveLength(288);
  for (const net of [netv4, netv6]) expect(Object.keys(net)).toEqual(["in", "out", "private_in", "private_out"]);
});

test("statistics follow the instance's life: zero while it is off", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.clock.advance(2 * HOUR);
  await simulator.ok("POST", `${instance.path}/shutdown`);
  await simulator.clock.advance(2 * HOUR);
  await simulator.ok("POST", `${instance.path}/boot`);
  await simulator.clock.advance(2 * HOUR);
  const { cpu } = await statistics(simulator, instance);
  const start = Date.parse("2026-01-01T00:00:00Z");
  const busy = cpu.map(([at, value]) => [(at - start) / HOUR, value > 0] as const);
  expect(busy.filter(([at]) => at > 0.1 && at < 2).every(([, on]) => on)).toBe(true);
  expect(busy.filter(([at]) => at > 2.1 && at < 4).some(([, on]) => on)).toBe(false);
  expect(busy.filter(([at]) => at > 4.2).every(([, on]) => on)).toBe(true);
});

test("what was told stays the same", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.clock.advance(3 * HOUR);
  const before = await statistics(simulator, instance);
  await simulator.clock.advance(HOUR);
  const after = await statistics(simulator, instance);
  expect(after.cpu.slice(0, before.cpu.length)).toEqual(before.cpu);
});

test("part 2 section 4.5 rule 7: a month is in the past or the current one, of which the past 30 days are returned", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.clock.advance(40 * 24 * HOUR);
  const current = await statistics(simulator, instance, "/2026/2");
  expect(current.cpu).toHaveLength(360);
  expect(current.cpu[0]?.[0]).toBeLessThan(Date.parse("2026-02-01T00:00:00Z"));
  const past = await statistics(simulator, instance, "/2026/1");
  expect(past.cpu.every(([at]) => new Date(at).getUTCMonth() === 0)).toBe(true);
  expect((await statistics(simulator, instance, "/2025/12")).cpu).toEqual([]);
  expect(reasons(await simulator.call("GET", `${instance.path}/stats/2026/3`))[0]).toMatch(/^month: .*past/);
});

test.each([
  { path: "stats/2026/0", field: "month", why: "below 1" },
  { path: "stats/2026/13", field: "month", why: "above 12" },
  { path: "stats/now/1", field: "year", why: "not a number" },
  { path: "transfer/1999/1", field: "year", why: "below 2000" },
  { path: "transfer/2038/1", field: "year", why: "above 2037" },
  { path: "transfer/2026/13", field: "month", why: "above 12" },
])("$path is refused: $field $why", async ({ path, field }) => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const reply = await simulator.call("GET", `${instance.path}/${path}`);
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, field]);
});

test("transfer grows while the instance runs, agrees with its months, and is billed beyond the quota only", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const transfer = () => simulator.ok("GET", `${instance.path}/transfer`);
  expect(await transfer()).toMatchObject({ quota: 2000, billable: 0 });
  await simulator.clock.advance(6 * HOUR);
  const { used } = await transfer();
  expect(used).toBeGreaterThan(0);
  const month = await simulator.ok("GET", `${instance.path}/transfer/2026/1`);
  expect(month["bytes_total"]).toBe(used);
  expect(Number(month["bytes_in"]) + Number(month["bytes_out"])).toBe(used);
  await simulator.ok("POST", `${instance.path}/shutdown`);
  const off = (await transfer())["used"];
  await simulator.clock.advance(6 * HOUR);
  expect((await transfer())["used"]).toBe(off);
  await simulator.clock.advance(31 * 24 * HOUR);
  expect(await transfer()).toMatchObject({ used: 0 });
  expect(await simulator.ok("GET", `${instance.path}/transfer/2026/1`)).toMatchObject({ bytes_total: off });
});

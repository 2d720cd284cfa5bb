import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";
import type { Running } from "../running.ts";
import { activeDatabase } from "./database.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

async function backups(simulator: Running, path: string): Promise<Record<string, unknown>[]> {
  return (await simulator.ok("GET", `${path}/backups`))["data"] as Record<string, unknown>[];
}

test("a snapshot is made while the database is backing_up, and listed when it is complete", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  expect(await simulator.ok("POST", `${path}/backups`, { label: "before the sale" })).toEqual({});
  expect(await simulator.ok("GET", path)).toMatchObject({ status: "backing_up" });
  expect(await backups(simulator, path)).toEqual([]);
  await simulator.clock.advance(2 * MINUTE);
  const [backup] = await backups(simulator, path);
  expect(backup).toEqual({ id: 1, type: "snapshot", label: "before the sale", created: "2026-01-01T00:32:00" });
  expect(await simulator.ok("GET", `${path}/backups/1`)).toEqual(backup);
});

test("part 1 section 4.1 rule 2: a database is backed up every day, and seven automatic backups are kept", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  await simulator.ok("POST", `${path}/backups`, { label: "kept" });
  for (let day = 0; day < 9; day += 1) await simulator.clock.advance(DAY);
  const kept = await backups(simulator, path);
  expect(kept.map(({ type }) => type)).toEqual(["snapshot", ...Array.from({ length: 7 }, () => "auto")]);
  const days = kept.slice(1).map(({ created }) => String(created).slice(0, 10));
  expect(new Set(days).size).toBe(7);
  expect(days.at(-1)).toBe("2026-01-10");
});

test("a database that is not active misses its daily backup", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  simulator.control.change("database", 101, { status: "suspended" });
  await simulator.clock.advance(DAY);
  expect(await backups(simulator, path)).toEqual([]);
  simulator.control.change("database", 101, { status: "active" });
  await simulator.clock.advance(DAY);
  expect(await backups(simulator, path)).toHaveLength(1);
});

test("not-shown section 2: a restore goes through restoring to active", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  await simulator.ok("POST", `${path}/backups`, { label: "good" });
  await simulator.clock.advance(2 * MINUTE);
  expect(await simulator.ok("POST", `${path}/backups/1/restore`)).toEqual({});
  expect(await simulator.ok("GET", path)).toMatchObject({ status: "restoring" });
  expect((await simulator.call("POST", `${path}/backups/1/restore`)).status).toBe(400);
  await simulator.clock.advance(10 * MINUTE);
  expect(await simulator.ok("GET", path)).toMatchObject({ status: "active" });
});

test.each([
  { body: {}, field: "label", why: "required" },
  { body: { label: "" }, field: "label", why: "1 to 30 characters" },
  { body: { label: "a".repeat(31) }, field: "label", why: "1 to 30 characters" },
  { body: { label: "a", target: "third" }, field: "target", why: "not in the enumeration" },
  { body: { label: "a", target: "secondary" }, field: "target", why: "a single node has no secondary" },
])("not-shown section 2: a backup is refused by $field: $why", async ({ body, field }) => {
  const simulator = await running();
  const reply = await simulator.call("POST", `${await activeDatabase(simulator)}/backups`, body);
  expect([reply.status, reasons(reply)[0]?.split(":")[0]]).toEqual([400, field]);
});

test("a cluster of three is backed up from its secondary", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator, { cluster_size: 3 });
  expect(await simulator.ok("POST", `${path}/backups`, { label: "a", target: "secondary" })).toEqual({});
});

test("a backup is deleted, and is found under its own database only", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  const other = await activeDatabase(simulator, { label: "other" });
  await simulator.ok("POST", `${path}/backups`, { label: "a" });
  await simulator.clock.advance(2 * MINUTE);
  expect((await simulator.call("DELETE", `${other}/backups/1`)).status).toBe(404);
  expect(await simulator.ok("DELETE", `${path}/backups/1`)).toEqual({});
  expect((await simulator.call("GET", `${path}/backups/1`)).status).toBe(404);
});

test("a deleted database takes its backups along", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  await simulator.ok("POST", `${path}/backups`, { label: "a" });
  await simulator.clock.advance(2 * MINUTE);
  await simulator.ok("DELETE", path);
  await simulator.clock.advance(DAY);
  expect(simulator.control.rows("database-backup")).toEqual([]);
});

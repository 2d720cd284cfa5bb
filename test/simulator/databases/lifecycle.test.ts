import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";
import { activeDatabase, MYSQL, PROVISIONING, SHOP } from "./database.ts";

const MINUTE = 60_000;

test("part 1 section 3: a new database takes 15 to 30 minutes, and has credentials only then", async () => {
  const simulator = await running();
  const { id, ...created } = await simulator.ok("POST", MYSQL, SHOP);
  expect(created).toMatchObject({ status: "provisioning" });
  const credentials = () => simulator.call("GET", `${MYSQL}/${String(id)}/credentials`);
  expect((await credentials()).status).toBe(400);
  await simulator.clock.advance(15 * MINUTE - 1);
  expect(await simulator.ok("GET", `${MYSQL}/${String(id)}`)).toMatchObject({ status: "provisioning" });
  await simulator.clock.advance(15 * MINUTE + 1);
  expect(await simulator.ok("GET", `${MYSQL}/${String(id)}`)).toMatchObject({ status: "active" });
  expect((await credentials()).status).toBe(200);
});

test("no two databases take the same time", async () => {
  const simulator = await running();
  for (const label of ["one", "two", "three"]) await simulator.ok("POST", MYSQL, { ...SHOP, label });
  const ready: unknown[] = [];
  for (let minute = 0; minute < 30; minute += 1) {
    await simulator.clock.advance(MINUTE);
    ready.push((await simulator.ok("GET", "/databases/instances"))["data"]);
  }
  const activeAt = [0, 1, 2].map((row) =>
    ready.findIndex((data) => (data as { status: string }[])[row]?.status === "active"),
  );
  expect(new Set(activeAt).size).toBe(3);
  expect(Math.min(...activeAt)).toBeGreaterThanOrEqual(14);
});

test("the time scale divides the time of provisioning", async () => {
  const simulator = await running({ timeScale: 1000 });
  const { id } = await simulator.ok("POST", MYSQL, SHOP);
  await simulator.clock.advance(1_800);
  expect(await simulator.ok("GET", `${MYSQL}/${String(id)}`)).toMatchObject({ status: "active" });
});

test("part 1 section 3: a database is updated and patched only when it is active", async () => {
  const simulator = await running();
  const { id } = await simulator.ok("POST", MYSQL, SHOP);
  for (const [method, path] of [
    ["PUT", `${MYSQL}/${String(id)}`],
    ["POST", `${MYSQL}/${String(id)}/patch`],
  ] as const) {
    const reply = await simulator.call(method, path, {});
    expect([reply.status, reasons(reply)]).toEqual([400, ["The database is provisioning: it must be active"]]);
  }
});

test.each([
  { status: "active", allowed: true },
  { status: "failed", allowed: true },
  { status: "degraded", allowed: true },
  { status: "provisioning", allowed: false },
  { status: "suspended", allowed: false },
  { status: "updating", allowed: false },
  { status: "backing_up", allowed: false },
])("part 1 section 3: deletion of a database that is $status", async ({ status, allowed }) => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  simulator.control.change("database", 101, { status });
  expect((await simulator.call("DELETE", path)).status).toBe(allowed ? 200 : 400);
  expect((await simulator.call("GET", path)).status).toBe(allowed ? 404 : 200);
});

test("part 1 section 4.1 rule 4: a new allow list is at work a little later, and no other change is taken before", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  const changed = await simulator.ok("PUT", path, { allow_list: ["192.0.2.0/24"] });
  expect(changed).toMatchObject({ status: "updating", allow_list: ["192.0.2.0/24"] });
  expect((await simulator.call("PUT", path, { allow_list: [] })).status).toBe(400);
  await simulator.clock.advance(20_000);
  expect(await simulator.ok("PUT", path, { allow_list: [] })).toMatchObject({ allow_list: [] });
});

test("a change that is not of the allow list is done at once", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator, { allow_list: ["192.0.2.1"] });
  const changed = await simulator.ok("PUT", path, { label: "renamed", allow_list: ["192.0.2.1"] });
  expect(changed).toMatchObject({ status: "active", label: "renamed", allow_list: ["192.0.2.1/32"] });
});

test("a patch goes through updating to active", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  expect(await simulator.ok("POST", `${path}/patch`)).toEqual({});
  expect(await simulator.ok("GET", path)).toMatchObject({ status: "updating" });
  await simulator.clock.advance(5 * MINUTE);
  expect(await simulator.ok("GET", path)).toMatchObject({ status: "active" });
});

test("a database that is gone when its job ends stays gone", async () => {
  const simulator = await running();
  await simulator.ok("POST", MYSQL, SHOP);
  simulator.control.remove("database", 101);
  await simulator.clock.advance(PROVISIONING);
  expect(simulator.control.rows("database")).toEqual([]);
});

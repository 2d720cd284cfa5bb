import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";
import { activeDatabase, MYSQL, SHOP } from "./database.ts";

const [primary, secondary] = ["primary", "secondary"].map(
  (role) => `compute-101-mysql-${role}.us-east.databases.example.com`,
);
const HOSTS = { primary, secondary, standby: secondary };
const RESTRICTED = { token: "demo-token-restricted" };

test("part 1 section 2.3: what is not given takes its default", async () => {
  const simulator = await running();
  expect(await simulator.ok("POST", MYSQL, SHOP)).toEqual({
    id: 101,
    label: "shop",
    engine: "mysql",
    version: "8.0.30",
    region: "us-east",
    type: "g6-standard-1",
    status: "provisioning",
    cluster_size: 1,
    replication_type: "none",
    encrypted: false,
    ssl_connection: true,
    allow_list: [],
    hosts: HOSTS,
    members: {},
    engine_config: { mysql: { sql_mode: expect.any(String) as string, sql_require_primary_key: true } },
    platform: "rdbms-default",
    port: 3306,
    updates: { frequency: "weekly", day_of_week: 7, hour_of_day: 0, duration: 4, week_of_month: null, pending: [] },
    total_disk_size_gb: 50,
    used_disk_size_gb: null,
    oldest_restore_time: null,
    created: "2026-01-01T00:00:00",
    updated: "2026-01-01T00:00:00",
  });
});

test("part 1 section 2.3: an item of all engines has its URI, and neither port, replication nor TLS", async () => {
  const simulator = await running();
  await simulator.ok("POST", MYSQL, SHOP);
  const [any] = (await simulator.ok("GET", "/databases/instances"))["data"] as Record<string, unknown>[];
  const [mysql] = (await simulator.ok("GET", MYSQL))["data"] as Record<string, unknown>[];
  const { port: _port, replication_type: _replication, ssl_connection: _tls, ...common } = mysql ?? {};
  expect(any).toEqual({ ...common, instance_uri: "/v4/databases/mysql/instances/101" });
});

test.each([
  { body: { label: "ab" }, field: "label", why: "3 to 32 characters" },
  { body: { label: "a".repeat(33) }, field: "label", why: "3 to 32 characters" },
  { body: { label: undefined }, field: "label", why: "required" },
  { body: { engine: undefined }, field: "engine", why: "required" },
  { body: { engine: "mysql/1.0" }, field: "engine", why: "no such version" },
  { body: { engine: "mysql" }, field: "engine", why: "engine/version form" },
  { body: { region: undefined }, field: "region", why: "required" },
  { body: { region: "moon" }, field: "region", why: "no such region" },
  { body: { type: undefined }, field: "type", why: "required" },
  { body: { type: "huge" }, field: "type", why: "no such type" },
  { body: { type: "g7-premium-2" }, field: "type", why: "its region does not sell it" },
  { body: { cluster_size: 2 }, field: "cluster_size", why: "1 or 3" },
  { body: { encrypted: "yes" }, field: "encrypted", why: "a boolean" },
  { body: { allow_list: ["192.0.2.300"] }, field: "allow_list.0", why: "no address" },
  { body: { allow_list: ["192.0.2.0/24", "192.0.2.0/33"] }, field: "allow_list.1", why: "prefix too long" },
  { body: { allow_list: ["2001:db8::/129"] }, field: "allow_list.0", why: "prefix too long" },
  { body: { replication_type: "asynch" }, field: "replication_type", why: "one node has no replica" },
  { body: { cluster_size: 3, replication_type: "none" }, field: "replication_type", why: "three nodes replicate" },
  { body: { replication_type: "magic" }, field: "replication_type", why: "not in the enumeration" },
])("a database is refused by $field: $why", async ({ body, field }) => {
  const simulator = await running();
  const reply = await simulator.call("POST", MYSQL, { ...SHOP, ...body });
  expect([reply.status, reasons(reply)[0]?.split(":")[0]]).toEqual([400, field]);
  expect(simulator.control.rows("database")).toEqual([]);
});

test.each([
  { given: "asynch", expected: "asynch" },
  { given: "semi_synch", expected: "semi_synch" },
  { given: undefined, expected: "semi_synch" },
])("three nodes with replication $given are $expected", async ({ given, expected }) => {
  const simulator = await running();
  const body = { ...SHOP, cluster_size: 3, replication_type: given };
  expect(await simulator.ok("POST", MYSQL, body)).toMatchObject({ cluster_size: 3, replication_type: expected });
});

test("part 1 section 2.3: a single IPv4 address is returned with /32, everything else as it is", async () => {
  const simulator = await running();
  const allow_list = ["192.0.2.1", "198.51.100.0/24", "0.0.0.0/0", "2001:db8::1"];
  expect((await simulator.ok("POST", MYSQL, { ...SHOP, allow_list }))["allow_list"]).toEqual([
    "192.0.2.1/32",
    "198.51.100.0/24",
    "0.0.0.0/0",
    "2001:db8::1",
  ]);
});

test("part 1 section 2.3: a label is unique, also when it is changed", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  expect(reasons(await simulator.call("POST", MYSQL, SHOP))).toEqual(["label: Label must be unique"]);
  await simulator.ok("POST", MYSQL, { ...SHOP, label: "other" });
  expect(reasons(await simulator.call("PUT", path, { label: "other" }))).toEqual(["label: Label must be unique"]);
  expect(await simulator.ok("PUT", path, { label: "shop" })).toMatchObject({ label: "shop" });
});

test("part 1 section 4.1 rule 1: a restricted user needs add_databases, and then owns what it made", async () => {
  const simulator = await running();
  expect((await simulator.call("POST", MYSQL, SHOP, RESTRICTED)).status).toBe(403);
  const grants = { account_access: null, global: { add_databases: true }, entities: {} };
  simulator.control.addUser("demo", { username: "demo-restricted", restricted: true, grants });
  const { id } = await simulator.ok("POST", MYSQL, SHOP, RESTRICTED);
  await simulator.ok("POST", MYSQL, { ...SHOP, label: "hidden" });
  expect((await simulator.ok("GET", MYSQL, undefined, RESTRICTED))["results"]).toBe(1);
  expect((await simulator.ok("GET", "/profile/grants", undefined, RESTRICTED))["database"]).toEqual([
    { id, label: "shop", permissions: "read_write" },
  ]);
});

test("part 1 section 4.1 rule 5: deletion wants an unrestricted user, and no scope", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  const entities = { database: { 101: "read_write" } } as const;
  const grants = { account_access: "read_write", global: {}, entities } as const;
  simulator.control.addUser("demo", { username: "demo-restricted", restricted: true, grants });
  simulator.control.addToken({ token: "scopeless", username: "demo", scopes: "" });
  expect((await simulator.call("DELETE", path, undefined, RESTRICTED)).status).toBe(403);
  expect((await simulator.call("GET", path, undefined, { token: "scopeless" })).status).toBe(403);
  expect((await simulator.call("DELETE", path, undefined, { token: "scopeless" })).status).toBe(200);
});

test("part 1 section 4.1 rule 4: a change wants read_write on the database", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  const grants = { account_access: null, global: {}, entities: { database: { 101: "read_only" } } } as const;
  simulator.control.addUser("demo", { username: "demo-restricted", restricted: true, grants });
  expect((await simulator.call("GET", path, undefined, RESTRICTED)).status).toBe(200);
  expect((await simulator.call("PUT", path, { label: "mine" }, RESTRICTED)).status).toBe(403);
});

test("part 1 section 1: an account without managed databases gets none", async () => {
  const simulator = await running();
  simulator.control.addAccount({ id: "demo", capabilities: ["Compute"] });
  expect((await simulator.call("POST", MYSQL, SHOP)).status).toBe(403);
});

test("engines need no credentials, and one is viewed with its slash as it is or encoded", async () => {
  const simulator = await running();
  const anonymous = { token: null };
  expect((await simulator.ok("GET", "/databases/engines", undefined, anonymous))["results"]).toBe(11);
  const engine = { id: "mysql/8.0.30", engine: "mysql", version: "8.0.30" };
  expect(await simulator.ok("GET", "/databases/engines/mysql/8.0.30", undefined, anonymous)).toEqual(engine);
  expect(await simulator.ok("GET", "/databases/engines/mysql%2F8.0.30", undefined, anonymous)).toEqual(engine);
  expect((await simulator.call("GET", "/databases/engines/mysql/1", undefined, anonymous)).status).toBe(404);
});

test.each(["label", "type", "engine", "version", "region", "status"])("databases are filtered by %s", async (field) => {
  const simulator = await running();
  const database = await simulator.ok("POST", MYSQL, SHOP);
  const filter = (value: unknown) => ({ headers: { "X-Filter": JSON.stringify({ [field]: value }) } });
  expect((await simulator.ok("GET", MYSQL, undefined, filter(database[field])))["results"]).toBe(1);
  expect((await simulator.ok("GET", MYSQL, undefined, filter("other")))["results"]).toBe(0);
});

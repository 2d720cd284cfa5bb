import { expect, test } from "vitest";
import { reasons, running } from "../../running.ts";
import { instanceAt, instanceOf, setBalance } from "../instance.ts";

const EMPTY = { image: undefined, root_pass: undefined };

test("a clone is a new instance with copies of disks and configs, and stays off", async () => {
  const simulator = await running();
  const source = await instanceOf(simulator);
  const body = { label: "copy", region: "eu-west", type: "g6-standard-2", private_ip: true, backups_enabled: true };
  const answered = await simulator.ok("POST", `${source.path}/clone`, body);
  expect(answered).toMatchObject({ label: "copy", region: "eu-west", type: "g6-standard-2", status: "offline" });
  expect(answered["ipv4"]).toHaveLength(2);
  expect(await source.status()).toBe("cloning");
  const copy = instanceAt(simulator, Number(answered["id"]));
  await simulator.clock.advance(60_000);
  expect([await source.status(), await copy.status()]).toEqual(["running", "offline"]);
  expect(await copy.list("disks")).toMatchObject([{ size: 50_688, status: "ready" }, { size: 512 }]);
  const [disk] = await copy.list("disks");
  expect(await copy.list("configs")).toMatchObject([{ devices: { sda: { disk_id: disk?.["id"] } }, memory_limit: 0 }]);
  await simulator.ok("POST", `${copy.path}/boot`);
  await simulator.clock.advance(10_000);
  expect(await copy.read()).toMatchObject({ status: "running", backups: { enabled: true } });
});

test("part 2 section 4.1 rule 9: neither side of a clone is deleted meanwhile", async () => {
  const simulator = await running();
  const source = await instanceOf(simulator);
  const target = await instanceOf(simulator, EMPTY);
  await simulator.ok("POST", `${source.path}/clone`, { compute_id: target.id });
  expect([await source.status(), await target.status()]).toEqual(["cloning", "offline"]);
  for (const { path } of [source, target]) expect((await simulator.call("DELETE", path)).status).toBe(400);
  await simulator.clock.advance(60_000);
  expect([await source.status(), await target.status()]).toEqual(["running", "offline"]);
  expect(await target.list("configs")).toHaveLength(1);
});

test("a clone takes the disks and configs that it names", async () => {
  const simulator = await running();
  const source = await instanceOf(simulator);
  const [main, swap] = await source.list("disks");
  const { id } = await simulator.ok("POST", `${source.path}/clone`, { disks: [main?.["id"]], configs: [] });
  await simulator.clock.advance(60_000);
  const copy = instanceAt(simulator, Number(id));
  expect((await copy.list("disks")).map((disk) => disk["label"])).toEqual(["Debian 12 Disk"]);
  expect(await copy.list("configs")).toEqual([]);
  const bare = await simulator.ok("POST", `${source.path}/clone`, { disks: [swap?.["id"]], configs: [] });
  expect(await instanceAt(simulator, Number(bare["id"])).list("configs")).toEqual([]);
});

test.each([
  { body: { region: "moon" }, field: "region", why: "no such region" },
  { body: { type: "g9-huge" }, field: "type", why: "no such type" },
  { body: { type: "g6-nanode-1" }, field: "type", why: "too small for the disks" },
  { body: { type: "g7-premium-2" }, field: "type", why: "not sold there" },
  { body: { compute_id: 1 }, field: "compute_id", why: "no such target" },
  { body: { compute_id: 1001 }, field: "compute_id", why: "the source itself" },
  { body: { disks: [1] }, field: "disks.0", why: "no disk of the source" },
  { body: { configs: [1] }, field: "configs.0", why: "no config of the source" },
  { body: { label: "a--b" }, field: "label", why: "not a label" },
  { body: { region: "us-west" }, field: "region", why: "the source has a VLAN, and the region knows none" },
  { body: { metadata: { user_data: "%" } }, field: "metadata.user_data", why: "not base-64" },
])("a clone refuses $field: $why", async ({ body, field }) => {
  const simulator = await running();
  const source = await instanceOf(simulator, { interfaces: [{ purpose: "vlan", label: "lan" }] });
  const reply = await simulator.call("POST", `${source.path}/clone`, body);
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, field]);
  expect(await source.status()).toBe("running");
  expect(simulator.control.rows("instance")).toHaveLength(1);
});

test("a target that has too little room is refused by its field", async () => {
  const simulator = await running();
  const source = await instanceOf(simulator);
  const target = await instanceOf(simulator);
  const reply = await simulator.call("POST", `${source.path}/clone`, { compute_id: target.id });
  expect(reasons(reply)).toEqual([expect.stringMatching(/^compute_id: /)]);
});

test("a negative balance refuses a clone", async () => {
  const simulator = await running();
  const source = await instanceOf(simulator);
  setBalance(simulator, -1);
  expect((await simulator.call("POST", `${source.path}/clone`, {})).status).toBe(400);
});

test("part 2 section 4.1 rule 1: a restricted user needs the grant add_computes to clone to a new instance", async () => {
  const simulator = await running();
  const source = await instanceOf(simulator);
  const entities = { compute: { [source.id]: "read_write" } };
  const grants = { account_access: null, global: {}, entities };
  simulator.control.change("user", "demo-restricted", { grants });
  const token = `${simulator.token}-restricted`;
  expect((await simulator.call("POST", `${source.path}/clone`, {}, { token })).status).toBe(403);
  simulator.control.change("user", "demo-restricted", { grants: { ...grants, global: { add_computes: true } } });
  const { id } = await simulator.ok("POST", `${source.path}/clone`, {}, { token });
  await simulator.ok("GET", `/compute/instances/${String(id)}`, undefined, { token });
});

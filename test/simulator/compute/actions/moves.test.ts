import { expect, test } from "vitest";
import { reasons, running } from "../../running.ts";
import { eventsOf, instanceOf, setBalance } from "../instance.ts";

const VLAN = { interfaces: [{ purpose: "vlan", label: "lan" }] };

test("a resize shuts down, moves, takes the new type with a grown disk, and boots again", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  expect(await simulator.ok("POST", `${instance.path}/resize`, { type: "g6-standard-2" })).toEqual({});
  expect(await instance.read()).toMatchObject({ status: "resizing", type: "g6-standard-1" });
  await simulator.clock.advance(90_000);
  expect(await instance.read()).toMatchObject({
    status: "booting",
    type: "g6-standard-2",
    specs: { disk: 81_920, memory: 4096, vcpus: 2 },
  });
  await simulator.clock.advance(10_000);
  expect(await instance.status()).toBe("running");
  expect(simulator.control.rows("disk").map((disk) => disk["size"])).toEqual([81_408, 512]);
  expect(await instance.list("configs")).toMatchObject([{ memory_limit: 0 }]);
  expect((await eventsOf(simulator)).slice(0, 2)).toEqual(["compute_boot finished", "compute_resize finished"]);
});

test("an instance that is off stays off after a resize", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, { booted: false });
  await simulator.ok("POST", `${instance.path}/resize`, { type: "g6-standard-2", allow_auto_disk_resize: false });
  await simulator.clock.advance(100_000);
  expect(await instance.read()).toMatchObject({ status: "offline", type: "g6-standard-2" });
  expect(simulator.control.rows("disk").map((disk) => disk["size"])).toEqual([50_688, 512]);
});

test.each([
  { body: {}, reason: "type: type is required", why: "no type" },
  { body: { type: "g9-huge" }, reason: /^type: /, why: "no such type" },
  { body: { type: "g6-standard-1" }, reason: /already/, why: "the type it has" },
  { body: { type: "g7-premium-2" }, reason: /not available/, why: "a type that its region does not sell" },
  {
    body: { type: "g6-nanode-1" },
    reason: /shrink or delete/,
    why: "a disk allocation larger than the new type allows",
  },
])("part 2 section 4.5 rule 4: a resize is refused: $why", async ({ body, reason }) => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const reply = await simulator.call("POST", `${instance.path}/resize`, body);
  expect(reply.status).toBe(400);
  expect(reasons(reply)[0]).toMatch(reason);
});

test.each([
  { balance: -1, why: "a negative balance" },
  { balance: 1, why: "an outstanding balance" },
])("part 2 section 4.5 rule 4: a resize is refused with $why", async ({ balance }) => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  setBalance(simulator, balance);
  const reply = await simulator.call("POST", `${instance.path}/resize`, { type: "g6-standard-2" });
  expect([reply.status, reasons(reply)]).toEqual([400, [expect.stringMatching(/balance/)]]);
});

test("part 2 section 4.5 rule 1: an upgrade takes a deprecated type to its successor and restarts what ran", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, { type: "g5-standard-1" });
  await simulator.ok("POST", `${instance.path}/mutate`);
  await simulator.clock.advance(60_000);
  expect(await instance.read()).toMatchObject({ status: "booting", type: "g6-standard-1" });
  await simulator.clock.advance(10_000);
  expect(await instance.status()).toBe("running");
  expect(simulator.control.rows("disk")[0]?.["size"]).toBe(51_200 - 512);
  expect((await simulator.call("POST", `${instance.path}/mutate`)).status).toBe(400);
});

test("part 2 section 4.5 rule 1: an upgrade waits until running actions have finished", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, { type: "g5-standard-1" });
  await simulator.ok("POST", `${instance.path}/reboot`);
  expect(reasons(await simulator.call("POST", `${instance.path}/mutate`))).toEqual(["Compute busy."]);
});

test("a migration brings the instance to another region with addresses of that region, and boots it again", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, { private_ip: true });
  const before = await instance.read();
  await simulator.ok("POST", `${instance.path}/migrate`, { region: "eu-central" });
  expect(await instance.read()).toMatchObject({ status: "migrating", region: "us-east" });
  await simulator.clock.advance(130_000);
  const after = await instance.read();
  expect(after).toMatchObject({ status: "running", region: "eu-central" });
  expect(after["ipv4"]).toHaveLength(2);
  expect(after["ipv4"]).not.toEqual(before["ipv4"]);
  expect(after["ipv6"]).not.toBe(before["ipv6"]);
  expect(simulator.control.rows("address").map((row) => row["region"])).toEqual(Array(3).fill("eu-central"));
});

test("part 2 section 4.5 rule 6: a migration with upgrade moves to the latest hardware of the type, also within the region", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, { type: "g5-standard-1" });
  await simulator.ok("POST", `${instance.path}/migrate`, { upgrade: true });
  await simulator.clock.advance(130_000);
  expect(await instance.read()).toMatchObject({ status: "running", region: "us-east", type: "g6-standard-1" });
});

test("part 2 section 4.5 rule 6: without a free upgrade the answer is 400 and nothing migrates", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const reply = await simulator.call("POST", `${instance.path}/migrate`, { region: "eu-central", upgrade: true });
  expect([reply.status, reasons(reply)]).toEqual([400, ["There is no free upgrade for this instance"]]);
  expect(await instance.read()).toMatchObject({ status: "running", region: "us-east" });
});

test("part 2 section 4.5 rule 6: a migration cancels a pending one that has not yet started", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.ok("POST", `${instance.path}/migrate`, { region: "eu-central" });
  await simulator.ok("POST", `${instance.path}/migrate`, { region: "eu-west" });
  await simulator.clock.advance(140_000);
  expect(await instance.read()).toMatchObject({ status: "running", region: "eu-west" });
  expect(await eventsOf(simulator)).toContain("compute_migrate_datacenter failed");
});

test("part 2 section 4.5 rule 6: a migration that has started is not cancelled", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.ok("POST", `${instance.path}/migrate`, { region: "eu-central" });
  await simulator.clock.advance(30_000);
  const reply = await simulator.call("POST", `${instance.path}/migrate`, { region: "eu-west" });
  expect(reasons(reply)).toEqual(["Compute busy."]);
});

test.each([
  { create: {}, body: {}, reason: /pending migration/, why: "no region and no upgrade" },
  { create: {}, body: { region: "us-east" }, reason: /already/, why: "its own region" },
  { create: {}, body: { region: "moon" }, reason: /^region: /, why: "no such region" },
  { create: VLAN, body: { region: "us-west" }, reason: /VLAN/, why: "a VLAN, to a region that knows none" },
  {
    create: { type: "g7-premium-2", region: "us-ord" },
    body: { region: "us-east" },
    reason: /not available/,
    why: "a type that the region does not sell",
  },
])("a migration is refused: $why", async ({ create, body, reason }) => {
  const simulator = await running();
  const instance = await instanceOf(simulator, create);
  const reply = await simulator.call("POST", `${instance.path}/migrate`, body);
  expect(reply.status).toBe(400);
  expect(reasons(reply)[0]).toMatch(reason);
});

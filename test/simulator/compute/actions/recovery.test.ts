import { expect, test } from "vitest";
import { reasons, running } from "../../running.ts";
import type { Running } from "../../running.ts";
import { eventsOf, instanceOf } from "../instance.ts";
import type { Instance } from "../instance.ts";

const STRONG = { root_pass: "Sup3r-secret" };
const WEAK = "root_pass: Password does not meet strength requirement";

async function offInstance(simulator: Running, body: object = {}): Promise<Instance> {
  return instanceOf(simulator, { ...body, booted: false });
}

test("part 2 section 4.5 rule 2: a root password is reset while the instance is off, with the event password_reset", async () => {
  const simulator = await running();
  const instance = await offInstance(simulator);
  expect(await simulator.ok("POST", `${instance.path}/password`, STRONG)).toEqual({});
  expect(simulator.control.rows("disk")[0]?.["root_pass"]).toBe(STRONG.root_pass);
  expect((await eventsOf(simulator))[0]).toMatch(/^password_reset /);
});

test("part 2 section 4.5 rule 2: a running instance refuses a password reset", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  expect(reasons(await simulator.call("POST", `${instance.path}/password`, STRONG))).toEqual([
    "The instance must be off",
  ]);
});

test("part 2 section 4.5 rule 2: with several disks besides swap the password of one disk is reset instead", async () => {
  const simulator = await running();
  const instance = await offInstance(simulator, { type: "g6-standard-1" });
  const [main] = await instance.list("disks");
  await simulator.ok("POST", `${instance.path}/disks/${String(main?.["id"])}/resize`, { size: 5000 });
  await simulator.clock.advance(20_000);
  await simulator.ok("POST", `${instance.path}/disks`, { label: "data", size: 1000 });
  await simulator.clock.advance(5_000);
  const reply = await simulator.call("POST", `${instance.path}/password`, STRONG);
  expect(reasons(reply)).toEqual([expect.stringMatching(/several disks/)]);
});

test.each([
  { root_pass: "short1", why: "below 7 characters" },
  { root_pass: "x1".repeat(65), why: "above 128 characters" },
  { root_pass: "password", why: "letters of one sort" },
  { root_pass: "12345678", why: "digits only" },
  { root_pass: "a1a1a1a1a1", why: "few different characters" },
])("part 2 section 4.5 rule 2: a weak password is refused with the documented reason: $why", async ({ root_pass }) => {
  const simulator = await running();
  const instance = await offInstance(simulator);
  const reply = await simulator.call("POST", `${instance.path}/password`, { root_pass });
  expect([reply.status, reasons(reply)]).toEqual([400, [WEAK]]);
});

test("a password is required", async () => {
  const simulator = await running();
  const instance = await offInstance(simulator);
  expect(reasons(await simulator.call("POST", `${instance.path}/password`))).toEqual([
    "root_pass: root_pass is required",
  ]);
});

test("a rescue reboots into a rescue system", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const [main] = await instance.list("disks");
  await simulator.ok("POST", `${instance.path}/rescue`, { devices: { sda: { disk_id: main?.["id"] } } });
  expect(await instance.status()).toBe("rebooting");
  await simulator.clock.advance(15_000);
  expect(await instance.status()).toBe("running");
});

test.each([
  { devices: { sdh: { disk_id: 2001 } }, field: "devices.sdh", why: "sdh is reserved" },
  { devices: { sda: { disk_id: 1 } }, field: "devices.sda.disk_id", why: "no disk of the instance" },
  { devices: { sda: { volume_id: 1 } }, field: "devices.sda.volume_id", why: "no volume of the instance" },
  { devices: { sda: { disk_id: 2001, volume_id: 6001 } }, field: "devices.sda", why: "two things in one slot" },
])("part 2 section 4.5 rule 5: a rescue refuses $field: $why", async ({ devices, field }) => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const reply = await simulator.call("POST", `${instance.path}/rescue`, { devices });
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, field]);
});

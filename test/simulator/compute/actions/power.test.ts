import { expect, test } from "vitest";
import { reasons, running } from "../../running.ts";
import { eventsOf, instanceAt, instanceOf } from "../instance.ts";

test("the watchdog boots an instance that goes off without a shutdown job", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  simulator.control.compute.powerOff(instance.id);
  expect(await instance.status()).toBe("booting");
  await simulator.clock.advance(10_000);
  expect(await instance.status()).toBe("running");
});

test("a shutdown job and a watchdog that is off leave the instance off", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.ok("POST", `${instance.path}/shutdown`);
  await simulator.clock.advance(30_000);
  expect(await instance.status()).toBe("offline");
  await simulator.ok("POST", `${instance.path}/boot`);
  await simulator.clock.advance(10_000);
  await simulator.ok("PUT", instance.path, { watchdog_enabled: false });
  simulator.control.compute.powerOff(instance.id);
  await simulator.clock.advance(60_000);
  expect(await instance.status()).toBe("offline");
});

test("the watchdog gives up after more than 5 boot jobs within 15 minutes, and tries again later", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.clock.advance(15 * 60_000);
  for (let round = 0; round < 6; round += 1) {
    simulator.control.compute.powerOff(instance.id);
    await simulator.clock.advance(10_000);
    expect(await instance.status(), `boot ${round + 1}`).toBe("running");
  }
  simulator.control.compute.powerOff(instance.id);
  await simulator.clock.advance(60_000);
  expect(await instance.status()).toBe("offline");
  const boots = (await eventsOf(simulator)).filter((event) => event.startsWith("lassie_reboot")).length;
  expect(boots).toBe(6);
  await simulator.ok("POST", `${instance.path}/boot`);
  await simulator.clock.advance(16 * 60_000);
  simulator.control.compute.powerOff(instance.id);
  await simulator.clock.advance(10_000);
  expect(await instance.status()).toBe("running");
});

test("maintenance stops an instance whatever it does, refuses jobs, and ends in a boot", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.ok("POST", `${instance.path}/reboot`);
  simulator.control.compute.stop(instance.id);
  await simulator.clock.advance(60_000);
  expect(await instance.status()).toBe("stopped");
  expect(reasons(await simulator.call("POST", `${instance.path}/boot`))).toEqual([
    "The instance is stopped for maintenance",
  ]);
  simulator.control.compute.resume(instance.id);
  await simulator.clock.advance(10_000);
  expect(await instance.status()).toBe("running");
});

test("an instance without a config is off after maintenance", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, { image: undefined, root_pass: undefined });
  simulator.control.compute.stop(instance.id);
  simulator.control.compute.resume(instance.id);
  expect(await instance.status()).toBe("offline");
});

test("an event of a job tells how far it is, how long it takes, and how long it took", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.ok("POST", `${instance.path}/migrate`, { region: "eu-west" });
  const newest = async () => ((await simulator.ok("GET", "/account/events"))["data"] as object[])[0];
  expect(await newest()).toMatchObject({
    action: "compute_migrate_datacenter",
    status: "scheduled",
    percent_complete: 0,
    time_remaining: null,
    duration: null,
    entity: { id: instance.id, type: "compute" },
    username: "demo",
  });
  await simulator.clock.advance(66_000);
  expect(await newest()).toMatchObject({ status: "started", percent_complete: 50, duration: 54 });
  await simulator.clock.advance(55_000);
  const { data } = await simulator.ok("GET", "/account/events");
  expect((data as object[])[1]).toMatchObject({
    status: "finished",
    percent_complete: 100,
    duration: 108,
    time_remaining: null,
  });
});

test("part 2 section 4.1 rule 9: a deletion gives up addresses, deletes disks, configs and backups, and detaches volumes", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const volume = simulator.control.compute.addVolume({ compute_id: instance.id, label: "data" });
  const balancer = simulator.control.compute.addNodeBalancer({ computes: [instance.id] });
  await simulator.ok("POST", `${instance.path}/backups`, { label: "one" });
  expect(await instance.list("volumes")).toMatchObject([{ id: volume, compute_id: instance.id, label: "data" }]);
  expect(await instance.list("nodebalancers")).toMatchObject([{ id: balancer, client_conn_throttle: 0 }]);
  await simulator.ok("DELETE", instance.path);
  await simulator.clock.advance(5_000);
  for (const table of ["instance", "disk", "config", "backup", "address"])
    expect(simulator.control.rows(table), table).toEqual([]);
  expect(simulator.control.rows("volume")).toMatchObject([{ id: volume, compute_id: null }]);
  expect(simulator.control.rows("nodebalancer")).toMatchObject([{ id: balancer, computes: [] }]);
});

test("a restricted user sees the volumes and NodeBalancers that it was granted", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const volume = simulator.control.compute.addVolume({ compute_id: instance.id });
  simulator.control.compute.addVolume({ compute_id: instance.id });
  simulator.control.compute.addNodeBalancer({ computes: [instance.id] });
  const entities = { compute: { [instance.id]: "read_only" }, volume: { [volume]: "read_only" } };
  simulator.control.change("user", "demo-restricted", { grants: { account_access: null, global: {}, entities } });
  const token = `${simulator.token}-restricted`;
  const list = async (name: string) => simulator.ok("GET", `${instance.path}/${name}`, undefined, { token });
  expect(await list("volumes")).toMatchObject({ results: 1, data: [{ id: volume }] });
  expect(await list("nodebalancers")).toMatchObject({ results: 0 });
});

test("every part of an instance belongs to it alone", async () => {
  const simulator = await running();
  const first = await instanceOf(simulator);
  const second = instanceAt(simulator, first.id + 1);
  await instanceOf(simulator);
  const [disk] = await first.list("disks");
  expect((await simulator.call("GET", `${second.path}/disks/${String(disk?.["id"])}`)).status).toBe(404);
});

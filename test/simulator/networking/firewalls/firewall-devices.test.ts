import { expect, test } from "vitest";
import { reasons, running } from "../../running.ts";
import { RULES, actions, firewall, instance } from "./firewall-bodies.ts";

test("an instance is added to a firewall and taken out, with events", async () => {
  const simulator = await running();
  const edge = await firewall(simulator, "edge");
  const id = await instance(simulator);
  const device = await simulator.ok("POST", `${edge}/devices`, { id, type: "compute" });
  expect(device).toEqual({
    id: expect.any(Number),
    created: "2026-01-01T00:00:05",
    updated: "2026-01-01T00:00:05",
    entity: { id, type: "compute", label: `compute${id}`, url: `/v4/compute/instances/${id}`, parent_entity: null },
  });
  const path = `${edge}/devices/${String(device["id"])}`;
  expect(await simulator.ok("GET", path)).toEqual(device);
  expect((await simulator.ok("GET", `${edge}/devices`))["data"]).toEqual([device]);
  expect((await simulator.ok("GET", `/compute/instances/${id}/firewalls`))["data"]).toMatchObject([{ label: "edge" }]);
  expect(await simulator.ok("DELETE", path)).toEqual({});
  expect((await simulator.call("GET", path)).status).toBe(404);
  expect((await simulator.call("DELETE", path)).status).toBe(404);
  expect((await simulator.ok("GET", `/compute/instances/${id}/firewalls`))["data"]).toEqual([]);
  expect(await actions(simulator)).toEqual(["firewall_device_remove", "firewall_device_add", "firewall_create"]);
});

test("devices.computes makes a device of each instance, once", async () => {
  const simulator = await running();
  const [one, two] = [await instance(simulator), await instance(simulator)];
  const edge = await firewall(simulator, "edge", [one, two, one]);
  const { data } = await simulator.ok("GET", `${edge}/devices`);
  expect((data as { entity: { id: number } }[]).map((device) => device.entity.id)).toEqual([one, two]);
});

test("an instance has one active firewall at a time, plus disabled ones", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  await firewall(simulator, "active", [id]);
  const second = await firewall(simulator, "second");
  const add = () => simulator.call("POST", `${second}/devices`, { id, type: "compute" });
  expect(reasons(await add())[0]).toMatch(/^id: .*active/);
  const body = { label: "third", rules: RULES, devices: { computes: [id] } };
  const create = await simulator.call("POST", "/networking/firewalls", body);
  expect([create.status, reasons(create)[0]]).toEqual([400, expect.stringMatching(/^devices\.computes: /)]);
  expect(simulator.control.rows("firewall")).toHaveLength(2);
  await simulator.ok("PUT", second, { status: "disabled" });
  expect((await add()).status).toBe(200);
  expect((await simulator.ok("GET", `/compute/instances/${id}/firewalls`))["results"]).toBe(2);
});

test.each([
  { body: { type: "compute" }, field: "id", why: "id is required" },
  { body: { id: 999, type: "compute" }, field: "id", why: "there is no such instance" },
  { body: { id: "1001", type: "compute" }, field: "id", why: "a string" },
  { body: { id: 1001 }, field: "type", why: "type is required" },
  { body: { id: 1001, type: "nodebalancer" }, field: "type", why: "only compute instances can be assigned" },
])("a firewall device is refused: $why", async ({ body, field }) => {
  const simulator = await running();
  await instance(simulator);
  const edge = await firewall(simulator, "edge");
  const reply = await simulator.call("POST", `${edge}/devices`, body);
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, field]);
});

test("an instance is assigned to a firewall once", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  const edge = await firewall(simulator, "edge", [id]);
  expect((await simulator.call("POST", `${edge}/devices`, { id, type: "compute" })).status).toBe(400);
});

test("a device of one firewall is not found under another", async () => {
  const simulator = await running();
  const edge = await firewall(simulator, "edge", [await instance(simulator)]);
  const other = await firewall(simulator, "other");
  const [device] = simulator.control.rows("firewall-device");
  expect((await simulator.call("GET", `${edge}/devices/${String(device?.["id"])}`)).status).toBe(200);
  expect((await simulator.call("GET", `${other}/devices/${String(device?.["id"])}`)).status).toBe(404);
});

test("deleting an instance removes its devices", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  const edge = await firewall(simulator, "edge", [id]);
  await simulator.ok("DELETE", `/compute/instances/${id}`);
  await simulator.clock.advance(5_000);
  expect((await simulator.ok("GET", `${edge}/devices`))["data"]).toEqual([]);
  expect(simulator.control.rows("firewall-device")).toEqual([]);
  expect((await actions(simulator))[0]).toBe("firewall_device_remove");
});

test("an instance that vanished behind our back has no device any more", async () => {
  const simulator = await running();
  const id = await instance(simulator);
  const edge = await firewall(simulator, "edge", [id]);
  simulator.control.remove("instance", id);
  expect((await simulator.ok("GET", `${edge}/devices`))["data"]).toEqual([]);
});

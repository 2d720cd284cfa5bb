import { expect, test } from "vitest";
import { DEBIAN, reasons, running } from "../../running.ts";
import type { Running } from "../../running.ts";

const RESERVE = { type: "ipv4", public: true, reserved: true, region: "us-east" };

async function reserve(simulator: Running): Promise<string> {
  return String((await simulator.ok("POST", "/networking/ips", RESERVE))["address"]);
}

test("a reserved address belongs to no instance until a request assigns it", async () => {
  const simulator = await running();
  const address = await reserve(simulator);
  const path = `/networking/ips/${address}`;
  const free = { reserved: true, compute_id: null, rdns: null, assigned_entity: null, tags: [] };
  expect(await simulator.ok("GET", path)).toMatchObject(free);
  const { id } = await simulator.ok("POST", "/compute/instances", DEBIAN);
  const assignments = [{ address, compute_id: id }];
  await simulator.ok("POST", "/networking/ips/assign", { region: "us-east", assignments });
  expect(await simulator.ok("GET", path)).toMatchObject({ reserved: true, compute_id: id });
  const { ipv4 } = await simulator.ok("GET", `/compute/instances/${String(id)}/ips`);
  expect(ipv4).toMatchObject({ reserved: [{ address }] });
});

test("a new instance takes the reserved address that its creation names", async () => {
  const simulator = await running();
  const address = await reserve(simulator);
  const made = await simulator.ok("POST", "/compute/instances", { ...DEBIAN, ipv4: [address] });
  expect(made["ipv4"]).toEqual([address]);
  const second = await simulator.call("POST", "/compute/instances", { ...DEBIAN, ipv4: [address] });
  expect(reasons(second)).toEqual(["ipv4: Address must be currently unassigned."]);
});

test("the deletion of an instance leaves its reserved address with the account", async () => {
  const simulator = await running();
  const address = await reserve(simulator);
  const { id } = await simulator.ok("POST", "/compute/instances", { ...DEBIAN, ipv4: [address] });
  await simulator.ok("DELETE", `/compute/instances/${String(id)}`);
  simulator.control.clock.advance(60_000);
  expect(await simulator.ok("GET", `/networking/ips/${address}`)).toMatchObject({ compute_id: null, reserved: true });
});

test("an address that no instance has is gone when it is no longer reserved", async () => {
  const simulator = await running();
  const path = `/networking/ips/${await reserve(simulator)}`;
  expect(await simulator.ok("PUT", path, { reserved: false })).toMatchObject({ reserved: false });
  expect((await simulator.call("GET", path)).status).toBe(404);
});

test.each([
  { ipv4: [""], why: "an empty address" },
  { ipv4: ["198.51.100.1"], why: "an address of another account" },
  { ipv4: ["198.18.0.2", "198.18.0.3"], why: "two addresses" },
])("a new instance refuses $why", async ({ ipv4 }) => {
  const simulator = await running();
  await reserve(simulator);
  const reply = await simulator.call("POST", "/compute/instances", { ...DEBIAN, ipv4 });
  expect(reasons(reply)).toEqual(["ipv4: Must provide a single valid reserved ipv4 address"]);
});

test.each([
  { body: { public: false }, reason: "public: Cannot reserve a private address.", why: "a private address" },
  { body: { type: "ipv6" }, reason: "Only addresses of type ipv4 are currently supported.", why: "an IPv6 address" },
  {
    body: { region: undefined },
    reason: "A datacenter or a Compute must be provided when reserving an address.",
    why: "no region",
  },
])("a reservation refuses $why", async ({ body, reason }) => {
  const simulator = await running();
  expect(reasons(await simulator.call("POST", "/networking/ips", { ...RESERVE, ...body }))).toEqual([reason]);
});

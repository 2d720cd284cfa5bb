/** Refusals that another object of the operator ends: the object waits for the other object and continues when it changed. */
import { describe, expect, it } from "vitest";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { idOf, messageOf, paths, specs, stateOf } from "../support.ts";

const minute = 60_000;

/** Longest time from the end of the cause until the object is ready, milliseconds. */
const soonMs = 5_000;

/** Advances in small steps. Returns every kind of condition `Stalled` that an object reported. */
async function advanceWatching(world: World, ms: number): Promise<string[]> {
  const stalled = new Set<string>();
  for (let passed = 0; passed < ms; passed += 100) {
    await world.advance(100);
    for (const object of world.cluster.list()) {
      const condition = conditionOf(object, "Stalled");
      if (condition?.status === "True") stalled.add(`${object.kind} ${object.metadata.name}: ${condition.message}`);
    }
  }
  return [...stalled];
}

/** Advances until the object is ready. Returns the time that this took, milliseconds; at most ten minutes. */
async function timeToReady(world: World, kind: string, name: string): Promise<number> {
  const begun = world.clock.now();
  while (stateOf(world, kind, name) !== "Ready" && world.clock.now() - begun < 10 * minute) await world.advance(100);
  return world.clock.now() - begun;
}

describe("a ReverseDNS waits for its forward record", () => {
  const address = "192.0.2.10";
  it.each([
    "Unable to look up mail.example.org: forward DNS must lead to 192.0.2.10 already",
    "No match was found for 'mail.example.org'. Reverse DNS must have a matching forward entry.",
  ])("%s", async (reason) => {
    const world = createWorld();
    world.cloud.add("/networking/ips", { address, rdns: "cloud.example.net" });
    let servedAt = Infinity;
    world.cloud.settings.refuses = ({ method, path }) =>
      method === "PUT" && path.includes("/ips/") && world.clock.now() < servedAt
        ? { reason, field: "rdns" }
        : undefined;
    world.cluster.create("Domain", "zone", specs.Domain);
    world.cluster.create("ReverseDNS", "mail", { address, hostname: "mail.example.org" });
    world.cluster.create("DomainRecord", "mail", {
      domainRef: { name: "zone" },
      type: "A",
      name: "mail",
      target: "192.0.2.99",
    });
    await world.advance(10_000);
    world.cluster.patch("DomainRecord", "mail", { spec: { target: address } });
    expect(await advanceWatching(world, 20_000)).toEqual([]);
    expect(messageOf(world, "ReverseDNS", "mail")).toContain("DomainRecord default/mail");
    servedAt = world.clock.now();
    expect(await timeToReady(world, "ReverseDNS", "mail")).toBeLessThan(20_000);
  });

  it("and the change of the record wakes it within two seconds", async () => {
    const world = createWorld();
    world.cloud.add("/networking/ips", { address, rdns: "cloud.example.net" });
    world.cluster.create("Domain", "zone", specs.Domain);
    await world.advance(minute);
    const zone = idOf(world, "Domain", "zone");
    world.cloud.settings.refuses = ({ method, path }) =>
      method === "PUT" && path.includes("/ips/") && world.cloud.rows(`/domains/${zone}/records`).length === 0
        ? { reason: "Unable to look up mail.example.org", field: "rdns" }
        : undefined;
    world.cluster.create("ReverseDNS", "mail", { address, hostname: "mail.example.org" });
    await world.advance(10 * minute + 1_000);
    const record = { domainRef: { name: "zone" }, type: "A", name: "mail", target: address };
    world.cluster.create("DomainRecord", "mail", record);
    expect(await timeToReady(world, "ReverseDNS", "mail")).toBeLessThanOrEqual(2_000);
  });
});

describe("an instance and its disk", () => {
  const instanceSpec = { ...specs.ComputeInstance, type: "g6-standard-2", powerState: "Running" };

  async function withDisk(): Promise<{ world: World; disks: string; instance: string }> {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "web", instanceSpec);
    world.cluster.create("ComputeDisk", "data", { instanceRef: { name: "web" }, sizeMB: 40_000 });
    await world.advance(5 * minute);
    const instance = idOf(world, "ComputeInstance", "web");
    const disks = `${paths.ComputeInstance}/${instance}/disks`;
    expect(world.cloud.rows(disks)).toMatchObject([{ size: 40_000 }]);
    const row = () => world.cloud.find(paths.ComputeInstance, instance)!.fields;
    world.cloud.settings.refuses = ({ method, path }) => {
      if (method !== "POST") return undefined;
      if (path === `${paths.ComputeInstance}/${instance}/resize`)
        return world.cloud.rows(disks).some(({ size }) => Number(size) > 20_000)
          ? { reason: "The disks do not fit into the new type", field: "type" }
          : undefined;
      if (/\/disks\/\d+\/resize$/.test(path) && row()["status"] !== "offline")
        return { reason: "The instance must be off, or the disk not in its active config" };
      return undefined;
    };
    return { world, disks, instance };
  }

  it.each([
    { order: "the instance first", disk: false },
    { order: "the disk first", disk: true },
  ])("shrink in one apply, $order", async ({ disk }) => {
    const { world, disks, instance } = await withDisk();
    const smaller = { type: "g6-standard-1", allowDisruption: ["Resize"], powerState: "Offline" };
    const changes = [
      () => world.cluster.patch("ComputeInstance", "web", { spec: smaller }),
      () => world.cluster.patch("ComputeDisk", "data", { spec: { sizeMB: 10_000 } }),
    ];
    for (const change of disk ? changes.toReversed() : changes) change();
    expect(await advanceWatching(world, 2 * minute)).toEqual([]);
    expect(world.cloud.rows(disks)).toMatchObject([{ size: 10_000 }]);
    expect(world.cloud.find(paths.ComputeInstance, instance)?.fields["type"]).toBe("g6-standard-1");
    expect(stateOf(world, "ComputeInstance", "web"), messageOf(world, "ComputeInstance", "web")).toBe("Ready");
    expect(stateOf(world, "ComputeDisk", "data"), messageOf(world, "ComputeDisk", "data")).toBe("Ready");
  });

  it("the disk is resized as soon as the instance is off", async () => {
    const { world, instance } = await withDisk();
    world.cluster.patch("ComputeDisk", "data", { spec: { sizeMB: 10_000 } });
    world.cluster.patch("ComputeInstance", "web", { spec: { powerState: "Offline" } });
    expect(await advanceWatching(world, 200)).toEqual([]);
    while (world.cloud.find(paths.ComputeInstance, instance)?.fields["status"] !== "offline") await world.advance(100);
    // The cloud needs five seconds for the disk.
    expect(await timeToReady(world, "ComputeDisk", "data")).toBeLessThan(5_000 + soonMs + 5_000);
  });
});

it("an account limit ends with the deletion of another object", async () => {
  const world = createWorld();
  world.cloud.settings.refuses = ({ method, path }) =>
    method === "POST" && path === paths.Firewall && world.cloud.rows(path).length > 0
      ? { reason: "Account limit reached" }
      : undefined;
  world.cluster.create("Firewall", "old", specs.Firewall);
  await world.advance(minute);
  world.cluster.create("Firewall", "new", specs.Firewall);
  await world.advance(10 * minute);
  world.cluster.delete("Firewall", "old");
  expect(await timeToReady(world, "Firewall", "new")).toBeLessThanOrEqual(soonMs);
});

it("a value that the catalog does not have is Stalled after one request, also if a referenced object has just changed", async () => {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(5 * minute);
  const instance = idOf(world, "ComputeInstance", "web");
  world.cloud.add("/compute/kernels", { id: "compute/grub2", label: "GRUB 2" });
  const path = `${paths.ComputeInstance}/${instance}/configs`;
  world.cloud.settings.refuses = (sent) =>
    sent.method === "POST" && sent.path === path ? { reason: "Kernel is not valid", field: "kernel" } : undefined;
  world.cluster.patch("ComputeInstance", "web", { spec: { tags: ["changed"] } });
  world.cluster.create("ComputeConfig", "boot", {
    instanceRef: { name: "web" },
    kernel: "compute/no-such-kernel",
    devices: {},
  });
  await world.advance(10_000);
  const { message, reason } = conditionOf(world.cluster.get("ComputeConfig", "boot"), "Stalled") ?? {};
  expect(message).toContain('spec.kernel: "compute/no-such-kernel" is not a kernel');
  expect(reason).toBe("Refused");
  expect(world.cloud.ledger().filter((sent) => sent.method === "POST" && sent.path === path)).toHaveLength(1);
});

it("a wrong value beside a new parent is Stalled within seconds: the creation of the parent explains no refusal", async () => {
  const world = createWorld();
  world.cloud.settings.refuses = ({ method, path }) =>
    method === "POST" && path.endsWith("/records") ? { reason: "Target is not valid", field: "target" } : undefined;
  world.cluster.create("Domain", "zone", specs.Domain);
  const record = { domainRef: { name: "zone" }, type: "A", name: "mail", target: "192.0.2.1" };
  world.cluster.create("DomainRecord", "mail", record);
  await world.advance(10_000);
  expect(conditionOf(world.cluster.get("DomainRecord", "mail"), "Stalled")).toMatchObject({ reason: "Refused" });
});

it("a wrong value beside other creations is Stalled within seconds: a creation frees no limit of the account", async () => {
  const world = createWorld();
  world.cloud.settings.refuses = ({ method, path, body }) =>
    method === "POST" && path === paths.Firewall && body["label"] === "wrong" ? { reason: "Not like this" } : undefined;
  for (const name of ["one", "two", "wrong"])
    world.cluster.create("Firewall", name, { ...specs.Firewall, label: name });
  await world.advance(10_000);
  expect(world.cluster.get("Firewall", "one")).toBeReady();
  expect(conditionOf(world.cluster.get("Firewall", "wrong"), "Stalled")).toMatchObject({ reason: "Refused" });
});

describe("a refusal of unknown cause", () => {
  it("is tried again within seconds", async () => {
    const world = createWorld();
    world.cluster.create("Firewall", "wall", specs.Firewall);
    await world.advance(minute);
    world.cloud.fault({ kind: "refused", method: "PUT", times: 3, reason: "Not now" });
    world.cluster.patch("Firewall", "wall", { spec: { inboundPolicy: "ACCEPT" } });
    await world.advance(20_000);
    expect(stateOf(world, "Firewall", "wall"), messageOf(world, "Firewall", "wall")).toBe("Ready");
  });

  it("is reported as Stalled if it persists, and tried at most 25 times in an hour", async () => {
    const world = createWorld();
    world.cluster.create("Firewall", "wall", specs.Firewall);
    await world.advance(minute);
    world.cloud.fault({ kind: "refused", method: "PUT", times: Infinity, reason: "Not now" });
    const since = world.cloud.ledger().length;
    world.cluster.patch("Firewall", "wall", { spec: { inboundPolicy: "ACCEPT" } });
    await world.advance(2 * minute);
    expect(conditionOf(world.cluster.get("Firewall", "wall"), "Stalled")).toMatchObject({ reason: "Refused" });
    await world.advance(58 * minute);
    const sent = world.cloud.ledger().slice(since);
    const puts = sent.filter(({ method }) => method === "PUT").length;
    expect(puts).toBeGreaterThan(10);
    expect(puts).toBeLessThanOrEqual(25);
    world.cloud.clearFaults();
    await world.advance(6 * minute);
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
  });
});

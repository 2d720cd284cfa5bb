/** Refusals that another object of the operator ends: the object waits for the other object and continues when it changed. */
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/api/types.ts";
import { text } from "../world/collections.ts";
import type { Sent } from "../world/service.ts";
import { conditionOf, createWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { idOf, messageOf, paths, specs, stateOf } from "./situations.ts";

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

describe("an instance moves from one Firewall to another", () => {
  const wall = { ...specs.Firewall };
  const web = [{ name: "web" }];

  /** An instance has one firewall at a time. */
  function onlyOneFirewall({ cloud }: World): void {
    cloud.settings.refuses = ({ method, path, body }: Sent) => {
      if (method !== "POST" || !/^\/networking\/firewalls(\/\d+\/devices)?$/.test(path)) return undefined;
      const { computes } = (body["devices"] ?? {}) as { computes?: Json[] };
      const asked = computes ?? (path.endsWith("/devices") ? [body["id"]] : []);
      const held = asked.find((id) => attachedTo(cloud, text(id)).length > 0);
      return held === undefined ? undefined : { reason: `Instance ${text(held)} has an active firewall`, field: "id" };
    };
  }

  function attachedTo(cloud: World["cloud"], instance: string): string[] {
    return cloud
      .rows(paths.Firewall)
      .map(({ id }) => text(id))
      .filter((id) =>
        cloud
          .rows(`${paths.Firewall}/${id}/devices`)
          .some(({ entity }) => text((entity as JsonObject)["id"]) === instance),
      );
  }

  async function protectedWorld(): Promise<{ world: World; instance: string }> {
    const world = createWorld();
    onlyOneFirewall(world);
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    world.cluster.create("Firewall", "old", { ...wall, instanceRefs: web });
    await world.advance(5 * minute);
    expect(stateOf(world, "Firewall", "old"), messageOf(world, "Firewall", "old")).toBe("Ready");
    const instance = idOf(world, "ComputeInstance", "web");
    expect(attachedTo(world.cloud, instance)).toEqual([idOf(world, "Firewall", "old")]);
    return { world, instance };
  }

  /** Advances in steps of 50 ms. Returns for how long the instance had no firewall, milliseconds. */
  async function openMs(world: World, instance: string, ms: number, each = () => {}): Promise<number> {
    let open = 0;
    for (let passed = 0; passed < ms; passed += 50) {
      await world.advance(50);
      if (attachedTo(world.cloud, instance).length === 0) open += 50;
      each();
    }
    return open;
  }

  function noneStalled(world: World): () => void {
    return () => {
      for (const name of ["old", "new"]) {
        const condition = conditionOf(world.cluster.get("Firewall", name), "Stalled");
        expect(condition?.status ?? "False", condition?.message).toBe("False");
      }
    };
  }

  it.each([
    { order: "the former Firewall first", names: ["old", "new"], apartMs: 0 },
    { order: "the new Firewall first", names: ["new", "old"], apartMs: 0 },
    { order: "the new Firewall first, the former one a second later", names: ["new", "old"], apartMs: 1_000 },
  ])("within a second, $order", async ({ names, apartMs }) => {
    const { world, instance } = await protectedWorld();
    world.cluster.create("Firewall", "new", { ...wall, instanceRefs: [] });
    await world.advance(minute);
    world.cloud.settings.latencyMs = 40;
    let open = 0;
    for (const name of names) {
      world.cluster.patch("Firewall", name, { spec: { instanceRefs: name === "new" ? web : [] } });
      open += await openMs(world, instance, apartMs, noneStalled(world));
    }
    open += await openMs(world, instance, 10_000, noneStalled(world));
    expect(attachedTo(world.cloud, instance)).toEqual([idOf(world, "Firewall", "new")]);
    expect(open).toBeLessThanOrEqual(1_000);
    for (const name of names)
      expect(stateOf(world, "Firewall", name), messageOf(world, "Firewall", name)).toBe("Ready");
  });

  it.each([
    { order: "the new object first", first: "create", apartMs: 0 },
    { order: "the deletion first", first: "delete", apartMs: 0 },
    { order: "the new object first, and the deletion five seconds later", first: "create", apartMs: 5_000 },
  ])("within a second after a rename, $order", async ({ first, apartMs }) => {
    const { world, instance } = await protectedWorld();
    world.cloud.settings.latencyMs = 40;
    const create = () => world.cluster.create("Firewall", "new", { ...wall, instanceRefs: web });
    const end = () => world.cluster.delete("Firewall", "old");
    const [one, two] = first === "create" ? [create, end] : [end, create];
    one();
    let open = await openMs(world, instance, apartMs, noneStalled(world));
    two();
    open += await openMs(world, instance, 15_000, noneStalled(world));
    expect(attachedTo(world.cloud, instance)).toEqual([idOf(world, "Firewall", "new")]);
    expect(world.cluster.get("Firewall", "old")).toBeUndefined();
    expect(open).toBeLessThanOrEqual(1_000);
    expect(stateOf(world, "Firewall", "new"), messageOf(world, "Firewall", "new")).toBe("Ready");
  });

  it("waits for the Firewall that still names the instance, and names that Firewall", async () => {
    const { world, instance } = await protectedWorld();
    world.cluster.create("Firewall", "new", { ...wall, instanceRefs: web });
    expect(await advanceWatching(world, 5 * minute)).toEqual([]);
    expect(messageOf(world, "Firewall", "new")).toContain("Firewall default/old");
    expect(attachedTo(world.cloud, instance)).toEqual([idOf(world, "Firewall", "old")]);
    world.cluster.patch("Firewall", "old", { spec: { instanceRefs: [] } });
    await world.advance(soonMs);
    expect(stateOf(world, "Firewall", "new")).toBe("Ready");
  });

  it("does not keep the detach for longer than a minute if the new Firewall cannot attach", async () => {
    const { world, instance } = await protectedWorld();
    world.cluster.create("Firewall", "new", { ...wall, instanceRefs: [...web, { name: "missing" }] });
    await world.advance(10_000);
    world.cluster.patch("Firewall", "old", { spec: { instanceRefs: [] } });
    await world.advance(10_000);
    expect(attachedTo(world.cloud, instance)).toHaveLength(1);
    await world.advance(minute);
    expect(attachedTo(world.cloud, instance)).toHaveLength(0);
  });
});

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
    expect(stateOf(world, "Firewall", "wall")).toBe("Ready");
  });
});

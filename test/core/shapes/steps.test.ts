/** Steps that fail half-way, or never take effect; and what is read before something is sent. */
import { describe, expect, it } from "vitest";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, paths, specs, stateOf } from "../support.ts";

const wall = { ...specs.Firewall, label: "wall" };
const path = paths.Firewall;

async function protectedBy(count: number): Promise<{ world: World; ids: string[] }> {
  const world = createWorld();
  const names = Array.from({ length: count }, (_, index) => `web-${index}`);
  for (const name of names) world.cluster.create("ComputeInstance", name, specs.ComputeInstance);
  world.cluster.create("Firewall", "wall", { ...wall, instanceRefs: [] });
  await world.advance(120_000);
  expect(world.cluster.get("Firewall", "wall")).toBeReady();
  return { world, ids: names.map((name) => idOf(world, "ComputeInstance", name)) };
}

function attached({ cloud }: World, since: number): unknown[] {
  const posts = cloud.ledger().filter(({ method, path: of }) => method === "POST" && of.endsWith("/devices"));
  return posts.filter(({ number }) => number >= since).map(({ body }) => JSON.stringify(body?.["id"]));
}

describe("a step that fails half-way", () => {
  it.each(["busy", "lostBefore", "html502", "tooMany", "unreachable"] as const)(
    "by %s goes on where it was, and repeats nothing that was done",
    async (kind) => {
      const { world, ids } = await protectedBy(3);
      const since = world.cloud.ledger().length;
      world.cloud.fault({ kind: "slow", ms: 0, method: "POST", path: /devices$/ });
      world.cloud.fault({ kind, ms: 1_000, method: "POST", path: /devices$/ });
      const instanceRefs = ids.map((_, index) => ({ name: `web-${index}` }));
      world.cluster.patch("Firewall", "wall", { spec: { instanceRefs } });
      await world.advance(120_000);
      expect(world.cluster.get("Firewall", "wall")).toBeReady();
      const [first, second, ...rest] = attached(world, since);
      expect([first, second, ...rest]).toEqual([ids[0], ids[1], ids[1], ids[2]]);
      expect(world.cloud.rows(`${path}/${idOf(world, "Firewall", "wall")}/devices`)).toHaveLength(3);
    },
  );

  it("whose lost call was done does not send it again", async () => {
    const { world, ids } = await protectedBy(2);
    const since = world.cloud.ledger().length;
    world.cloud.fault({ kind: "lostAfter", method: "POST", path: /devices$/ });
    const instanceRefs = ids.map((_, index) => ({ name: `web-${index}` }));
    world.cluster.patch("Firewall", "wall", { spec: { instanceRefs } });
    await world.advance(120_000);
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
    expect(attached(world, since)).toEqual(ids);
  });
});

it("what the creation has asked for is not asked for again while lists are late", async () => {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(120_000);
  world.cloud.settings.listLagMs = 8_000;
  const since = world.cloud.ledger().length;
  world.cluster.create("Firewall", "wall", { ...wall, instanceRefs: [{ name: "web" }] });
  await world.advance(2_000);
  expect(conditionOf(world.cluster.get("Firewall", "wall"), "Ready")).toMatchObject({ reason: "Updating" });
  await world.advance(120_000);
  expect(world.cluster.get("Firewall", "wall")).toBeReady();
  const sent = world.cloud.ledger().filter(({ number, method }) => number >= since && method !== "GET");
  expect(sent.map(({ method, path: of }) => `${method} ${of}`)).toEqual([`POST ${path}`]);
});

describe("a step that never takes effect", () => {
  const outbound = [{ action: "ACCEPT", protocol: "TCP", ports: "443", ipv4: ["0.0.0.0/0"] }];

  async function unheeded(): Promise<{ world: World; sent: () => number }> {
    const world = createWorld();
    world.cluster.create("Firewall", "wall", wall);
    await world.advance(10_000);
    const since = world.cloud.ledger().length;
    world.cloud.fault({ kind: "empty", method: "PUT", path: /rules$/, times: 1_000 });
    world.cluster.patch("Firewall", "wall", { spec: { inbound: [], outbound } });
    await world.advance(3_600_000);
    return { world, sent: () => changes(world, since).length };
  }

  it("is sent at most three times in an hour, and reported as drift", async () => {
    const { world, sent } = await unheeded();
    expect(sent()).toBeGreaterThan(0);
    expect(sent()).toBeLessThanOrEqual(3);
    expect(conditionOf(world.cluster.get("Firewall", "wall"), "Drifted")?.status).toBe("True");
  });

  it("is tried again when the spec changes", async () => {
    const { world, sent } = await unheeded();
    const before = sent();
    world.cloud.clearFaults();
    world.cluster.patch("Firewall", "wall", { spec: { outbound: [...outbound, { ...outbound[0], ports: "80" }] } });
    await world.advance(120_000);
    expect(sent()).toBe(before + 1);
    expect(conditionOf(world.cluster.get("Firewall", "wall"), "Drifted")).toBeUndefined();
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
  });

  it("is tried again when the cloud changes", async () => {
    const { world, sent } = await unheeded();
    const before = sent();
    world.cloud.clearFaults();
    const rule = { action: "DROP", protocol: "ICMP", addresses: { ipv4: ["0.0.0.0/0"] } };
    const rules = { inbound_policy: "DROP", outbound_policy: "ACCEPT", inbound: [rule], outbound: [] };
    world.cloud.change(path, idOf(world, "Firewall", "wall"), { rules });
    await world.advance(200_000);
    expect(sent()).toBe(before + 1);
    expect(conditionOf(world.cluster.get("Firewall", "wall"), "Drifted")).toBeUndefined();
    expect(world.cloud.rows(path)).toMatchObject([{ rules: { inbound: [], outbound: [{ ports: "443" }] } }]);
  });

  it("is not waited for without end: the condition says what became of it", async () => {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    await world.advance(120_000);
    const since = world.cloud.ledger().length;
    world.cloud.fault({ kind: "empty", method: "POST", path: /shutdown$/, times: 1_000 });
    world.cluster.patch("ComputeInstance", "web", { spec: { powerState: "Offline" } });
    await world.advance(900_000);
    const stuck = conditionOf(world.cluster.get("ComputeInstance", "web"), "Ready");
    expect(stuck).toMatchObject({ status: "False", reason: "Drifted" });
    expect(stuck?.message).toContain("running, and not yet Offline: the cloud accepted the change");
    const sent = world.cloud.ledger().slice(since);
    expect(sent.filter(({ method }) => method === "POST")).toHaveLength(1);
    world.cloud.clearFaults();
    world.cluster.patch("ComputeInstance", "web", { spec: { powerState: "Running" } });
    await world.advance(60_000);
    world.cluster.patch("ComputeInstance", "web", { spec: { powerState: "Offline" } });
    await world.advance(120_000);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  });

  it("is tried again after a restart", async () => {
    const { world, sent } = await unheeded();
    const before = sent();
    world.cloud.clearFaults();
    world.restart();
    await world.advance(120_000);
    expect(sent()).toBe(before + 1);
    expect(conditionOf(world.cluster.get("Firewall", "wall"), "Drifted")).toBeUndefined();
  });
});

describe("before a call that destroys", () => {
  it.each([
    ["a resize", { type: "g6-standard-2" }, { type: "g6-standard-2" }],
    ["a migration", { region: "us-west" }, { region: "us-west" }],
    ["a rebuild", { image: "compute/debian13" }, { image: "compute/debian13" }],
  ])("%s that somebody did by hand since the last list is not sent", async (_, wanted, done) => {
    const world = createWorld({ timing: { pollMs: 3_600_000, feedMs: 3_600_000 } });
    const allowDisruption = ["Resize", "Migrate", "Rebuild"];
    world.cluster.create("ComputeInstance", "web", { ...specs.ComputeInstance, allowDisruption });
    await world.advance(120_000);
    const since = world.cloud.ledger().length;
    world.cloud.change(paths.ComputeInstance, idOf(world, "ComputeInstance", "web"), done);
    world.cluster.patch("ComputeInstance", "web", { spec: wanted });
    await world.advance(120_000);
    expect(changes(world, since)).toEqual([]);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  });

  it("an instance that was made anew under the same id is not touched", async () => {
    const world = createWorld({ timing: { pollMs: 3_600_000, feedMs: 3_600_000 } });
    const spec = { ...specs.ComputeInstance, allowDisruption: ["Rebuild"] };
    world.cluster.create("ComputeInstance", "web", spec);
    await world.advance(120_000);
    const since = world.cloud.ledger().length;
    const id = idOf(world, "ComputeInstance", "web");
    world.cloud.replace(paths.ComputeInstance, id, { ...specs.ComputeInstance, label: "web", status: "running" });
    world.cluster.patch("ComputeInstance", "web", { spec: { image: "compute/debian13" } });
    await world.advance(120_000);
    expect(changes(world, since)).toEqual([]);
    expect(stateOf(world, "ComputeInstance", "web")).toBe("Conflict");
  });
});

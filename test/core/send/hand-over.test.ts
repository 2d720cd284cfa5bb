/** An instance moves from one Firewall to another: it has no firewall for at most a second. */
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/api/types.ts";
import { text } from "../../world/collections.ts";
import type { Sent } from "../../world/service.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { idOf, messageOf, paths, specs, stateOf } from "../support.ts";

const minute = 60_000;

/** Longest time from the end of the cause until the object is ready, milliseconds. */
const soonMs = 5_000;

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
    { order: "the former Firewall first, the new one 1.5 seconds later", names: ["old", "new"], apartMs: 1_500 },
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
    { order: "the deletion first, and the new object 1.5 seconds later", first: "delete", apartMs: 1_500 },
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
    for (let passed = 0; passed < 5 * minute; passed += 1_000) {
      await world.advance(1_000);
      noneStalled(world)();
    }
    expect(messageOf(world, "Firewall", "new")).toContain("Firewall default/old");
    expect(attachedTo(world.cloud, instance)).toEqual([idOf(world, "Firewall", "old")]);
    world.cluster.patch("Firewall", "old", { spec: { instanceRefs: [] } });
    await world.advance(soonMs);
    expect(world.cluster.get("Firewall", "new")).toBeReady();
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

  it("swaps two instances of two Firewalls in one apply within a second", async () => {
    const world = createWorld();
    onlyOneFirewall(world);
    for (const name of ["one", "two"]) world.cluster.create("ComputeInstance", name, specs.ComputeInstance);
    world.cluster.create("Firewall", "old", { ...wall, instanceRefs: [{ name: "one" }] });
    world.cluster.create("Firewall", "new", { ...wall, instanceRefs: [{ name: "two" }] });
    await world.advance(10 * minute);
    world.cloud.settings.latencyMs = 40;
    world.cluster.patch("Firewall", "old", { spec: { instanceRefs: [{ name: "two" }] } });
    world.cluster.patch("Firewall", "new", { spec: { instanceRefs: [{ name: "one" }] } });
    const instances = ["one", "two"].map((name) => idOf(world, "ComputeInstance", name));
    const open = [0, 0];
    for (let passed = 0; passed < 10_000; passed += 20) {
      await world.advance(20);
      for (const [index, id] of instances.entries())
        if (attachedTo(world.cloud, id).length === 0) open[index] = (open[index] ?? 0) + 20;
    }
    expect(attachedTo(world.cloud, instances[0] ?? "")).toEqual([idOf(world, "Firewall", "new")]);
    expect(attachedTo(world.cloud, instances[1] ?? "")).toEqual([idOf(world, "Firewall", "old")]);
    expect(Math.max(...open)).toBeLessThanOrEqual(500);
  });

  it("waits for no Firewall that is Stalled for a reason of its own", async () => {
    const { world } = await protectedWorld();
    world.cluster.create("Firewall", "new", { ...wall, inboundPolicy: "MAYBE", instanceRefs: web });
    await world.advance(minute);
    expect(conditionOf(world.cluster.get("Firewall", "new"), "Stalled")).toMatchObject({ reason: "InvalidSpec" });
    world.cluster.delete("Firewall", "old");
    await world.advance(soonMs);
    expect(world.cluster.get("Firewall", "old")).toBeUndefined();
  });

  it("has nothing to do with a Firewall of an account that may be another one", async () => {
    const { world, instance } = await protectedWorld();
    world.cloud.addUser({ token: "token-of-mallory", username: "mallory", restricted: true });
    world.cluster.secret("theirs", { token: "token-of-mallory" }, "team-c");
    const account = { tokenSecretRef: { name: "theirs" } };
    world.cluster.create("CloudAccount", "theirs", account, { namespace: "team-c" });
    await world.advance(minute);
    const spec = { ...wall, accountRef: { name: "theirs" }, instanceRefs: [{ id: instance }] };
    world.cluster.create("Firewall", "grab", spec, { namespace: "team-c" });
    await world.advance(minute);
    const grab = JSON.stringify(world.cluster.get("Firewall", "grab", "team-c")?.status);
    expect(grab).not.toMatch(/default|ComputeInstance [a-z]/);
    world.cluster.delete("Firewall", "old");
    await world.advance(1_000);
    expect(JSON.stringify(world.cluster.get("Firewall", "old")?.status ?? "")).not.toContain("grab");
    await world.advance(soonMs);
    expect(world.cluster.get("Firewall", "old")).toBeUndefined();
  });
});

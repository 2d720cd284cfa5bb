/** Devices of a firewall in odd forms: one that cannot be read may be the instance that is missed, so that nothing is sent. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import type { World } from "../../world/world.ts";
import { createWorld } from "../../world/world.ts";
import { mutationsOf } from "../read/odd-rows.ts";
import { changes, idOf, messageOf, paths, specs, stateOf } from "../support.ts";

const refused = "The firewall is assigned to the instance already";

async function guarded(): Promise<{ world: World; devices: string }> {
  const world = createWorld({ timing: { pollMs: 120_000, feedMs: 600_000 } });
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(120_000);
  world.cluster.create("Firewall", "wall", { ...specs.Firewall, instanceRefs: [{ name: "web" }] });
  await world.advance(120_000);
  expect(world.cluster.get("Firewall", "wall")).toBeReady();
  return { world, devices: `${paths.Firewall}/${idOf(world, "Firewall", "wall")}/devices` };
}

it("a Firewall shows its devices also while a plan waits for an approval", async () => {
  const { world } = await guarded();
  const devices = () => (world.cluster.get("Firewall", "wall")?.status as { devices?: object[] } | undefined)?.devices;
  const before = devices();
  expect(before).toHaveLength(1);
  world.cluster.patch("Firewall", "wall", { spec: { inboundPolicy: "ACCEPT", management: { policy: "Plan" } } });
  await world.advance(600_000);
  expect(stateOf(world, "Firewall", "wall")).toBe("WaitingForApproval");
  expect(devices()).toEqual(before);
});

it("a settled Firewall lives with every odd form of the device that stands for its instance", async () => {
  const { world, devices } = await guarded();
  const [id] = world.cloud.rows(devices).map((device) => JSON.stringify(device["id"]));
  const row = world.cloud.find(devices, id ?? "")!;
  const { entity, ...rest } = structuredClone(row.fields) as JsonObject & { entity: JsonObject };
  const shown = { ...rest, updated: "2026-01-01T00:00:00", entity: { ...entity, label: "web", parent_entity: null } };
  // The service knows what is attached, whatever it shows.
  world.cloud.fault({ kind: "refused", reason: refused, method: "POST", path: /devices$/, times: 1_000 });
  const met = new Map<string, Set<string>>();
  const sent = new Map<string, Set<string>>();
  const note = (to: typeof met, key: string, name: string) => void to.set(key, (to.get(key) ?? new Set()).add(name));
  for (const { name, row: odd } of mutationsOf(shown)) {
    const since = world.cloud.ledger().length;
    row.fields = structuredClone(odd);
    await world.advance(1_500_000);
    const state = stateOf(world, "Firewall", "wall") ?? "";
    if (state !== "Ready") note(met, state, name.replace(/: .*/, ""));
    for (const call of changes(world, since)) note(sent, call, name);
    row.fields = structuredClone(shown);
    await world.advance(1_400_000);
    expect(stateOf(world, "Firewall", "wall"), `after ${name}: ${messageOf(world, "Firewall", "wall")}`).toBe("Ready");
  }
  const listed = (of: typeof met) => Object.fromEntries([...of].map(([key, names]) => [key, [...names].sort()]));
  expect(listed(met)).toEqual({
    Unreadable: ["entity", "entity.id", "entity.type", "id"],
    // Another thing than an instance.
    Refused: ["entity.type"],
  });
  expect(listed(sent)).toEqual({ [`POST ${devices}`]: ["entity.type: a new word"] });
});

describe("a list of devices that was late decides no later edit", () => {
  const edit = (world: World, instanceRefs: object[]) =>
    void world.cluster.patch("Firewall", "wall", { spec: { instanceRefs } });

  it("of an instance that is to be detached again", async () => {
    const { world, devices } = await guarded();
    edit(world, []);
    await world.advance(600_000);
    world.cloud.settings.listLagMs = 8_000;
    edit(world, [{ name: "web" }]);
    await world.advance(12_000);
    expect(world.cloud.rows(devices)).toHaveLength(1);
    edit(world, []);
    await world.advance(30_000);
    expect(world.cloud.rows(devices)).toEqual([]);
  });

  it.each([7_000, 30_000])("of an instance that is to be attached again after %i ms", async (ms) => {
    const { world, devices } = await guarded();
    const data = structuredClone(world.cloud.rows(devices));
    const fields = { data, page: 1, pages: 1, results: data.length } as JsonObject;
    world.cloud.fault({ kind: "answersFor", method: "GET", path: /devices$/, times: 2, row: { fields } });
    edit(world, []);
    await world.advance(ms);
    expect(world.cloud.rows(devices)).toEqual([]);
    world.cloud.clearFaults();
    edit(world, [{ name: "web" }]);
    await world.advance(5_000);
    expect(world.cloud.rows(devices)).toHaveLength(1);
  });
});

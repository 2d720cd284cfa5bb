/** Devices of a firewall in odd forms: one that cannot be read may be the instance that is missed, so that nothing is sent. */
import { expect, it } from "vitest";
import type { JsonObject } from "../../src/api/types.ts";
import type { World } from "../world/world.ts";
import { createWorld } from "../world/world.ts";
import { mutationsOf } from "./odd-rows.ts";
import { changes, idOf, messageOf, paths, specs, stateOf } from "./situations.ts";

const refused = "The firewall is assigned to the instance already";

async function guarded(): Promise<{ world: World; devices: string }> {
  const world = createWorld({ timing: { sweepMs: 120_000, feedMs: 600_000 } });
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(120_000);
  world.cluster.create("Firewall", "wall", { ...specs.Firewall, instanceRefs: [{ name: "web" }] });
  await world.advance(120_000);
  expect(stateOf(world, "Firewall", "wall")).toBe("Ready");
  return { world, devices: `${paths.Firewall}/${idOf(world, "Firewall", "wall")}/devices` };
}

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

/** The price in a plan contains only the changes that the requests of the plan make. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { madeMs, paths, specs, stateOf } from "../support.ts";

const types = "/compute/types";
const soonMs = 60_000;
const prices = [
  { id: "g6-standard-1", price: { monthly: 12 }, addons: { backups: { price: { monthly: 2.5 } } } },
  { id: "g6-standard-2", price: { monthly: 24 }, addons: { backups: { price: { monthly: 5 } } } },
];

function withPrices(): World {
  const world = createWorld();
  for (const type of prices) world.cloud.add(types, type);
  return world;
}

interface Plan {
  monthly?: object;
  operations?: object[];
}

function planOf({ cluster }: World, name: string): Plan {
  const status = cluster.get("ComputeInstance", name)?.status as { plan?: Plan } | undefined;
  return status?.plan ?? {};
}

describe("the plan of an adopted instance", () => {
  const machine = { ...specs.ComputeInstance, label: "old", status: "running", tags: [], alerts: {} };

  it.each([
    {
      because: "a type that differs is not sent",
      row: { backups: { enabled: false } },
      spec: { type: "g6-standard-2", backups: { enabled: true } },
      monthly: { before: "$12.00", after: "$14.50" },
    },
    {
      because: "backups stay on",
      row: { backups: { enabled: true } },
      spec: { powerState: "Offline", backups: { enabled: false } },
      monthly: { before: "$14.50", after: "$14.50" },
    },
  ])("contains no price of a difference without a request: $because", async ({ row, spec, monthly }) => {
    const world = withPrices();
    const { id } = world.cloud.add(paths.ComputeInstance, { ...machine, ...row });
    const wanted = { ...specs.ComputeInstance, label: "old", ...spec };
    world.cluster.create("ComputeInstance", "taken", wanted, { management: { adopt: { id } } });
    await world.advance(soonMs);
    expect(stateOf(world, "ComputeInstance", "taken")).toBe("AdoptionDiffers");
    expect(planOf(world, "taken").monthly).toEqual(monthly);
  });
});

describe("the plan of an instance", () => {
  async function planned(before: object, change: object): Promise<World> {
    const world = withPrices();
    world.cluster.create("ComputeInstance", "vm", { ...specs.ComputeInstance, ...before });
    await world.advance(madeMs);
    world.cluster.patch("ComputeInstance", "vm", { spec: { management: { policy: "Plan" }, ...change } });
    await world.advance(soonMs);
    expect(stateOf(world, "ComputeInstance", "vm")).toBe("WaitingForApproval");
    return world;
  }

  it("contains no price of a refused request beside other requests", async () => {
    const world = await planned({}, { type: "g6-standard-2", label: "renamed" });
    expect(planOf(world, "vm").monthly).toEqual({ before: "$12.00", after: "$12.00" });
  });

  it("contains the price of a refused request if the plan has no other request", async () => {
    const world = await planned({}, { type: "g6-standard-2" });
    expect(planOf(world, "vm").monthly).toEqual({ before: "$12.00", after: "$24.00" });
  });

  it("contains the price of backups that a request turns off", async () => {
    const world = await planned({ backups: { enabled: true } }, { backups: { enabled: false } });
    expect(planOf(world, "vm").monthly).toEqual({ before: "$14.50", after: "$12.00" });
  });

  it("waits at most two seconds for the price list", async () => {
    const world = withPrices();
    await world.settle();
    world.cloud.fault({ kind: "silent", method: "GET", path: /compute\/types$/, times: 100 });
    world.cluster.create("ComputeInstance", "vm", specs.ComputeInstance, { management: { policy: "Plan" } });
    await world.advance(3_000);
    expect(stateOf(world, "ComputeInstance", "vm")).toBe("WaitingForApproval");
    expect(planOf(world, "vm").operations).toHaveLength(1);
  });
});

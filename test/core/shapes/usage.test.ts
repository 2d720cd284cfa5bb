/** UsageReports: a month, or what is current, read once and kept. */
import { expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, madeMs, messageOf, specs, stateOf } from "../support.ts";

const minute = 60_000;
const series = [
  [1_767_225_600_000, 10],
  [1_767_225_900_000, 30],
];

async function withFigures(): Promise<World> {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "vm", specs.ComputeInstance);
  await world.advance(madeMs);
  const { beside } = world.cloud.find("/compute/instances", idOf(world, "ComputeInstance", "vm"))!;
  beside["stats"] = { cpu: series, io: { io: series, swap: [] } };
  beside["transfer"] = { used: 22_956_600_198, quota: 2_000, billable: 0 };
  beside["stats/2025/12"] = { cpu: [series[0] ?? []] };
  beside["transfer/2025/12"] = { bytes_in: 1, bytes_out: 2, bytes_total: 3 };
  return world;
}

it("without a month it is the past 24 hours and the month's transfer with its quota, kept as they were", async () => {
  const world = await withFigures();
  world.cluster.create("UsageReport", "now", { instanceRef: { name: "vm" } });
  await world.advance(minute);
  expect(stateOf(world, "UsageReport", "now"), messageOf(world, "UsageReport", "now")).toBe("Ready");
  const figures = {
    cpuPercent: { average: 20, maximum: 30 },
    transfer: { totalBytes: 22_956_600_198, quotaGB: 2_000, billableGB: 0 },
  };
  expect(world.cluster.get("UsageReport", "now")?.status).toMatchObject(figures);
  const { beside } = world.cloud.find("/compute/instances", idOf(world, "ComputeInstance", "vm"))!;
  beside["transfer"] = { used: 1, quota: 1, billable: 0 };
  world.restart();
  await world.advance(30 * minute);
  expect(world.cluster.get("UsageReport", "now")?.status).toMatchObject(figures);
  expect(changes(world).filter((call) => !call.includes("/compute/instances"))).toEqual([]);
});

it("of a month it is that month's, of which the cloud tells no quota", async () => {
  const world = await withFigures();
  world.cluster.create("UsageReport", "december", { instanceRef: { name: "vm" }, year: 2025, month: 12 });
  await world.advance(minute);
  expect(world.cluster.get("UsageReport", "december")).toBeReady();
  expect(messageOf(world, "UsageReport", "december")).toBe("This UsageReport is complete");
  expect(world.cluster.get("UsageReport", "december")?.status).toMatchObject({ cpuPercent: { average: 10 } });
  expect(world.cluster.get("UsageReport", "december")?.status?.["transfer"]).toEqual({
    inBytes: 1,
    outBytes: 2,
    totalBytes: 3,
  });
});

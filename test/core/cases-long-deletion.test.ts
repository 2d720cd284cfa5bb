/** A deletion that the cloud holds up for hours asks less and less often, and goes on soon once the cloud lets it. */
import { expect, it } from "vitest";
import { createWorld } from "../world/world.ts";
import { idOf, madeMs, paths, specs } from "./situations.ts";

const hourMs = 3_600_000;
const path = paths.ComputeInstance;

it.each(["cloning", "restoring", "deleting"])("of an instance that stays %s", async (status) => {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(madeMs);
  const row = world.cloud.find(path, idOf(world, "ComputeInstance", "web") ?? "")!;
  let shown = status;
  Object.defineProperty(row.fields, "status", {
    get: () => shown,
    // What the cloud simulates changes nothing.
    set() {},
    enumerable: true,
  });
  world.cluster.delete("ComputeInstance", "web");
  await world.advance(600_000);
  const since = world.cloud.ledger().length;
  await world.advance(hourMs);
  const reads = world.cloud.ledger().slice(since);
  expect(reads.filter((call) => call.path.startsWith(`${path}/`)).length).toBeLessThanOrEqual(2 * (hourMs / 15_000));
  expect(reads.filter(({ method }) => method !== "GET")).toEqual([]);
  shown = "offline";
  await world.advance(30_000);
  expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
});

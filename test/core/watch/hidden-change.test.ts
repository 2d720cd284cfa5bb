/** A change that the watch brings only after our own write, whose answer shows it already. */
import { expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import { specs } from "../support.ts";

it.each(["each", "list"] as const)("is reconciled at once, and not as another's status: brought by %s", async (how) => {
  const world = createWorld();
  const { cluster } = world;
  cluster.create("SSHKey", "laptop", specs.SSHKey);
  await world.advance(60_000);
  cluster.latency.ms = 500;
  cluster.patch("SSHKey", "laptop", { spec: { management: { driftPolicy: "Report" } } });
  // The status of this change is on its way.
  await world.advance(200);
  cluster.watch.held = true;
  cluster.patch("SSHKey", "laptop", { spec: { management: { driftPolicy: "Correct" } } });
  await world.advance(2_000);
  const { metadata, status } = cluster.get("SSHKey", "laptop") ?? {};
  expect([metadata?.generation, status?.["observedGeneration"]]).toEqual([3, 2]);
  cluster.watch.held = false;
  cluster.releaseWatches(how);
  await world.advance(1_000);
  expect(cluster.get("SSHKey", "laptop")?.status?.["observedGeneration"]).toBe(3);
});

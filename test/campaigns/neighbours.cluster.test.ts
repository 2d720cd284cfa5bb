import { expect, test } from "vitest";
import { sharedControlPlane } from "../support/control-plane.ts";
import type { ControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { createAll, instances, isReady, sshKeys, untilAll } from "./support/fleet.ts";
import { median } from "./support/judge.ts";

const good = 200;

/** One that the service answers 500 to whatever is asked of it, and one that it refuses for good. */
async function addPoison(world: World): Promise<void> {
  await createAll(world, sshKeys(world, 1, "broken"));
  await untilAll(world, "SSHKey", 1, isReady, 20_000);
  const id = String(world.simulator.control.rows("sshkey")[0]?.["id"]);
  world.simulator.control.faults.add({ kind: "status", status: 500, method: "PUT", path: `/profile/sshkeys/${id}` });
  await world.patch("SSHKey", "broken-0", { spec: { label: "never-taken" } });
  const [machine] = instances(world, 1, "refused") as { spec: object }[];
  await createAll(world, [{ ...machine, spec: { ...machine?.spec, type: "g6-no-such-type" } }]);
}

/** Milliseconds from creation to Ready of each good object, by the API server's own log. */
async function timeGood(cluster: ControlPlane, poisoned: boolean): Promise<number[]> {
  const world = await startWorld(cluster);
  try {
    if (poisoned) await addPoison(world);
    await createAll(world, sshKeys(world, good, "good"));
    await untilAll(
      world,
      "SSHKey",
      good + (poisoned ? 1 : 0),
      (object) => object.metadata.name === "broken-0" || isReady(object),
      60_000,
    );
    return timesToReady(cluster, world);
  } finally {
    await world.stop();
  }
}

function timesToReady(cluster: ControlPlane, { namespace }: World): number[] {
  const created = new Map<string, number>();
  const settled = new Map<string, number>();
  for (const entry of cluster.auditLog()) {
    if (entry.namespace !== namespace || !entry.name?.startsWith("good-")) continue;
    if (entry.resource === "sshkeys" && entry.verb === "create") created.set(entry.name, entry.at.getTime());
    if (entry.resource === "sshkeys/status") settled.set(entry.name, entry.at.getTime());
  }
  expect(settled.size).toBe(good);
  return [...settled].map(([name, at]) => at - (created.get(name) ?? Number.NaN));
}

test("objects that always fail make two hundred good ones at most twice as slow", async () => {
  const cluster = sharedControlPlane();
  const times: Record<"with" | "without", number[]> = { with: [], without: [] };
  // The first round warms up and does not count.
  await timeGood(cluster, false);
  for (let round = 0; round < 3; round += 1) {
    times.without.push(...(await timeGood(cluster, false)));
    times.with.push(...(await timeGood(cluster, true)));
  }
  const [slow, usual] = [median(times.with), median(times.without)];
  process.stderr.write(`median time to Ready: ${usual} ms without, ${slow} ms with objects that fail\n`);
  expect(slow).toBeLessThanOrEqual(2 * usual);
});

import { expect, onTestFinished, test } from "vitest";
import type { Fault } from "../../src/simulator/server/faults/faults.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import { createThroughCrashes, judgeCrash } from "./support/crash.ts";
import type { Crash } from "./support/crash.ts";
import { createProcesses } from "./support/processes.ts";
import { createChance } from "./support/random.ts";

/** Limits are on, so that answers name them, and so high that they hold up nothing. */
const generous = { rateLimits: true };

async function arrange(campaign: string, machines: number): Promise<Crash> {
  const cluster = sharedControlPlane();
  const world = await startWorld(cluster, { start: false, simulator: generous });
  const processes = createProcesses();
  onTestFinished(async () => {
    await processes.close();
    await world.stop();
  });
  world.simulator.control.rateLimits.set({ scale: 1_000 });
  return { cluster, world, processes, chance: createChance(campaign), machines };
}

test("an operator killed four times while it creates fifty objects makes each exactly once, and then is silent", async () => {
  const crash = await arrange("killed while creating", 25);
  await createThroughCrashes(crash, 4);
  await judgeCrash(crash);
});

test("the same holds while connections break, answers are lost, late, garbled or refused", async () => {
  const crash = await arrange("killed among faults", 6);
  const { control } = crash.world.simulator;
  const { seed } = crash.chance;
  const kinds: Fault[] = [
    { kind: "reset-before" },
    { kind: "reset-after" },
    { kind: "late-apply", ms: 700 },
    { kind: "truncate" },
    { kind: "status", status: 500 },
    { kind: "rate-limit", retryAfter: 1 },
    { kind: "html" },
  ];
  for (const [index, fault] of kinds.entries()) {
    const often = { probability: 0.08, times: 4, seed: seed + index };
    control.faults.add({ ...fault, ...often, method: "POST" });
    control.faults.add({ ...fault, ...often, method: "GET", path: "/profile/sshkeys" });
    control.faults.add({ ...fault, ...often, method: "GET", path: "/compute/instances" });
  }
  await createThroughCrashes(crash, 2);
  await judgeCrash(crash);
  expect(control.faults.list().reduce((sum, { played }) => sum + played, 0)).toBeGreaterThan(10);
});

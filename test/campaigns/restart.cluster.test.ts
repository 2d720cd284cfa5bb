import { expect, onTestFinished, test } from "vitest";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import { createAll, instances, isReady, pause, sshKeys, untilAll, untilTrue } from "./support/fleet.ts";
import { kubeWritesSince, lastEntry, mutations } from "./support/judge.ts";

const generous = { rateLimits: true };

test("an operator that is started again beside two hundred settled objects writes nothing anywhere", async () => {
  const cluster = sharedControlPlane();
  const world = await startWorld(cluster, { simulator: generous });
  onTestFinished(() => world.stop());
  world.simulator.control.rateLimits.set({ scale: 1_000 });
  await createAll(world, [...sshKeys(world, 180), ...instances(world, 20)]);
  await untilAll(world, "SSHKey", 180, isReady, 60_000);
  await untilAll(world, "ComputeInstance", 20, isReady, 60_000);
  await world.stopOperator();
  const handled = new Set<string>();
  const mark = lastEntry(world);
  const since = new Date();
  await world.restartOperator({ measures: { handled: ({ key }) => handled.add(key) } });
  await untilTrue("every object is reconciled again", () => handled.size >= 201, 30_000);
  await pause(2_000);
  expect(kubeWritesSince(cluster, world, since)).toEqual([]);
  expect(mutations(world, mark)).toEqual([]);
});

import { expect, test } from "vitest";
import type { TestContext } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { intentOf } from "../../src/core/claim/intent.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { createAll, isReady, pause, sshKeys, untilAll } from "./support/fleet.ts";
import { expectOneEach, expectSilence } from "./support/judge.ts";
import { createProcesses, operatorArgs } from "./support/processes.ts";
import type { OperatorProcess } from "./support/processes.ts";

interface Pair {
  world: World;
  first: OperatorProcess;
}

/** Two operators with leader election; `first` leads, `second` waits. */
async function startPair({ onTestFinished }: TestContext): Promise<Pair> {
  const cluster = sharedControlPlane();
  const world = await startWorld(cluster, { start: false });
  const processes = createProcesses();
  onTestFinished(async () => {
    await processes.close();
    await world.stop();
  });
  const { namespace, simulator } = world;
  const args = operatorArgs({ kubeconfigPath: cluster.kubeconfigPath, cloud: simulator.url, namespace });
  const first = await processes.operator(args);
  await processes.operator(args, "waiting for caches and leadership");
  return { world, first };
}

/** Makes five keys, `prefix-0` and on; answers under which leadership each was created. */
async function work(world: World, prefix: string, before: number, timeoutMs: number): Promise<Set<string | undefined>> {
  await createAll(world, sshKeys(world, 5, prefix));
  const all = await untilAll(world, "SSHKey", before + 5, isReady, timeoutMs);
  return new Set(all.filter(({ metadata }) => metadata.name.startsWith(prefix)).map(epochOf));
}

function epochOf(object: KubeObject): string | undefined {
  return intentOf(object)?.epoch;
}

async function judge(world: World): Promise<void> {
  const objects = await untilAll(world, "SSHKey", 10, isReady, 1_000);
  expectOneEach(world, "sshkey", "/v4/profile/sshkeys", objects, "after the hand-over");
  await expectSilence(sharedControlPlane(), world, 2_000);
}

test.concurrent("of two operators one acts, and an orderly end hands over at once", async (context) => {
  const { world, first } = await startPair(context);
  const under = await work(world, "first", 0, 10_000);
  expect(under.size).toBe(1);
  await first.stop();
  const next = await work(world, "second", 5, 8_000);
  expect(next.size).toBe(1);
  expect(next).not.toEqual(under);
  await judge(world);
});

test.concurrent("a killed leader is followed by the second once its lease and longest call have run out", async (context) => {
  const { world, first } = await startPair(context);
  await work(world, "first", 0, 10_000);
  await first.kill();
  const killed = performance.now();
  await work(world, "second", 5, 70_000);
  const gap = performance.now() - killed;
  process.stderr.write(`the second acted ${Math.round(gap)} ms after the first was killed\n`);
  // Fifteen seconds of lease and thirty of the longest call, less the two of a renewal.
  expect(gap).toBeGreaterThan(40_000);
  expect(gap).toBeLessThan(60_000);
  await judge(world);
});

test.concurrent("a leader that was suspended until another took over changes nothing and ends", async (context) => {
  const { world, first } = await startPair(context);
  await work(world, "first", 0, 10_000);
  process.kill(first.pid, "SIGSTOP");
  const under = await work(world, "second", 5, 70_000);
  expect(under.size).toBe(1);
  process.kill(first.pid, "SIGCONT");
  expect(await Promise.race([first.ended, pause(10_000).then(() => "still runs")])).toBe("ended (exit code 1)");
  await judge(world);
});

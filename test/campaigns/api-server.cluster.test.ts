import { expect, onTestFinished, test } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { startProxy } from "../cluster/support.ts";
import { carriedOut } from "../contract/support/subjects.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { createThroughCrashes, judgeCrash } from "./support/crash.ts";
import { createAll, inParallel, isReady, pause, resourceNamed, sshKeys, untilAll, untilTrue } from "./support/fleet.ts";
import { createJumpingClock } from "./support/jumping-clock.ts";
import { ownCluster } from "./support/own-cluster.ts";
import { createProcesses, operatorArgs } from "./support/processes.ts";
import type { OperatorProcess } from "./support/processes.ts";
import { createChance } from "./support/random.ts";

/** One object of every kind, whether its cloud side comes to anything or not: all that counts is that it is reconciled. */
function oneEach(world: World): object[] {
  return kinds.map((kind) => {
    const example = carriedOut(kind).find(({ needs }) => needs === undefined) ?? kind.examples[0];
    return world.object(kind.kind, `one-${kind.plural}`, example?.spec);
  });
}

/** A change of every object that its controller answers in status. */
async function changeAll(world: World, spec: object): Promise<void> {
  await inParallel([...kinds], 8, async ({ kind, plural }) => {
    const ref = { namespace: world.namespace, name: `one-${plural}` };
    await world.kube.patch(resourceNamed(kind), ref, { spec });
  });
}

async function untilSeen(world: World, timeoutMs: number): Promise<void> {
  const seen = ({ status, metadata }: KubeObject): boolean => status?.["observedGeneration"] === metadata.generation;
  await Promise.all(kinds.map(({ kind }) => untilAll(world, kind, 1, seen, timeoutMs)));
}

/** Milliseconds from a change of every object until each is answered in status. */
async function untilChangesAreSeen(world: World, spec: object): Promise<number> {
  const began = performance.now();
  await changeAll(world, spec);
  await untilSeen(world, 20_000);
  return performance.now() - began;
}

/** How often the operator has asked for a watch of each resource since then; what the test itself reads is in lists. */
function watchesByResource(cluster: OwnControlPlane, since: Date): Record<string, number> {
  const watches = cluster.auditLog(since).filter(({ verb }) => verb === "watch");
  // A watch has an entry of its beginning and one of its end.
  return Object.fromEntries(
    [...Map.groupBy(watches, ({ resource }) => resource)].map(([resource, all]) => [
      resource,
      new Set(all.map(({ received }) => received.getTime())).size,
    ]),
  );
}

async function operatorBeside(cluster: OwnControlPlane, world: World): Promise<OperatorProcess> {
  const processes = createProcesses();
  onTestFinished(() => processes.close());
  const { namespace, simulator } = world;
  const more = ["--leader-election", "off"];
  return processes.operator(
    operatorArgs({ kubeconfigPath: cluster.kubeconfigPath, cloud: simulator.url, namespace, more }),
  );
}

/** How soon it asks is a matter of the reflector's own tests, by a moved clock: here it asks seldom, and misses nothing. */
test("after the API server was killed every kind sees changes again, by three requests for a watch at most, and none is lost", async () => {
  const cluster = await ownCluster();
  const world = await startWorld(cluster, { start: false });
  onTestFinished(() => world.stop());
  const operator = await operatorBeside(cluster, world);
  let ended = false;
  void operator.ended.then(() => (ended = true));
  await createAll(world, oneEach(world));
  await untilSeen(world, 20_000);
  const usual = await untilChangesAreSeen(world, { management: { driftPolicy: "Correct" } });
  const took: number[] = [];
  for (const downMs of [0, 3_000]) {
    // What is stored just before the end is told by no watch any more.
    await changeAll(world, { management: { driftPolicy: "Report" } });
    await cluster.killApiServer();
    await pause(downMs);
    const back = new Date();
    await cluster.restartApiServer();
    took.push(await untilChangesAreSeen(world, { management: { driftPolicy: "Correct" } }));
    const asked = watchesByResource(cluster, back);
    expect(Object.keys(asked)).toEqual(expect.arrayContaining(kinds.map(({ plural }) => plural)));
    expect(Object.entries(asked).filter(([, count]) => count > 3)).toEqual([]);
  }
  process.stderr.write(`seen again after ${took.map(Math.round).join(" ms, ")} ms; usual: ${Math.round(usual)} ms\n`);
  expect(ended).toBe(false);
});

test("a watch that hangs without a word is noticed, and changes are seen within ninety seconds", async () => {
  const cluster = sharedControlPlane();
  const proxy = await startProxy(Number(new URL(cluster.server).port));
  const text = cluster.kubeconfig.replaceAll(cluster.server, `https://127.0.0.1:${proxy.port}`);
  const clock = createJumpingClock();
  const world = await startWorld(cluster, { operator: { kubeConfig: { text }, clock } });
  onTestFinished(async () => {
    await world.stop();
    await proxy.close();
  });
  await createAll(world, sshKeys(world, 3, "before"));
  await untilAll(world, "SSHKey", 3, isReady, 20_000);
  proxy.freeze();
  const frozen = clock.now();
  await createAll(world, sshKeys(world, 3, "after"));
  const rows = (): number => world.simulator.control.rows("sshkey").length;
  await pause(1_500);
  expect(rows(), "what passes a frozen connection").toBe(3);
  clock.advance(76_000 - (clock.now() - frozen));
  await untilTrue("the changes are seen", () => rows() === 6, 14_000);
  const seen = clock.now() - frozen;
  process.stderr.write(`seen after ${Math.round(seen)} ms of the operator's time\n`);
  expect(seen).toBeLessThanOrEqual(90_000);
});

test(
  "fifty creations through crashes of the operator and of the API server together are fifty",
  { timeout: 300_000 },
  async () => {
    const cluster = await ownCluster();
    const world = await startWorld(cluster, { start: false, simulator: { rateLimits: true } });
    const processes = createProcesses();
    onTestFinished(async () => {
      await processes.close();
      await world.stop();
    });
    world.simulator.control.rateLimits.set({ scale: 1_000 });
    const chance = createChance("killed with the API server");
    const meanwhile = async (): Promise<void> => {
      await pause(chance.between(0, 50));
      await cluster.killApiServer();
      await cluster.restartApiServer();
    };
    const crash = { cluster, world, processes, chance, machines: 10, meanwhile };
    await createThroughCrashes(crash, 3);
    await judgeCrash(crash);
  },
);

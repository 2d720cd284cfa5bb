import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TestContext } from "vitest";
import type { JsonObject } from "../../src/api/types.ts";
import type { KubeObject } from "../../src/cluster/types.ts";
import { statedEntryIn } from "../../src/core/model/journal.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { startProxy } from "../cluster/support.ts";
import { createAll, isReady, pause, resourceNamed, sshKeys, untilAll, untilTrue } from "./support/fleet.ts";
import { expectOneEach, expectSilence, lastEntry, mutations } from "./support/judge.ts";
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

/** Makes five keys, `prefix-0` and on; answers under which leadership each was created. A lease runs out only after 45 s. */
async function work(world: World, prefix: string, before: number, timeoutMs: number): Promise<Set<string | undefined>> {
  await createAll(world, sshKeys(world, 5, prefix));
  const all = await untilAll(world, "SSHKey", before + 5, isReady, timeoutMs);
  return new Set(all.filter(({ metadata }) => metadata.name.startsWith(prefix)).map(epochOf));
}

function epochOf(object: KubeObject): string | undefined {
  return statedEntryIn(object)?.epoch;
}

async function judge(world: World): Promise<void> {
  const objects = await untilAll(world, "SSHKey", 10, isReady, 1_000);
  expectOneEach(world, "sshkey", "/v4/profile/sshkeys", objects, "after the hand-over");
  await expectSilence(sharedControlPlane(), world, 2_000);
}

test.concurrent("of two operators one acts, and an orderly end hands over at once", async (context) => {
  const { world, first } = await startPair(context);
  const under = await work(world, "first", 0, 20_000);
  expect(under.size).toBe(1);
  await first.stop();
  const next = await work(world, "second", 5, 20_000);
  expect(next.size).toBe(1);
  expect(next).not.toEqual(under);
  await judge(world);
});

test.concurrent("what a leader did by a newer spec is not undone by the next one, whose watches are late", async (context) => {
  const cluster = sharedControlPlane();
  const world = await startWorld(cluster, { start: false });
  const processes = createProcesses();
  const proxy = await startProxy(Number(new URL(cluster.server).port));
  const folder = mkdtempSync(join(tmpdir(), "late-watches-"));
  context.onTestFinished(async () => {
    await processes.close();
    await world.stop();
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { namespace, simulator, kube } = world;
  const wall = { namespace, name: "wall" };
  const policy = (): unknown =>
    (simulator.control.rows("firewall")[0]?.["rules"] as JsonObject | undefined)?.["inbound_policy"];
  const kubeconfigPath = join(folder, "kubeconfig");
  const behindProxy = cluster.kubeconfig.replaceAll(cluster.server, `https://127.0.0.1:${proxy.port}`);
  writeFileSync(kubeconfigPath, behindProxy, { mode: 0o600 });
  const first = await processes.operator(
    operatorArgs({ kubeconfigPath: cluster.kubeconfigPath, cloud: simulator.url, namespace }),
  );
  const spec = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" };
  await createAll(world, [{ apiVersion: "cloudplatform.dev/v1alpha1", kind: "Firewall", metadata: wall, spec }]);
  await untilAll(world, "Firewall", 1, isReady, 20_000);
  const second = await processes.operator(
    operatorArgs({ kubeconfigPath, cloud: simulator.url, namespace }),
    "waiting for caches and leadership",
  );
  await untilTrue("the second waits", () => proxy.accepted() > 1, 20_000);
  await pause(2_000);
  proxy.freeze();
  await kube.patch(resourceNamed("Firewall"), wall, { spec: { inboundPolicy: "ACCEPT" } });
  await untilTrue("the first has changed it", () => policy() === "ACCEPT", 20_000);
  const before = lastEntry(world);
  await first.stop();
  await untilTrue("the second leads", () => second.lines().some((line) => line.includes('"leading"')), 60_000);
  await createAll(world, sshKeys(world, 1, "after"));
  await untilAll(world, "SSHKey", 1, isReady, 20_000);
  expect(mutations(world, before).filter(({ path }) => path.includes("firewalls"))).toEqual([]);
  expect(policy()).toBe("ACCEPT");
});

test.concurrent("a killed leader is followed by the second once its lease and longest call have run out", async (context) => {
  const { world, first } = await startPair(context);
  await work(world, "first", 0, 20_000);
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
  await work(world, "first", 0, 20_000);
  process.kill(first.pid, "SIGSTOP");
  const under = await work(world, "second", 5, 70_000);
  expect(under.size).toBe(1);
  process.kill(first.pid, "SIGCONT");
  expect(await Promise.race([first.ended, pause(10_000).then(() => "still runs")])).toBe("ended (exit code 1)");
  await judge(world);
});

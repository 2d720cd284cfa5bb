import { expect, onTestFinished, test } from "vitest";
import type { Fault } from "../../src/simulator/server/faults/faults.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { inParallel, listed, pause, resourceNamed, sshKeys, untilTrue } from "./support/fleet.ts";
import { createProcesses, operatorArgs } from "./support/processes.ts";
import { createChance } from "./support/random.ts";
import type { Chance } from "./support/random.ts";

/** `CAMPAIGN_LIVES` sets how many objects each case creates and deletes. */
const lives = Number(process.env["CAMPAIGN_LIVES"] ?? 150);

const faults: Fault[] = [
  { kind: "reset-before" },
  { kind: "reset-after" },
  { kind: "late-apply", ms: 300 },
  { kind: "truncate" },
  { kind: "status", status: 500 },
];

/**
 * The API server removes an object whose deletion it began before the finalizer was stored, whatever finalizer it has by
 * then (kubernetes/kubernetes#77988). What was made for it meanwhile must not stay.
 */
test.each([
  { parallel: 1, faulty: false, count: Math.ceil(lives / 5), why: "one after another" },
  { parallel: 12, faulty: false, count: lives, why: "twelve at a time" },
  { parallel: 12, faulty: true, count: lives, why: "twelve at a time, while answers are lost, late or garbled" },
])("what is deleted within 120 ms of its creation leaves nothing in the cloud: $why", async (how) => {
  const world = await startUnlimited();
  onTestFinished(() => world.stop());
  const endpoint = { name: "default", url: world.simulator.url, requestsInTwoMinutes: unlimited };
  await world.restartOperator({ endpoints: [endpoint] });
  await world.ready("CloudAccount", "default");
  const chance = createChance(`overtaken, ${how.why}`);
  if (how.faulty) armFaults(world, chance);
  await liveShortly(world, how, chance);
  await expectNothingLeft(world);
});

/** However many lives there are, no limit holds them back. */
const unlimited = 1_000_000;

async function startUnlimited(): Promise<World> {
  const simulator = { timeScale: 100_000, rateLimits: true };
  const world = await startWorld(sharedControlPlane(), { start: false, simulator });
  world.simulator.control.rateLimits.set({ scale: 10_000 });
  return world;
}

/** Who was killed knows nothing any more: only what the API server let go before it had our finalizer could then be missed. */
test("what is deleted once it has our finalizer leaves nothing, also when the operator is killed and another begins", async () => {
  const cluster = sharedControlPlane();
  const world = await startUnlimited();
  const processes = createProcesses();
  onTestFinished(async () => {
    await processes.close();
    await world.stop();
  });
  const chance = createChance("overtaken, killed");
  const { kubeconfigPath } = cluster;
  const args = operatorArgs({ kubeconfigPath, cloud: world.simulator.url, namespace: world.namespace });
  const more = ["--leader-election", "off", "--endpoint-limit", `default=${unlimited}`];
  let operator = await processes.operator([...args, ...more]);
  await world.ready("CloudAccount", "default", 30_000);
  for (let round = 0; round < 3; round += 1) {
    const how = { parallel: 12, count: Math.ceil(lives / 3), prefix: `round-${round}`, held: true };
    const living = liveShortly(world, how, chance);
    await pause(chance.between(100, 1_000));
    await operator.kill();
    operator = await processes.operator([...args, ...more]);
    await living;
  }
  await expectNothingLeft(world);
});

interface Lives {
  parallel: number;
  count: number;
  prefix?: string;
  /** Deleted only when it has our finalizer. */
  held?: boolean;
  /** Answers are lost, late or garbled: by chance so many for one object that it is deleted before it is made. */
  faulty?: boolean;
}

/** Creates each object and deletes it up to 120 ms later; every tenth lives until it is made, and every fifth for up to two seconds. */
async function liveShortly(
  world: World,
  { parallel, count, prefix = "short", held = false, faulty = false }: Lives,
  chance: Chance,
): Promise<void> {
  const resource = resourceNamed("SSHKey");
  const objects = sshKeys(world, count, prefix).map((object, index) => ({ object, name: `${prefix}-${index}` }));
  await inParallel([...objects.entries()], parallel, async ([index, { object, name }]) => {
    await world.kube.create(resource, object as Record<string, unknown>);
    if (held) await world.until("SSHKey", name, ({ metadata }) => metadata.finalizers !== undefined, 60_000);
    if (index % 10 === 0) {
      const made = untilTrue(`${name} is made`, () => isMade(world, name), faulty ? 20_000 : 60_000);
      await (faulty ? made.catch(() => undefined) : made);
    } else await pause(chance.between(0, index % 5 === 0 ? 2_000 : 120));
    await world.kube.delete(resource, { namespace: world.namespace, name });
  });
}

function isMade({ simulator }: World, name: string): boolean {
  return simulator.control.rows("sshkey").some(({ label }) => label === name);
}

function armFaults({ simulator }: World, { seed }: Chance): void {
  for (const [index, fault] of faults.entries())
    simulator.control.faults.add({
      ...fault,
      probability: 0.05,
      seed: seed + index,
      path: "/profile/sshkeys",
      method: "POST",
    });
}

async function expectNothingLeft(world: World): Promise<void> {
  await untilTrue("all objects are gone", async () => (await listed(world, "SSHKey")).length === 0, 60_000);
  const rows = (): number => world.simulator.control.rows("sshkey").length;
  await untilTrue(`nothing is left in the cloud`, () => rows() === 0, 30_000).catch(() => undefined);
  expect(world.simulator.control.rows("sshkey").map(({ label }) => label)).toEqual([]);
  // Some were made at all: the test would otherwise prove nothing.
  const made = world.simulator.control.ledger({ method: "POST", path: "/v4/profile/sshkeys", applied: true });
  expect(made).not.toEqual([]);
}

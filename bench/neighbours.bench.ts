/** How much others slow good objects down: objects that always fail, and a tenant whose changes hang in the cloud. */
import { createAll, isReady, sshKeys, untilAll, untilTrue } from "../test/campaigns/support/fleet.ts";
import { addOtherTenant, addPoison, addSlowChanges, keyOfOther } from "../test/campaigns/support/neighbours.ts";
import { startWorld } from "../test/support/world.ts";
import type { World } from "../test/support/world.ts";
import { startLocalCluster } from "../tools/local-cluster.ts";
import { alternate, figure, median } from "./support/measure.ts";
import type { Times } from "./support/measure.ts";

const good = 200;
const cluster = await startLocalCluster();
try {
  await cluster.kubectl(["apply", "--server-side", "-f", "crds"]);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=30s"]);
  await compare(`${good} keys Ready beside objects that always fail`, 3, timeGood, addPoison);
  await compare("another tenant's first key, beside 60 changes of 25 s each", 5, timeFirst, async (world) => {
    await addSlowChanges(world, 60);
    await untilTrue("changes hang", () => world.simulator.control.ledger({ method: "PUT" }).length > 0, 20_000);
  });
} finally {
  await cluster.stop();
}

/** The median of what `time` measures after `disturb`, and without it, in turn; at most twice as long. */
async function compare(
  what: string,
  rounds: number,
  time: (world: World) => Promise<number>,
  disturb: (world: World) => Promise<void>,
): Promise<void> {
  const times: Record<"alone" | "beside", Times> = { alone: [], beside: [] };
  const inWorld = async (name: keyof typeof times): Promise<void> => {
    const world = await startWorld(cluster);
    await addOtherTenant(world);
    if (name === "beside") await disturb(world);
    times[name].push(await time(world));
    await world.stop();
  };
  await alternate(rounds, { alone: () => inWorld("alone"), beside: () => inWorld("beside") });
  // The first round warms up.
  const [alone, beside] = [median(times.alone.slice(1)), median(times.beside.slice(1))];
  figure(what, beside, "ms", { atMost: 2 * alone }, { of: "without them", value: alone });
}

async function timeGood(world: World): Promise<number> {
  const began = performance.now();
  await createAll(world, sshKeys(world, good, "good"));
  const isGood = (object: object): boolean => !JSON.stringify(object).includes("broken-0");
  const count = good + world.simulator.control.rows("sshkey").filter(({ label }) => label === "broken-0").length;
  await untilAll(world, "SSHKey", count, (object) => !isGood(object) || isReady(object), 60_000);
  return performance.now() - began;
}

async function timeFirst(world: World): Promise<number> {
  const began = performance.now();
  await createAll(world, [keyOfOther(world, "first")]);
  await world.ready("SSHKey", "first");
  return performance.now() - began;
}

/** Lives one life, and says what was wrong with it. */
import { createWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { act, calm, furnish } from "./act.ts";
import type { Stage } from "./act.ts";
import { keepChronicle } from "./chronicle.ts";
import { violationsOf } from "./invariants.ts";
import type { Violation } from "./invariants.ts";
import type { Life } from "./story.ts";

const hourMs = 3_600_000;

/** Sweeps are seldom, so that an hour costs few requests; windows are in the proportion of production. */
const timing = {
  sweepMs: 3_000_000,
  fastSweepMs: 60_000,
  slowPassMs: 3_000_000,
  feedMs: 900_000,
  settle: { freeMs: 30_000, billableMs: 120_000 },
};

/** Where an error was thrown is of no interest while so many are. */
Error.stackTraceLimit = 0;

/** The same life gives the same violations: chance comes from `seed`. */
export async function live(life: Life, seed: number): Promise<{ violations: Violation[]; world: World }> {
  const chance = Math.random;
  Math.random = seeded(seed);
  try {
    const stage = begin(life);
    await furnish(stage);
    for (const command of life.commands) await act(stage, command);
    return { violations: await judge(stage), world: stage.world };
  } finally {
    Math.random = chance;
  }
}

function begin(life: Life): Stage {
  const world = createWorld({ timing, workers: 8 });
  const stage = { world, life, chronicle: keepChronicle(world) };
  const { cluster, cloud } = world;
  cluster.latency.ms = life.kubeMs;
  Object.assign(cloud.settings, {
    latencyMs: life.cloudMs,
    listLagMs: life.lagMs,
    dateAheadMs: life.dateAheadMs,
    reuseIds: life.reuseIds,
    instanceMs: 12_000,
    databaseMs: 18_000,
    scopes: life.events ? "*" : "compute:read_write",
  });
  return stage;
}

/** Nothing goes wrong any more; two slow passes to settle, and an hour in which nothing may happen. */
async function judge(stage: Stage): Promise<Violation[]> {
  const { world } = stage;
  calm(stage);
  await world.advance(2 * hourMs);
  const silentFrom = { requests: world.cloud.ledger().length, writes: world.cluster.writes().length };
  await world.advance(hourMs);
  const violations = violationsOf(stage, silentFrom);
  world.crash();
  return violations;
}

/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Lives one life, and says what was wrong with it. */
import { seededRandom } from "../support/chance.ts";
import { createWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { cure } from "./cure.ts";
import { act } from "./act.ts";
import type { Stage } from "./actor.ts";
import { calm, furnish } from "./furnish.ts";
import { kindsOfLives } from "./palette.ts";
import { keepChronicle } from "./chronicle.ts";
import { violationsOf } from "./invariants.ts";
import { pollMs } from "./invariants.ts";
import type { Violation } from "./invariants.ts";
import { storing } from "./stored.ts";
import type { Life } from "./story.ts";

const minuteMs = 60_000;

/** Polls are seldom, so that quiet time costs few requests; windows are in the proportion of production. */
const timing = {
  pollMs,
  fastPollMs: 15_000,
  resyncMs: 10 * minuteMs,
  feedMs: 5 * minuteMs,
  settle: { freeMs: 30_000, billableMs: 120_000 },
};

/** After the last trouble: processes run again by then, and what comes late has come. */
const settlingMs = 4 * minuteMs;

/** In so long everything is polled and every object reconciled: both come a tenth late at most. */
const silenceMs = 11.2 * minuteMs;

/** How long it may take until nothing happens any more: a pass for accounts, and one for what waits for them. */
const mostSilences = 3;

/** The same life gives the same violations: chance comes from `seed`. */
export async function live(life: Life, seed: number): Promise<{ violations: Violation[]; world: World }> {
  const { stackTraceLimit } = Error;
  // Where an error was thrown is of no interest while so many are.
  Error.stackTraceLimit = 0;
  try {
    const stage = begin(life, seed);
    await furnish(stage);
    for (const command of life.commands) await act(stage, command);
    return { violations: await judge(stage, seed), world: stage.world };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function begin(life: Life, seed: number): Stage {
  const world = createWorld({
    timing,
    random: seededRandom(seed),
    workers: life.workers ?? 8,
    installed: kindsOfLives,
  });
  const stage: Stage = { world, life, chronicle: keepChronicle(world), slow: [] };
  const { cluster, cloud } = world;
  cluster.latency.ms = life.kubeMs;
  cloud.settings.normalise = life.stores && storing(life.stores);
  Object.assign(cloud.settings, {
    latencyMs: life.cloudMs,
    listLagMs: life.lagMs,
    dateAheadMs: life.dateAheadMs,
    reuseIds: life.reuseIds,
    instanceMs: 12_000,
    databaseMs: 18_000,
    backupMs: 20_000,
    scopes: life.events ? "*" : "compute:read_write",
  });
  return stage;
}

/**
 * Nothing goes wrong any more. What is silent and in order by then is taken to stay so, which every sixteenth life is held
 * to; what is not has time for it, and is judged by its end.
 */
async function judge(stage: Stage, seed: number): Promise<Violation[]> {
  calm(stage);
  await stage.world.advance(settlingMs);
  let violations: Violation[] = [];
  for (let silence = 1; silence <= mostSilences; silence += 1) {
    violations = await keepSilence(stage);
    if (violations.length === 0 && seed % 16 !== 0) break;
  }
  violations = [...violations, ...(await cure(stage))];
  stage.world.crash();
  return violations;
}

/** Every invariant that is broken, after a time in which nothing may happen. */
async function keepSilence(stage: Stage): Promise<Violation[]> {
  const { world } = stage;
  const silentFrom = { requests: world.cloud.ledger().length, writes: world.cluster.writes().length };
  await world.advance(silenceMs);
  return violationsOf(stage, silentFrom);
}

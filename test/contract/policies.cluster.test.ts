import { naturalKey } from "../../src/core/kind/fields.ts";
import { describe, expect } from "vitest";
import * as z from "zod";
import type { Kind } from "../../src/core/kind/owned.ts";
import { conditionOf } from "../support/world.ts";
import { makeChange } from "./support/change.ts";
import { makeTheSame } from "./support/cloud.ts";
import { contractTest } from "./support/contract-test.ts";
import { pendingCalls, untilAtRest } from "./support/pending.ts";
import { standing, stageOf } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";
import { everyKind, isHidden, isSingle, twoKinds } from "./support/subjects.ts";
import type { Subject } from "./support/subjects.ts";
import type { ContractWorld } from "./support/contract-test.ts";

const timeout = { timeout: 60_000 };
/** Kinds that something names: of the others there may be several alike. */
const named = everyKind.filter(({ kind }) => kind.unique !== "several");

describe.concurrent("What exists already is a conflict and is left alone", () => {
  contractTest.for(everyKind)("$title", timeout, async (subject, { world }) => {
    const { stage, id } = await withExisting(world, subject);
    const before = await stage.row(id);
    await stage.create();
    const object = await stage.condition("Stalled", "Conflict");
    expect(conditionOf(object, "Ready")?.message).toContain(id);
    await stage.look();
    expect(stage.mutations()).toEqual([]);
    await stage.remove();
    await stage.gone();
    expect(await stage.row(id)).toEqual(before);
  });
});

describe.concurrent("What exists already is taken over where the user says so", () => {
  contractTest.for(everyKind)("$title, by its id", timeout, async (subject, { world }) => {
    const { stage, id } = await withExisting(world, subject);
    await isTakenOver(stage, id, { id });
  });

  contractTest.for(named.filter((subject) => !isSingle(subject)))(
    "$title, by a filter",
    timeout,
    async (subject, { world }) => {
      const { stage, id } = await withExisting(world, subject);
      const key = naturalKey(subject.kind, await stage.wanted());
      const filter = Object.fromEntries(Object.entries(key).filter(([, value]) => typeof value === "string"));
      await isTakenOver(stage, id, { filter });
    },
  );

  contractTest.for(twoKinds)("$title, but not what is not there", timeout, async (subject, { world }) => {
    const { stage, id } = await withExisting(world, subject);
    await stage.create({ management: { adopt: { id: `${id}9999` } } });
    await stage.condition("Stalled", "AdoptionFailed");
    expect(stage.mutations()).toEqual([]);
  });
});

describe.concurrent("What an object manages is not taken over by another", () => {
  contractTest.for(twoKinds)("$title", timeout, async (subject, { world }) => {
    const first = await standing(stageOf(world, subject));
    const id = await first.id();
    const second = stageOf(world, subject, `${first.name}-2`);
    world.simulator.control.clearLedger();
    await second.create({ management: { adopt: { id } } });
    const object = await second.condition("Stalled", "Conflict");
    expect(conditionOf(object, "Ready")?.message).toContain(`${subject.kind.kind} ${world.namespace}/${first.name}`);
    await second.remove();
    await second.gone();
    expect(first.mutations()).toEqual([]);
    expect(await first.row(id)).toBeDefined();
    await first.ready();
  });
});

/** What of `status.observed` a spec of the kind could not say. */
function unlikeSpec({ spec }: Kind, observed: unknown): string[] {
  const fields = Object.entries(z.record(z.string(), z.unknown()).parse(observed));
  const shape = spec.shape as Record<string, z.ZodType>;
  const unlike = fields.filter(([name, value]) => shape[name]?.safeParse(value).success !== true);
  return unlike.map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
}

describe.concurrent("With the policy Observe what exists is reported and left alone", () => {
  contractTest.for(everyKind)("$title", timeout, async (subject, { world }) => {
    const { stage, id } = await withExisting(world, subject);
    await stage.create({ management: { policy: "Observe", adopt: { id } } });
    const shown = await stage.ready();
    const differs = conditionOf(shown, "Drifted")?.status === "True";
    expect(conditionOf(shown, "Ready")?.reason).toBe(differs ? "Drifted" : "Observed");
    const unlike = unlikeSpec(subject.kind, shown.status?.["observed"]);
    expect(unlike, "values of status.observed that the spec cannot have: give their fields `describe`").toEqual([]);
    const row = await stage.row(id);
    if (subject.example.changes) await makeChange(stage);
    await stage.ready();
    await stage.look();
    await stage.remove();
    await stage.gone();
    expect(stage.mutations()).toEqual([]);
    expect(await stage.row(id)).toEqual(row);
  });
});

describe.concurrent("With the policy Paused nothing is done until it ends", () => {
  contractTest.for(twoKinds)("$title, when it is changed", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    const sent = stage.mutations().length;
    await stage.patch({ spec: { management: { policy: "Paused" } } });
    const spec = await makeChange(stage);
    await stage.until((object) => conditionOf(object, "Ready")?.reason === "Paused");
    await stage.look();
    expect(stage.mutations()).toHaveLength(sent);
    await stage.patch({ spec: { management: { policy: "Manage" } } });
    await stage.ready();
    expect(await pendingCalls(stage, spec)).toEqual([]);
  });

  contractTest.for(twoKinds)("$title, when it is created and deleted", timeout, async (subject, { world }) => {
    const stage = stageOf(world, subject);
    await stage.prepare();
    world.simulator.control.clearLedger();
    await stage.create({ management: { policy: "Paused" } });
    await stage.condition("Reconciling", "Paused");
    expect(stage.mutations()).toEqual([]);
    await stage.patch({ spec: { management: { policy: "Manage" } } });
    await stage.ready();
    const id = await stage.id();
    await stage.patch({ spec: { management: { policy: "Paused" } } });
    await stage.until((object) => conditionOf(object, "Ready")?.reason === "Paused");
    await stage.remove();
    await stage.condition("Reconciling", "Paused");
    expect(await stage.row(id)).toBeDefined();
    await stage.patch({ spec: { management: { policy: "Manage" } } });
    await stage.gone();
    expect(await stage.row(id)).toBeUndefined();
  });
});

/** A cloud object that somebody else made just as the example would have it, and no object for it yet. */
async function withExisting(world: ContractWorld, subject: Subject): Promise<{ stage: Stage; id: string }> {
  const stage = stageOf(world, subject);
  await stage.prepare();
  const id = await makeTheSame(stage);
  await untilAtRest(stage, id);
  world.simulator.control.clearLedger();
  return { stage, id };
}

async function isTakenOver(stage: Stage, id: string, adopt: object): Promise<void> {
  await stage.create({ management: { adopt: { ...adopt, overwrite: true } } });
  expect((await stage.ready()).status?.["id"]).toBe(id);
  // What is there shows nothing of what it is, so that of the spec replaces it.
  expect(await stage.creations()).toHaveLength(isHidden(stage) ? 1 : 0);
  await stage.remove();
  await stage.gone();
  // What others added a Tag to keeps it.
  const stays = stage.kind.stays !== undefined || stage.kind.additions !== undefined;
  expect((await stage.row(id)) !== undefined).toBe(stays);
}

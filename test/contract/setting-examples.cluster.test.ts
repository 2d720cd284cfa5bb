/** The contract of the shape `setting`, for each example of each such kind. */
import { approveAnnotation } from "../../src/core/kind/annotations.ts";
import { statusOf } from "../../src/core/kind/object.ts";
import { describe, expect } from "vitest";
import { conditionOf } from "../support/world.ts";
import type { ContractWorld } from "./support/contract-test.ts";
import { contractTest, watchfulTest } from "./support/contract-test.ts";
import { needsPerson } from "./support/exceptions.ts";
import { ground } from "./support/ground.ts";
import { bringTo, pendingCalls } from "./support/pending.ts";
import { eventually, idle, stageOf } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";
import type { Subject } from "./support/subjects.ts";
import { everySetting } from "./support/subjects.ts";
import { countWrites, expectUnwritten } from "./support/writes.ts";
import { callOf } from "./support/planned-call.ts";

/** What needs a person is kept to the rest in `test/core/shapes/phone.test.ts`. */
const alone = everySetting.filter(({ kind }) => !needsPerson(kind.kind));
const changing = alone.filter(({ example }) => example.changes);

describe.concurrent("A setting is set, not touched while nothing changes, and each change of it arrives", () => {
  contractTest.for(everySetting)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = await grounded(world, subject);
    await stage.create();
    await stage.ready();
    expect(await pendingCalls(stage)).toEqual([]);
    const sent = stage.mutations().length;
    expect(sent).toBeGreaterThan(0);

    const before = await stage.object();
    const writes = countWrites(stage);
    const key = `${subject.kind.kind}/${world.namespace}/${stage.name}`;
    const looks = world.looks(key);
    await world.restartOperator();
    await eventually(() => expect(world.looks(key)).toBeGreaterThan(looks));
    await expectUnwritten(stage, before, writes);
    expect(stage.mutations()).toHaveLength(sent);

    for (const [field, change] of Object.entries(subject.example.changes ?? {})) {
      const before = stage.mutations().length;
      const spec = { ...subject.example.spec, ...change };
      await stage.change(spec);
      await stage.ready();
      expect(await pendingCalls(stage, spec), `left to do for ${field}`).toEqual([]);
      expect(stage.mutations().length, `calls for ${field}`).toBeGreaterThan(before);
    }
  });
});

describe.concurrent("A setting that somebody else has changed is set again, or only reported", () => {
  watchfulTest.for(changing)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = await grounded(world, subject);
    await stage.create();
    await stage.ready();
    const [change] = Object.values(subject.example.changes ?? {});
    const other = { ...subject.example.spec, ...change };
    await bringTo(stage, other);
    await eventually(async () => expect(await pendingCalls(stage)).toEqual([]));
    await stage.patch({ spec: { management: { driftPolicy: "Report" } } });
    await stage.ready();
    const sent = stage.mutations().length;
    await bringTo(stage, other);
    await stage.condition("Drifted", "Drifted");
    await stage.look();
    expect(stage.mutations()).toHaveLength(sent);
  });
});

describe.concurrent("Under Observe nothing is set, and under Plan only what was approved", () => {
  contractTest.for(alone)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = await grounded(world, subject);
    await stage.create({ management: { policy: "Observe" } });
    await stage.until((one) => ["Observed", "Drifted"].includes(conditionOf(one, "Ready")?.reason ?? ""));
    expect(stage.mutations()).toEqual([]);
    await stage.patch({ spec: { management: { policy: "Plan" } } });
    await stage.until((one) => statusOf(one).plan !== undefined);
    expect(stage.mutations()).toEqual([]);
    // What was read before another client prepared the cloud is planned anew once the cloud is read again.
    await eventually(async () => {
      const one = await stage.object();
      const { plan } = statusOf(one);
      if (plan) await stage.patch({ metadata: { annotations: { [approveAnnotation]: plan.hash } } });
      expect(conditionOf(one, "Ready")?.reason).toBe("Ready");
    });
    expect(await pendingCalls(stage)).toEqual([]);
  });
});

describe.concurrent("Faults are survived: what is refused says so, what fails is tried again", () => {
  contractTest.for(alone)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = await grounded(world, subject);
    const call = await callOf(stage);
    const at = { method: call.method, path: `/v4*${call.path.split("?")[0]}` };
    world.simulator.control.faults.add({ kind: "status", status: 503, times: 1, ...at });
    world.simulator.control.faults.add({ kind: "reset-after", times: 1, ...at });
    await stage.create();
    await stage.ready();
    expect(await pendingCalls(stage)).toEqual([]);
  });
});

describe.concurrent("Of two objects that want one setting, one sets it; deleting an object leaves it or resets it", () => {
  contractTest.for(everySetting)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = await grounded(world, subject);
    await stage.create();
    await stage.ready();
    const rival = stageOf(world, subject, `${stage.name}-rival`);
    await rival.create();
    await eventually(async () => {
      await stage.look();
      await rival.look();
      const both = await Promise.all([stage.object(), rival.object()]);
      expect(both.filter((one) => conditionOf(one, "Stalled")?.reason === "Conflict")).toHaveLength(1);
    });
    await rival.remove();
    await rival.gone();
    await stage.look();
    await idle(world);
    const sent = stage.mutations().length;
    await stage.remove();
    await stage.gone();
    expect(stage.mutations().length - sent).toBe(subject.kind.undo ? 1 : 0);
  });
});

async function grounded(world: ContractWorld, subject: Subject): Promise<Stage> {
  const stage = stageOf(world, subject);
  await stage.prepare();
  await ground(stage);
  world.simulator.control.clearLedger();
  return stage;
}

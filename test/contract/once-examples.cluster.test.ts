/** The contract of the shape `once`, for each example of each such kind. */
import { approveAnnotation } from "../../src/core/kind/annotations.ts";
import { statusOf } from "../../src/core/kind/object.ts";
import { describe, expect } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { conditionOf } from "../support/world.ts";
import type { ContractWorld } from "./support/contract-test.ts";
import { contractTest } from "./support/contract-test.ts";
import { ground } from "./support/ground.ts";
import { eventually, idle, stageOf } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";
import { everyRun } from "./support/subjects.ts";
import type { Subject } from "./support/subjects.ts";
import { countWrites } from "./support/writes.ts";
import { callOf } from "./support/planned-call.ts";

const sending = everyRun.filter(({ kind }) => kind.request);
const timed = everyRun.filter(({ example }) => "notAfter" in example.spec);

describe.concurrent("It runs once, and neither a restart nor its deletion sends anything again", () => {
  contractTest.for(everyRun)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = await grounded(world, subject);
    await stage.create();
    const object = await stage.until(isComplete);
    expect(statusOf(object).run).toMatchObject({ result: "Complete" });
    expect(conditionOf(object, "Ready")?.status).toBe("True");
    const times = subject.kind.request ? 1 : 0;
    expect(stage.mutations()).toHaveLength(times);

    const writes = countWrites(stage);
    const key = `${subject.kind.kind}/${world.namespace}/${stage.name}`;
    const looks = world.looks(key);
    await world.restartOperator();
    await eventually(() => expect(world.looks(key)).toBeGreaterThan(looks));
    await idle(world);
    expect((await writes()).object).toEqual([]);
    await stage.remove();
    await stage.gone();
    expect(
      stage
        .mutations()
        .map(({ method, path, body }) => `${method} ${path} ${body}`)
        .slice(times),
    ).toEqual([]);
  });
});

describe.concurrent("Without a response it is not sent again: the cloud shows what came of it, or a person is asked", () => {
  contractTest.for(sending)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = await grounded(world, subject);
    const { method, path } = await callOf(stage);
    world.simulator.control.clearLedger();
    world.simulator.control.faults.add({ kind: "reset-after", method, path: `/v4*${path}`, times: 1 });
    await stage.create();
    await stage.until((one) => isComplete(one) || conditionOf(one, "Stalled")?.reason === "OperationUncertain");
    await world.restartOperator();
    await stage.look();
    expect(stage.mutations()).toHaveLength(1);
  });
});

describe.concurrent("What was certainly refused for now is sent again, and under Plan only what was approved", () => {
  contractTest.for(sending)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = await grounded(world, subject);
    await stage.create({ management: { policy: "Plan" } });
    const planned = await stage.until((one) => statusOf(one).plan !== undefined);
    expect(stage.mutations()).toEqual([]);
    const { hash, operations: [{ method, path } = { method: "", path: "" }] = [] } = statusOf(planned).plan ?? {};
    world.simulator.control.faults.add({ kind: "rate-limit", method, path: `/v4*${path}`, times: 1, retryAfter: 1 });
    await stage.patch({ metadata: { annotations: { [approveAnnotation]: hash } } });
    await stage.until(isComplete);
    expect(stage.mutations({ applied: true })).toHaveLength(1);
  });
});

describe.concurrent("It waits for what it refers to, and is not started after its time", () => {
  contractTest.for(everyRun.filter(({ kind }) => kind.references))("$title waits", async (subject, { world }) => {
    const stage = stageOf(world, subject);
    await stage.create();
    await stage.condition("Reconciling", "WaitingForReference");
    expect(stage.mutations()).toEqual([]);
  });

  contractTest.for(timed)("$title is late", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = await grounded(world, subject);
    await stage.create({ spec: { ...subject.example.spec, notAfter: "2020-01-01T00:00:00Z" } });
    await stage.condition("Stalled", "Expired");
    expect(stage.mutations()).toEqual([]);
  });
});

async function grounded(world: ContractWorld, subject: Subject): Promise<Stage> {
  const stage = stageOf(world, subject);
  await stage.prepare();
  await ground(stage);
  await idle(world);
  world.simulator.control.clearLedger();
  return stage;
}

function isComplete(object: KubeObject): boolean {
  return conditionOf(object, "Complete")?.status === "True";
}

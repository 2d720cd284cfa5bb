import { describe, expect } from "vitest";
import type { Fault } from "../../src/simulator/server/faults/faults.ts";
import { conditionOf } from "../support/world.ts";
import { makeChange } from "./support/change.ts";
import { contractTest, secrets } from "./support/contract-test.ts";
import { pendingCalls } from "./support/pending.ts";
import { stageOf, standing } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";
import { twoKinds } from "./support/subjects.ts";

const timeout = { timeout: 60_000 };
const changing = twoKinds.filter(({ example }) => example.changes);

describe.concurrent("An answer that asks to come back later is followed", () => {
  contractTest.for(twoKinds)("$title, 429 to its creation", timeout, async (subject, { world }) => {
    const stage = stageOf(world, subject);
    await begin(stage, { kind: "rate-limit", retryAfter: 1, times: 2 });
    await stage.ready();
    expect((await stage.creations()).map(({ status }) => status)).toEqual([429, 429, 200]);
  });

  contractTest.for(changing)("$title, 429 and 503 to its change", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    const { faults } = world.simulator.control;
    for (const method of ["PUT", "POST"]) {
      faults.add({ kind: "rate-limit", retryAfter: 1, method, times: 1 });
      faults.add({ kind: "maintenance", retryAfter: 1, method, times: 1 });
    }
    const spec = await makeChange(stage);
    await stage.ready();
    expect(await pendingCalls(stage, spec)).toEqual([]);
    expect(await stage.creations()).toHaveLength(1);
  });
});

describe.concurrent("A fault of the cloud is waited out", () => {
  contractTest.for(twoKinds)("$title, 500 to its list", timeout, async (subject, { world }) => {
    const stage = stageOf(world, subject);
    await stage.prepare();
    world.simulator.control.faults.add({ kind: "status", status: 500, method: "GET", times: 6 });
    await stage.create();
    await stage.ready();
    expect(await stage.creations()).toHaveLength(1);
  });

  contractTest.for(changing)("$title, 500 to its change", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    const { faults } = world.simulator.control;
    for (const method of ["PUT", "POST"]) faults.add({ kind: "status", status: 500, method, times: 2 });
    const spec = await makeChange(stage);
    await stage.ready();
    expect(await pendingCalls(stage, spec)).toEqual([]);
    expect(await stage.creations()).toHaveLength(1);
  });

  contractTest.for(twoKinds)("$title, 500 to its deletion", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    const id = await stage.id();
    world.simulator.control.faults.add({ kind: "status", status: 500, method: "DELETE", times: 2 });
    await stage.remove();
    await stage.gone();
    expect(await stage.row(id)).toBeUndefined();
    expect(stage.mutations({ method: "DELETE" }).map(({ status }) => status)).toEqual([500, 500, 200]);
  });
});

describe.concurrent("A refusal is said in the cloud's own words and waits for the user", () => {
  contractTest.for(twoKinds)("$title, 400", timeout, async (subject, { world }) => {
    const reason = "must not be like this";
    const stage = stageOf(world, subject);
    const fault = await begin(stage, { kind: "status", status: 400, reason, field: "label" });
    await isRefused(stage, "Refused", `label: ${reason}`);
    world.simulator.control.faults.remove(fault);
    await makeChange(stage);
    await stage.ready();
    const statuses = (await stage.creations()).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 400)).toEqual([200]);
  });

  contractTest.for(twoKinds)("$title, 403", timeout, async (subject, { world }) => {
    const reason = "your token may not do this";
    const stage = stageOf(world, subject);
    await begin(stage, { kind: "status", status: 403, reason, times: 1 });
    await isRefused(stage, "Forbidden", reason);
    expect(await stage.creations()).toHaveLength(1);
    await stage.look();
    expect(await stage.creations()).toHaveLength(1);
    await makeChange(stage);
    await stage.ready();
    expect((await stage.creations()).map(({ status }) => status)).toEqual([403, 200]);
  });
});

describe.concurrent("A rejected token is the account's matter: nothing more is tried with it", () => {
  contractTest.for(twoKinds)("$title", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    const { control, token } = world.simulator;
    control.change("token", token, { revoked: true }, "");
    await makeChange(stage);
    await stage.condition("Stalled", "TokenRejected");
    await world.condition("CloudAccount", "default", "Stalled", "TokenRejected");
    control.clearLedger();
    await stage.look();
    expect(control.ledger().filter((entry) => entry.status === 401)).toEqual([]);

    control.addToken({ token: "a-new-token", username: "demo", label: "demo" });
    const ref = { namespace: world.namespace, name: "cloud-token" };
    await world.kube.patch(secrets, ref, { stringData: { token: "a-new-token" } });
    await world.ready("CloudAccount", "default");
    await stage.ready();
    expect(await stage.creations()).toEqual([]);
  });
});

/** Creates the object while the fault waits for its creation. */
async function begin(stage: Stage, fault: Fault): Promise<number> {
  await stage.prepare();
  const { method, path } = await stage.creation();
  stage.world.simulator.control.clearLedger();
  const id = stage.world.simulator.control.faults.add({ ...fault, method, path });
  await stage.create();
  return id;
}

async function isRefused(stage: Stage, reason: string, text: string): Promise<void> {
  const object = await stage.condition("Stalled", reason);
  expect(conditionOf(object, "Ready")?.message).toContain(text);
  expect(object.status).not.toHaveProperty("id");
}

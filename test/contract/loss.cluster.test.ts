import { describe, expect } from "vitest";
import { conditionOf } from "../support/world.ts";
import { vanish } from "./support/cloud.ts";
import { contractTest } from "./support/contract-test.ts";
import { eventually, standing, stageOf } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";
import { everyKind, twoKinds } from "./support/subjects.ts";

const timeout = { timeout: 60_000 };

describe.concurrent("What vanished from the cloud is made anew, or reported where it held data", () => {
  contractTest.for(everyKind)("$title", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    const id = await stage.id();
    await vanish(stage, id);
    if (subject.kind.holdsData) await isReportedMissing(stage, id);
    else await isReplaced(stage);
  });
});

describe.concurrent("What vanished is treated the other way round where missingPolicy says so", () => {
  contractTest.for(twoKinds)("$title", timeout, async (subject, { world }) => {
    const missingPolicy = subject.kind.holdsData ? "Recreate" : "Report";
    const stage = await standing(stageOf(world, subject), { missingPolicy });
    const id = await stage.id();
    await vanish(stage, id);
    if (subject.kind.holdsData) await isReplaced(stage);
    else await isReportedMissing(stage, id);
  });
});

describe.concurrent("Nothing is taken for gone because a gateway says 404 or a list is cut short", () => {
  contractTest.for(twoKinds)("$title", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    const id = await stage.id();
    const { faults } = world.simulator.control;
    faults.add({ kind: "html", status: 404, method: "GET", times: 6 });
    faults.add({ kind: "truncate", method: "GET", times: 6 });
    await eventually(() => expect(faults.list().map(({ played }) => played)).toEqual([6, 6]));
    await stage.look();
    const object = await stage.ready();
    expect(object.status?.["id"]).toBe(id);
    expect(await stage.creations()).toHaveLength(1);
  });
});

async function isReplaced(stage: Stage): Promise<void> {
  await eventually(async () => expect(await stage.creations({ applied: true })).toHaveLength(2));
  await stage.ready();
  await eventually(async () => expect(await stage.row(await stage.id())).toBeDefined());
  await stage.look();
  expect(await stage.creations()).toHaveLength(2);
}

async function isReportedMissing(stage: Stage, id: string): Promise<void> {
  const object = await stage.condition("Stalled", "Missing");
  expect(conditionOf(object, "Ready")?.message).toContain(id);
  await stage.look();
  expect(await stage.creations()).toHaveLength(1);
}

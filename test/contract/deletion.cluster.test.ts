import { orphanAnnotation } from "../../src/core/kind/annotations.ts";
import { describe, expect } from "vitest";
import { conditionOf } from "../support/world.ts";
import { vanish } from "./support/cloud.ts";
import { contractTest } from "./support/contract-test.ts";
import { eventually, standing, stageOf } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";
import { everyKind, isDelivered, isShownOnce, twoKinds } from "./support/subjects.ts";

const timeout = { timeout: 60_000 };
const deleted = everyKind.filter(({ kind }) => kind.stays === undefined);

describe.concurrent("What was deleted from the cloud by others is deleted: a 404 is no obstacle", () => {
  contractTest.for(everyKind)("$title", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    await world.stopOperator();
    await vanish(stage, await stage.id());
    await stage.remove();
    await world.restartOperator();
    await stage.gone();
    expect(await stage.creations()).toHaveLength(1);
  });
});

describe.concurrent("A deletion that is refused is said, and tried again", () => {
  contractTest.for(twoKinds)("$title", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    const id = await stage.id();
    const { faults } = world.simulator.control;
    const fault = faults.add({ kind: "status", status: 400, reason: "not while it is in use", method: "DELETE" });
    await stage.remove();
    const object = await stage.condition("Stalled", "Refused");
    expect(conditionOf(object, "Ready")?.message).toContain("not while it is in use");
    // A change of its row may have it looked at by itself, and gone before it could be asked for a look.
    faults.remove(fault);
    await stage.look().catch((error: unknown) => expect(error).toMatchObject({ status: 404 }));
    await stage.gone();
    expect(await stage.row(id)).toBeUndefined();
  });
});

describe.concurrent("What stays in the cloud when its object is deleted", () => {
  contractTest.for(twoKinds)("$title, by deletionPolicy Orphan", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject), { deletionPolicy: "Orphan" });
    await staysInTheCloud(stage);
    await keptSecretsAreNobodys(stage);
  });

  contractTest.for(twoKinds)("$title, by leave of the user", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    await stage.patch({ metadata: { annotations: { [orphanAnnotation]: "true" } } });
    await staysInTheCloud(stage);
  });
});

describe.concurrent("A deletion before the answer to the creation takes away what was made", () => {
  contractTest.for(deleted.filter((subject) => !isDelivered(subject) && !isShownOnce(subject)))(
    "$title",
    timeout,
    async (subject, { world }) => {
      const stage = stageOf(world, subject);
      await stage.prepare();
      const { method, path } = await stage.creation();
      const before = await stage.rows();
      world.simulator.control.faults.add({ kind: "late-apply", ms: 600, method, path, times: 1 });
      await stage.create();
      await eventually(() => expect(world.simulator.control.faults.list()[0]?.played).toBe(1));
      await stage.remove();
      await stage.gone();
      expect((await stage.rows()).length).toBe(before.length);
      expect(await stage.creations({ applied: true })).toHaveLength(1);
    },
  );
});

describe.concurrent("A deletion before the answer to the creation asks a person whose key it is", () => {
  contractTest.for(deleted.filter(isShownOnce))("$title", timeout, async (subject, { world }) => {
    const stage = stageOf(world, subject);
    await stage.prepare();
    const { method, path } = await stage.creation();
    world.simulator.control.faults.add({ kind: "late-apply", ms: 600, method, path, times: 1 });
    await stage.create();
    await eventually(() => expect(world.simulator.control.faults.list()[0]?.played).toBe(1));
    await stage.remove();
    const object = await stage.condition("Stalled", "CreateUncertain");
    expect(conditionOf(object, "Stalled")?.message).toContain("delete it in the cloud");
    expect(stage.mutations({ method: "DELETE" })).toEqual([]);
    await stage.patch({ metadata: { annotations: { [orphanAnnotation]: "true" } } });
    await stage.gone();
  });
});

describe.concurrent("A protected object cannot be deleted", () => {
  contractTest.for(twoKinds)("$title", timeout, async (subject, { world }) => {
    const { kind, example } = subject;
    const stage = await standing(stageOf(world, subject), { protect: true });
    const refused = await world.cluster.kubectl(["delete", kind.plural, example.name, "-n", world.namespace]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("spec.management.protect is true") });
    expect((await stage.object()).metadata.deletionTimestamp).toBeUndefined();
    await stage.patch({ spec: { management: { protect: false } } });
    await stage.remove();
    await stage.gone();
  });
});

async function staysInTheCloud(stage: Stage): Promise<void> {
  const id = await stage.id();
  await stage.remove();
  await stage.gone();
  expect(await stage.row(id)).toBeDefined();
  expect(stage.mutations({ method: "DELETE" })).toEqual([]);
}

/** Secrets that were generated or published outlive the object: nothing owns them any more. */
async function keptSecretsAreNobodys({ world }: Stage): Promise<void> {
  const { stdout } = await world.cluster.kubectl(["get", "secrets", "-n", world.namespace, "-o", "json"]);
  const { items } = JSON.parse(stdout) as { items: { metadata: { ownerReferences?: unknown[] } }[] };
  expect(items.flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([]);
}

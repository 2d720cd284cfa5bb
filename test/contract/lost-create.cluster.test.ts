import { nameOf } from "../../src/core/kind/naming.ts";
import { journalAnnotation, retryCreateAnnotation } from "../../src/core/kind/annotations.ts";
import type { KubeObject } from "../../src/cluster/types.ts";
import type { Kind } from "../../src/core/kind/owned.ts";
import { describe, expect } from "vitest";
import { statedEntryIn } from "../../src/core/model/journal.ts";
import type { Fault } from "../../src/simulator/server/faults/faults.ts";
import { applyLate, lookAtTrap, makeNamesake, makeTrap, vanish } from "./support/cloud.ts";
import { contractTest, patientTest } from "./support/contract-test.ts";
import type { ContractWorld } from "./support/contract-test.ts";
import { conditionOf } from "../support/world.ts";
import { createSecrets, eventually, stageOf, standing } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";
import { everyKind, isDelivered, isHidden, isShownOnce, isSingle } from "./support/subjects.ts";

const timeout = { timeout: 60_000 };
/** Kinds of which a second one is never made on a guess. */
const guessed = everyKind.filter(({ kind }) => !isNeverRepeated(kind));
const alike = everyKind.filter((subject) => !isSingle(subject));
const answered = everyKind.filter((subject) => !isDelivered(subject));
const neverRepeated = everyKind.filter(({ kind }) => isNeverRepeated(kind));

describe.concurrent("What came of a creation whose answer was lost is found and taken", () => {
  const faults: { reason: string; fault: Fault }[] = [
    { reason: "the connection broke after it was done", fault: { kind: "reset-after" } },
    { reason: "half of the answer came", fault: { kind: "truncate" } },
    { reason: "it is done later than the connection broke", fault: { kind: "late-apply", ms: 700 } },
  ];
  const cases = answered.flatMap((subject) =>
    faults.map(({ reason, fault }) => ({ title: subject.title, subject, reason, fault })),
  );

  contractTest.for(cases)("$title, when $reason", timeout, async ({ fault, subject }, { world }) => {
    const stage = await beginWithFault(stageOf(world, subject), fault);
    await decide(stage);
    await stage.ready();
    await onlyOneWasMade(stage);
  });

  contractTest.for(answered)("$title, when the operator ends meanwhile", timeout, async (subject, { world }) => {
    const stage = await beginWithFault(stageOf(world, subject), { kind: "reset-after" });
    await world.restartOperator();
    await decide(stage);
    await stage.ready();
    await onlyOneWasMade(stage);
  });

  patientTest.for(everyKind)(
    "$title, when its object is restored from a backup",
    timeout,
    async (subject, { world }) => {
      const stage = await standing(stageOf(world, subject), { deletionPolicy: "Orphan" });
      const id = await stage.id();
      const { metadata } = await stage.object();
      await stage.remove();
      await stage.gone();
      await forgetSecrets(world);
      await createSecrets(world, subject.example.secrets);
      await stage.create({ annotations: { [journalAnnotation]: metadata.annotations?.[journalAnnotation] ?? "" } });
      const restored = await stage.ready();
      if (isShownOnce(subject)) expect(await stage.row(id)).toBeUndefined();
      else expect(restored.status?.["id"]).toBe(id);
      // What nothing shows is sent once more.
      const sentAgain = isShownOnce(subject) || isHidden(subject) ? 1 : 0;
      await onlyOneWasMade(stage, { sentAgain, deleted: sentAgain });
    },
  );
});

describe.concurrent("A creation of which nothing is to be found", () => {
  contractTest.for(guessed)("is sent again when the search is over: $title", timeout, async (subject, { world }) => {
    const stage = await beginWithFault(stageOf(world, subject), { kind: "reset-before" });
    await stage.ready();
    expect(await stage.creations()).toHaveLength(2);
    expect(await stage.creations({ applied: true })).toHaveLength(1);
  });

  contractTest.for(neverRepeated)("is sent again only by leave: $title", timeout, async (subject, { world }) => {
    const stage = await beginWithFault(stageOf(world, subject), { kind: "reset-before" });
    const object = await stage.condition("Stalled", "CreateUncertain");
    await stage.look();
    await world.restartOperator();
    await stage.look();
    expect(await stage.creations()).toHaveLength(1);

    const attempt = statedEntryIn(object)?.attempt ?? "";
    await stage.patch({ metadata: { annotations: { [retryCreateAnnotation]: attempt } } });
    await stage.ready();
    await stage.look();
    expect(await stage.creations()).toHaveLength(2);
    expect(await stage.creations({ applied: true })).toHaveLength(1);
  });

  contractTest.for(neverRepeated)(
    "is taken when it shows up after all: $title",
    timeout,
    async (subject, { world }) => {
      const stage = await beginWithFault(stageOf(world, subject), { kind: "reset-before" });
      await stage.condition("Stalled", "CreateUncertain");
      const id = await applyLate(stage);
      await stage.look();
      // After the end of the search, only a tag proves that a cloud object is the result. Otherwise the user decides.
      if (!("tags" in subject.kind.fields)) {
        await stage.until(
          (one) =>
            conditionOf(one, "Stalled")?.message?.includes(`perhaps created ${nameOf(subject.kind, id)}`) ?? false,
        );
        await stage.patch({ spec: { management: { adopt: { id } } } });
      }
      expect((await stage.ready()).status?.["id"]).toBe(id);
      expect(await stage.creations()).toHaveLength(1);
    },
  );
});

describe.concurrent("What another client made almost the same is never taken", () => {
  contractTest.for(alike)("$title, when it was there before", timeout, async (subject, { world }) => {
    const stage = stageOf(world, subject);
    await stage.prepare();
    const trap = await makeTrap(stage);
    await beginWithFault(stage, { kind: "reset-after" });
    await decide(stage, trap);
    expect((await stage.ready()).status?.["id"]).not.toBe(trap.id);
    await onlyOneWasMade(stage);
    expect(await lookAtTrap(stage, trap)).toEqual(trap.row);
  });

  contractTest.for(alike)("$title, when it is made during the search", timeout, async (subject, { world }) => {
    const stage = await beginWithFault(stageOf(world, subject), { kind: "reset-before" });
    const traps = [await makeTrap(stage), await makeNamesake(stage)].filter((trap) => trap !== undefined);
    if (isNeverRepeated(subject.kind)) await stage.condition("Stalled", "CreateUncertain");
    else
      await stage.until(
        (one) =>
          isReady(one) ||
          (isOneAtATime(subject.kind) && isRefusedFor(one, "Conflict")) ||
          traps.some(({ id }) => isUncertainOf(one, id)),
      );
    const { status } = await stage.object();
    for (const trap of traps) {
      expect(status?.["id"]).not.toBe(trap.id);
      expect(await lookAtTrap(stage, trap)).toEqual(trap.row);
    }
  });
});

/** As the garbage collector does with Secrets of a backup, whose owner had another UID. */
async function forgetSecrets({ cluster, namespace }: ContractWorld): Promise<void> {
  const which = "--field-selector=metadata.name!=cloud-token";
  const { code, stderr } = await cluster.kubectl(["delete", "secrets", "-n", namespace, which]);
  if (code !== 0) throw new Error(stderr);
}

/** The cloud makes one disk of an instance at a time: the namesake may be there before the operator is let in again, which it then says. */
function isOneAtATime({ kind }: Pick<Kind, "kind">): boolean {
  return kind === "ComputeDisk";
}

function isReady(object: KubeObject): boolean {
  return conditionOf(object, "Ready")?.status === "True";
}

/** A cloud object that differs in one value can be the result in another form, or belong to another client. */
function isUncertainOf(object: KubeObject, id: string): boolean {
  const { reason, message = "" } = conditionOf(object, "Stalled") ?? {};
  return reason === "CreateUncertain" && message.includes(id);
}

function isRefusedFor(object: KubeObject, reason: string): boolean {
  return conditionOf(object, "Ready")?.reason === reason;
}

function isNeverRepeated({ billable, unique }: Pick<Kind, "billable" | "unique">): boolean {
  return billable === true && unique !== "enforced";
}

/** Creates the object while the fault waits for its creation; resolves when the request has arrived. */
async function beginWithFault(stage: Stage, fault: Fault): Promise<Stage> {
  await stage.prepare();
  const { method, path } = await stage.creation();
  stage.world.simulator.control.faults.add({ ...fault, method, path, times: 1 });
  stage.world.simulator.control.clearLedger();
  await stage.create();
  const { faults } = stage.world.simulator.control;
  await eventually(() => expect(faults.list().at(-1)?.played).toBe(1));
  return stage;
}

/**
 * Takes the way out that the condition names if nothing proves who created a cloud object whose secret was lost: a person deletes the
 * cloud object. `but`: another object with the same name.
 */
async function decide(stage: Stage, but?: { id: string }): Promise<void> {
  if (!isShownOnce(stage)) return;
  const object = await stage.condition("Stalled", "CreateUncertain");
  const { message = "" } = conditionOf(object, "Stalled") ?? {};
  const [, id = ""] = /the owner of .* (\S+) is unknown/i.exec(message) ?? [];
  expect(id, message).not.toBe(but?.id);
  expect(stage.mutations({ method: "DELETE" })).toEqual([]);
  await vanish(stage, id);
  await stage.look();
}

/** The object has the result of the last creation. `sentAgain`: further creations; `deleted`: deletions by the operator. */
async function onlyOneWasMade(
  stage: Stage,
  { sentAgain = isShownOnce(stage) ? 1 : 0, deleted = 0 } = {},
): Promise<void> {
  await stage.look();
  const [only, ...others] = (await stage.creations()).toReversed();
  expect(others).toHaveLength(sentAgain);
  expect(stage.mutations({ method: "DELETE" })).toHaveLength(deleted);
  expect(only?.appliedAt).not.toBeNull();
  expect(await stage.row(await stage.id())).toBeDefined();
}

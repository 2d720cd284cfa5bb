import { describe, expect } from "vitest";
import { kindsOf } from "../../src/core/kind/reference.ts";
import type { ObjectReferenceTo } from "../../src/core/kind/reference.ts";
import { conditionOf } from "../support/world.ts";
import { makeChange } from "./support/change.ts";
import { contractTest } from "./support/contract-test.ts";
import { createSecrets, eventually, standing, stageOf } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";
import { everyExample, isSingle, neededSubject } from "./support/subjects.ts";
import type { Subject } from "./support/subjects.ts";

const timeout = { timeout: 60_000 };
const referring = firstOfEach(everyExample.filter(({ example }) => example.needs));
const contained = referring.filter((subject) => parentsOf(subject).length > 0);
const copied = referring.filter((subject) => sourcesOf(subject).length > 0);
const holding = referring.filter(
  (subject) => parentsOf(subject).length === 0 && !copied.includes(subject) && holds(subject),
);
const secretive = firstOfEach(everyExample.filter(({ example }) => example.secrets));

describe.concurrent("An object waits for what it refers to, says for what, and goes on when it is there", () => {
  contractTest.for(referring)("$title", timeout, async (subject, { world }) => {
    const stage = stageOf(world, subject);
    await stage.create();
    const object = await stage.condition("Reconciling", "WaitingForReference");
    expect(needsOf(subject).some((need) => conditionOf(object, "Ready")?.message.includes(need))).toBe(true);
    expect(object.status?.["id"]).toBeUndefined();
    expect(stage.mutations()).toEqual([]);
    await stage.prepare();
    await stage.ready();
  });

  contractTest.for(secretive)("$title, which needs Secrets", timeout, async (subject, { world }) => {
    const stage = stageOf(world, subject);
    await stageOf(world, { ...subject, example: { ...subject.example, secrets: {} } }).prepare();
    world.simulator.control.clearLedger();
    const [missing = "", ...others] = Object.keys(subject.example.secrets ?? {});
    const secrets = subject.example.secrets ?? {};
    await createSecrets(world, Object.fromEntries(others.map((name) => [name, secrets[name] ?? {}])));
    await stage.create();
    const object = await stage.condition("Reconciling", "WaitingForSecret");
    expect(conditionOf(object, "Ready")?.message).toContain(missing);
    expect(stage.mutations()).toEqual([]);
    await createSecrets(world, { [missing]: secrets[missing] ?? {} });
    await stage.ready();
  });
});

describe.concurrent("What is referred to is not deleted before those who refer to it", () => {
  contractTest.for(holding)("$title", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    const held = heldBy(stage);
    const id = await held.id();
    await held.remove();
    const object = await held.condition("Reconciling", "WaitingForDependents");
    expect(conditionOf(object, "Ready")?.message).toContain(`${subject.kind.kind} ${stage.name}`);
    expect(stage.mutations({ method: "DELETE" })).toEqual([]);
    expect(await held.row(id)).toBeDefined();
    await stage.remove();
    await stage.gone();
    await held.gone();
    expect(await held.row(id)).toBeUndefined();
  });
});

describe.concurrent("A source that was needed only to create is neither held nor missed once the object exists", () => {
  contractTest.for(copied)("$title", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    const source = heldBy(stage);
    const id = await stage.id();
    await source.remove();
    await source.gone();
    await world.restartOperator();
    await makeChange(stage);
    expect((await stage.ready()).status?.["id"]).toBe(id);
  });
});

describe.concurrent("What is contained goes with its parent, by one call", () => {
  contractTest.for(contained)("$title", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    const parent = heldBy(stage);
    const path = `/v4${(await parent.collection()).itemPath(await parent.id())}`;
    await parent.remove();
    await stage.remove();
    await stage.gone();
    await parent.gone();
    expect(stage.mutations({ method: "DELETE" }).map((entry) => entry.path)).toEqual([path]);
  });

  contractTest.for(contained.filter((subject) => !isSingle(subject)))(
    "$title, which follows a parent that was made anew",
    timeout,
    async (subject, { world }) => {
      const stage = await standing(stageOf(world, subject));
      const parent = heldBy(stage);
      const before = { own: await stage.id(), parent: await parent.id() };
      // What holds data is made anew only where that is asked for.
      const needs = (subject.example.needs ?? []).map((need) => stageOf(world, neededSubject(need), need.name));
      for (const one of [...needs, stage]) await one.patch({ spec: { management: { missingPolicy: "Recreate" } } });
      await world.stranger.send("DELETE", (await parent.collection()).itemPath(before.parent));
      await parent.until(({ status }) => status?.["id"] !== before.parent);
      await parent.ready();
      await eventually(async () => expect(await stage.id()).not.toBe(before.own));
      // Until its id is stored, the object says what it said of the former one.
      await eventually(async () => expect(await stage.row(await stage.id())).toBeDefined());
      await stage.ready();
    },
  );
});

/** One example of each kind is enough, or of each sort of thing that it needs. */
function firstOfEach(subjects: Subject[]): Subject[] {
  const sort = ({ kind, example }: Subject): string =>
    [kind.kind, ...(example.needs ?? []).map((need) => need.kind)].join();
  return [...Map.groupBy(subjects, sort).values()].flatMap(([first]) => first ?? []);
}

function needsOf({ example }: Subject): string[] {
  return (example.needs ?? []).map((need) => `${need.kind} ${need.name ?? need.example}`);
}

/** The object that the example needs first. */
function heldBy({ world, example }: Stage): Stage {
  const [need] = example.needs ?? [];
  if (!need) throw new Error(`${example.name} needs nothing`);
  return stageOf(world, neededSubject(need), need.name);
}

/** Kinds that contain this one. */
function parentsOf(subject: Subject): string[] {
  return referencesOf(subject).flatMap((one) => (one.contained === true ? kindsOf(one) : []));
}

/** Returns true if a reference delays the deletion of the referenced object. */
function holds(subject: Subject): boolean {
  return referencesOf(subject).some(
    (one) => one.holds !== false && [one.from(subject.example.spec) ?? []].flat().length > 0,
  );
}

/** Kinds that this one is made from. */
function sourcesOf(subject: Subject): string[] {
  return referencesOf(subject).flatMap((one) => (one.creationOnly === true ? kindsOf(one) : []));
}

/** The references to objects that the example has. */
function referencesOf({ kind, example }: Subject): ObjectReferenceTo<Record<string, unknown>>[] {
  return Object.values(kind.references ?? {})
    .filter((reference): reference is ObjectReferenceTo<Record<string, unknown>> => !("secret" in reference))
    .filter((reference) => reference.from(example.spec) !== undefined);
}

import { describe, expect } from "vitest";
import type { JsonObject } from "../../src/api/types.ts";
import { conditionOf } from "../support/world.ts";
import { contractTest, watchfulTest } from "./support/contract-test.ts";
import { isSentToChange, onlyHere } from "./support/exceptions.ts";
import { bringTo, pendingCalls } from "./support/pending.ts";
import { eventually, standing, stageOf } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";
import { everyExample, everyKindWithDrift, isDelivered, isHidden } from "./support/subjects.ts";

const changing = everyExample.filter(({ example }) => example.changes);

describe.concurrent("Each mutable field arrives in the cloud, and the status follows", () => {
  contractTest.for(changing)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    let spec = subject.example.spec;
    for (const [field, change] of Object.entries(subject.example.changes ?? {})) {
      const before = stage.mutations().length;
      spec = Object.assign({}, spec, change);
      const { metadata } = await stage.change(spec);
      const object = await stage.ready();
      expect(object.status?.["observedGeneration"]).toBe(metadata.generation);
      expect(await pendingCalls(stage, spec), `left to do for ${field}`).toEqual([]);
      const sent = stage.mutations().slice(before);
      expect(sent.every(({ appliedAt }) => appliedAt !== null)).toBe(true);
      if (onlyHere(subject.kind.kind, field)) expect(sent).toEqual([]);
      else expect(sent.length, `calls for ${field}`).toBeGreaterThan(0);
    }
    await stage.look();
    // What is not shown, or is written as a whole, is changed by creating it again.
    const again = isSentToChange(subject.kind.kind) || isHidden(subject) || isDelivered(subject);
    if (!again) expect(await stage.creations()).toHaveLength(1);
  });
});

describe.concurrent("What another client changed is set right where the spec says it, and left alone where not", () => {
  watchfulTest.for(changing)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    for (const [field, change] of Object.entries(subject.example.changes ?? {})) {
      if (onlyHere(subject.kind.kind, field)) continue;
      await bringTo(stage, { ...subject.example.spec, ...change });
      await eventually(async () => expect(await pendingCalls(stage), `drift of ${field}`).toEqual([]));
      await stage.ready();
    }
    await stage.look();
    const sent = stage.mutations().length;
    await stage.look();
    expect(stage.mutations()).toHaveLength(sent);
    const again = isSentToChange(subject.kind.kind) || isDelivered(subject);
    if (!again) expect(await stage.creations()).toHaveLength(1);
  });
});

describe.concurrent("With driftPolicy Report a difference is said and left, until the user changes the spec", () => {
  watchfulTest.for(everyKindWithDrift)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject), { driftPolicy: "Report" });
    const drift = await drifted(stage);
    const object = await stage.condition("Drifted", "Drifted");
    expect(conditionOf(object, "Ready")?.status).toBe("True");
    const sent = stage.mutations().length;
    await stage.look();
    expect(stage.mutations()).toHaveLength(sent);
    expect(await stage.row(await stage.id())).toMatchObject(drift);

    await stage.patch({ spec: { management: { driftPolicy: "Correct" } } });
    await stage.until((one) => conditionOf(one, "Drifted") === undefined);
    expect(await pendingCalls(stage)).toEqual([]);
  });
});

/** Another client changes one field that the spec says; answers the row as it is then, without what changes by itself. */
async function drifted(stage: Stage): Promise<JsonObject> {
  const { example, kind } = stage;
  for (const [field, change] of Object.entries(example.changes ?? {})) {
    if (onlyHere(kind.kind, field)) continue;
    await bringTo(stage, { ...example.spec, ...change });
    if ((await pendingCalls(stage)).length === 0) continue;
    const { updated: _, ...row } = (await stage.row(await stage.id())) ?? {};
    return row;
  }
  throw new Error(`no change of ${stage.title} is a difference to its spec: add one to its changes`);
}

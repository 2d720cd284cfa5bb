import { describe, expect } from "vitest";
import { conditionOf } from "../support/world.ts";
import { makeTheSame } from "./support/cloud.ts";
import { contractTest, secrets } from "./support/contract-test.ts";
import { eventually, standing, stageOf } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";
import { everyExample, everyKind, isShownOnce } from "./support/subjects.ts";

const timeout = { timeout: 60_000 };
const examples = everyExample.filter(isShownOnce);
const kinds = everyKind.filter(isShownOnce);

describe.concurrent("What only the response to the creation shows is in the Secret", () => {
  contractTest.for(examples)("$title, after its creation and after a rotation", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    await publishedIsRight(stage);
    const former = await stage.id();
    const { rotation = 0 } = subject.example.spec as { rotation?: number };
    await stage.patch({ spec: { rotation: rotation + 1, gracePeriodSeconds: 0 } });
    await eventually(async () => expect(await stage.row(former)).toBeUndefined());
    await stage.ready();
    await publishedIsRight(stage);
    const sent = stage.mutations().map(({ method }) => method);
    expect(sent.slice(-3)).toEqual(["POST", "POST", "DELETE"]);
    await stage.remove();
    await stage.gone();
    expect(await stage.rows()).toEqual([]);
  });

  contractTest.for(kinds)("$title, while the replaced one stays valid", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    const former = await stage.id();
    await stage.patch({ spec: { rotation: 9, gracePeriodSeconds: 6 } });
    await eventually(async () => expect(await stage.id()).not.toBe(former));
    await publishedIsRight(stage);
    expect(await stage.row(former)).toBeDefined();
    await world.restartOperator();
    await eventually(async () => expect(await stage.row(former)).toBeUndefined());
    await stage.ready();
    await publishedIsRight(stage);
  });

  contractTest.for(kinds)("$title, after its Secret was deleted", timeout, async (subject, { world }) => {
    const stage = await standing(stageOf(world, subject));
    const former = await stage.id();
    await world.kube.delete(secrets, { namespace: world.namespace, name: await secretName(stage) });
    await eventually(async () => expect(await stage.id()).not.toBe(former));
    await stage.ready();
    expect(await stage.row(former)).toBeUndefined();
    await publishedIsRight(stage);
  });

  contractTest.for(kinds)("$title, adopted: only after a rotation", timeout, async (subject, { world }) => {
    const stage = stageOf(world, subject);
    await stage.prepare();
    const id = await makeTheSame(stage);
    await stage.create({ management: { adopt: { id } } });
    const object = await stage.condition("Unpublished", "SecretUnknown");
    expect(conditionOf(object, "Ready")?.status).toBe("True");
    expect(await published(stage)).toBeUndefined();
    await stage.patch({ spec: { rotation: 7, gracePeriodSeconds: 0 } });
    await eventually(async () => expect(await stage.row(id)).toBeUndefined());
    expect(conditionOf(await stage.ready(), "Unpublished")).toBeUndefined();
    await publishedIsRight(stage);
  });
});

async function secretName(stage: Stage): Promise<string> {
  return stage.kind.secret?.name(await stage.wanted()) ?? "";
}

async function published(stage: Stage): Promise<Record<string, string> | undefined> {
  const { namespace, kube } = stage.world;
  const found = await kube.get(secrets, { namespace, name: await secretName(stage) });
  return (found as { data?: Record<string, string> } | undefined)?.data;
}

/** The Secret has what the response to the last creation showed, and the row is there. */
async function publishedIsRight(stage: Stage): Promise<void> {
  const made = (await stage.creations({ applied: true })).at(-1);
  const row = await stage.row(await stage.id());
  const shown = Object.entries(stage.kind.secret?.ofCreation ?? {});
  const data = (await published(stage)) ?? {};
  const values = shown.map(([name, field]) => [field, Buffer.from(data[name] ?? "", "base64").toString()]);
  expect(made?.appliedAt).not.toBeNull();
  expect(values.every(([, value]) => value !== "" && value !== "[REDACTED]")).toBe(true);
  expect(Object.fromEntries(values)).toMatchObject({ access_key: row?.["access_key"] });
}

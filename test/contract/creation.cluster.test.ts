import { statusOf } from "../../src/core/kind/object.ts";
import { describe, expect } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { finalizer } from "../../src/core/kind/resource.ts";
import { must } from "../../tools/demo/install.ts";
import { conditionOf } from "../support/world.ts";
import { contractTest } from "./support/contract-test.ts";
import { idle, stageOf } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";
import { pendingCalls, readiness } from "./support/pending.ts";
import { everyExample, isShownOnce } from "./support/subjects.ts";
import type { Subject } from "./support/subjects.ts";
import { countWrites, expectUnwritten } from "./support/writes.ts";

describe.concurrent("An object is created with the fewest calls and writes, and deleted with them", () => {
  contractTest.for(everyExample)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = stageOf(world, subject);
    await stage.prepare();
    // From here on the cloud works on nothing until time is moved: what is asynchronous is seen in transition.
    world.simulator.control.clock.setScale(1);
    world.simulator.control.clearLedger();

    const writes = countWrites(stage);
    await applyByKubectl(stage);
    const later = appearsLater(subject);
    const seen = await stage.until(({ status }) => (later ? isAccepted(status) : status?.["id"] !== undefined));
    // The row of a cloned instance does not show that its disks are still copied.
    const asynchronous = later || !(await readiness(stage)).ready || isCopied(subject);
    expect(conditionOf(seen, "Ready")?.status).toBe(asynchronous ? "False" : "True");
    expect(conditionOf(seen, "Reconciling")?.status).toBe(asynchronous ? "True" : undefined);
    world.simulator.control.clock.setScale(600);
    world.simulator.control.clock.advance(2 * 3_600_000);
    const object = await stage.ready();

    await stageIsAsSpecified(stage);
    expect(object.metadata.finalizers).toEqual([finalizer]);
    const written = await writes();
    // Of what is shown once the journal entry names the id: nothing else would prove it to a restored object.
    expect(written.object).toHaveLength(asynchronous || isShownOnce(subject) ? 3 : 2);
    expect(written.secrets).toHaveLength(ownSecrets(stage));
    await exactlyOneCallMade(stage);

    await nothingIsWrittenWhenNothingChanged(stage);
    await itIsDeletedWithOneWrite(stage);
  });
});

function isCopied({ kind, example }: Subject): boolean {
  return kind.kind === "ComputeInstance" && Object.hasOwn(example.spec["source"] ?? {}, "clone");
}

/** Its row is listed when all is done. */
function appearsLater({ kind }: Subject): boolean {
  return kind.kind === "DatabaseBackup";
}

function isAccepted(status: KubeObject["status"]): boolean {
  return JSON.stringify(status?.["conditions"] ?? "").includes("was accepted");
}

async function applyByKubectl({ world, kind, name, example }: Stage): Promise<void> {
  const input = JSON.stringify(world.object(kind.kind, name, example.spec));
  await must(world.cluster.kubectl, ["apply", "-n", world.namespace, "-f", "-"], input);
}

async function stageIsAsSpecified(stage: Stage): Promise<void> {
  expect(await pendingCalls(stage)).toEqual([]);
  expect(statusOf(await stage.object()).conditions?.map(({ type }) => type)).toEqual(["Ready"]);
  expect(await stage.row(await stage.id())).toBeDefined();
}

/** A generated password, or published connection data. */
function ownSecrets({ kind, example, name }: Stage): number {
  const generated = Object.values(kind.references ?? {}).filter(
    (reference) => "secret" in reference && !reference.secret(example.spec) && reference.generate?.(example.spec, name),
  );
  const { secret } = kind;
  return generated.length + (secret && (secret.when?.({ spec: example.spec }) ?? true) ? 1 : 0);
}

/** One POST that creates, and at most one call for each step that concerns something of its own, each once. */
async function exactlyOneCallMade(stage: Stage): Promise<void> {
  const calls = stage.mutations();
  const [creation, ...others] = calls;
  expect(await stage.creations()).toEqual([creation]);
  expect(calls.every(({ appliedAt }) => appliedAt !== null)).toBe(true);
  const targets = others.map(({ method, path, body }) => `${method} ${path} ${fieldsOf(body)}`);
  expect(targets).toEqual([...new Set(targets)]);
  expect(others.length).toBeLessThanOrEqual(Object.keys(stage.kind.steps ?? {}).length + 1);
}

function fieldsOf(body: string): string {
  return body === "" ? "" : Object.keys(JSON.parse(body) as object).join();
}

async function nothingIsWrittenWhenNothingChanged(stage: Stage): Promise<void> {
  const { world, kind, name } = stage;
  world.simulator.control.clearLedger();
  const before = await stage.object();
  const writes = countWrites(stage);
  const key = `${kind.kind}/${world.namespace}/${name}`;
  const looks = world.looks(key);
  await world.restartOperator();
  await stage.until(() => world.looks(key) > looks);
  await world.cluster.kubectl(["label", ofOurs(kind), name, "-n", world.namespace, "test/look=again"]);
  await stage.until(() => world.looks(key) > looks + 1);
  await idle(world);
  await expectUnwritten(stage, before, writes);
  expect(stage.mutations()).toEqual([]);
}

async function itIsDeletedWithOneWrite(stage: Stage): Promise<void> {
  const { world, kind, name } = stage;
  const id = await stage.id();
  const writes = countWrites(stage);
  await world.cluster.kubectl(["delete", ofOurs(kind), name, "-n", world.namespace, "--wait=false"]);
  await stage.gone();
  expect((await writes()).object).toEqual([`patch ${kind.plural}`]);
  const stays = kind.stays !== undefined;
  expect(stays).toBe((await stage.row(id)) !== undefined);
  expect(stage.mutations({ method: "DELETE" })).toHaveLength(stays ? 0 : 1);
}

/** Kubernetes has kinds of the same name, such as IPAddress of networking.k8s.io. */
function ofOurs({ plural }: Stage["kind"]): string {
  return `${plural}.cloudplatform.dev`;
}

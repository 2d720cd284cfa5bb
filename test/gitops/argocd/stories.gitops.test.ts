/** Argo CD's own engine applies, compares and prunes our objects; `make gitops` builds it and runs this. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ensureGoTool } from "../../../tools/go-tool/ensure.ts";
import { contractTest } from "../../contract/support/contract-test.ts";
import { ground } from "../../contract/support/ground.ts";
import { stageOf } from "../../contract/support/stage.ts";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";
import { mayStall, refusedSpec, repositoryOf, samples, startMs, subjectsFor } from "../manifests.ts";
import type { Manifest } from "../manifests.ts";
import { verdictsOn } from "../verdicts.ts";
import { left, liveOf, ours, writtenBy } from "../written.ts";
import { startEngine } from "./engine.ts";
import type { Engine } from "./engine.ts";

let engine: Engine;
beforeAll(async () => {
  await ensureGoTool("gitops-health");
  engine = await startEngine(sharedControlPlane());
}, startMs);
afterAll(() => engine.stop());

const timeout = 240_000;

describe.concurrent("Argo CD runs an object of", () => {
  contractTest.for(subjectsFor(process.env["GITOPS_KINDS"]))("$title", { timeout }, async (subject, { world }) => {
    const { before, own } = repositoryOf(subject, world.namespace);
    const all = [...before, own];
    await sync(world, before);
    await healthy(world, before);
    await ground(stageOf(world, subject));
    if (mayStall(subject.kind.kind)) {
      const { faults } = world.simulator.control;
      for (const method of ["POST", "PUT", "DELETE"])
        faults.add({ kind: "status", status: 400, reason: "must not be like this", field: "label", method });
      await sync(world, all);
      await allAre("Degraded", world, [own]);
      await sync(world, before);
      // An object that is being deleted does not come back with the next sync.
      await world.gone(own.kind, own.metadata.name, 60_000);
      faults.clear();
    }
    await sync(world, all);
    await healthy(world, all);
    await nothingRewritten(world, all);

    const wrong = refusedSpec(own.kind);
    const refused = { ...own, metadata: { ...own.metadata, name: "wrong" }, spec: wrong.spec };
    const { results } = await engine.sync(world.namespace, [...all, refused]);
    expect(results.find(({ name }) => name === "wrong")).toMatchObject({
      status: "SyncFailed",
      message: expect.stringContaining(wrong.says) as string,
    });

    await sync(world, before);
    expect(await left(world, [own])).toEqual([]);
    await sync(world, []);
    expect(await left(world, all)).toEqual([]);
  });
});

test("Argo CD runs the samples", { timeout }, async () => {
  const world = await startWorld(sharedControlPlane(), { account: false, simulator: { token: samples.token } });
  try {
    const all = samples.objects(world.namespace);
    await sync(world, all);
    await healthy(world, all);
    await nothingRewritten(world, all);
    await sync(world, []);
    expect(await left(world, all)).toEqual([]);
  } finally {
    await world.stop();
  }
});

/** Field manager of the engine: the name of our program. */
const manager = "gitops-engine";

const waiting = { timeout: 90_000, interval: 500 };

/** Syncs until the cluster equals Git: the engine sees its own change with a delay. */
async function sync(world: World, objects: Manifest[]): Promise<void> {
  await vi.waitFor(async () => {
    const { error, results } = await engine.sync(world.namespace, objects);
    expect(error).toBeUndefined();
    expect(results.filter(({ status }) => !["Synced", "Pruned"].includes(status))).toEqual([]);
    expect(await engine.outOfSync(world.namespace, objects)).toEqual([]);
  }, waiting);
}

/** Healthy by our script, and Synced. */
async function healthy(world: World, objects: Manifest[]): Promise<void> {
  await allAre("Healthy", world, objects);
  expect(await engine.outOfSync(world.namespace, objects)).toEqual([]);
}

/** Waits until each object has this health; an error shows the status of the objects. */
async function allAre(health: string, world: World, objects: Manifest[]): Promise<void> {
  await vi.waitFor(async () => {
    const live = await Promise.all(ours(objects).map((one) => liveOf(world, one)));
    const verdicts = (await verdictsOn(live)).map(({ argo }) => argo.status);
    const shown = JSON.stringify(live.map((one) => one?.status ?? null));
    expect(verdicts, shown).toEqual(live.map(() => health));
  }, waiting);
}

async function nothingRewritten(world: World, all: Manifest[]): Promise<void> {
  const before = await writtenBy(manager, world, all);
  for (let times = 0; times < 3; times += 1) await sync(world, all);
  expect(await writtenBy(manager, world, all)).toEqual(before);
}

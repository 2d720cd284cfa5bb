/** Flux's own kustomize-controller applies, watches and prunes our objects; `make gitops` builds it and runs this. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { contractTest } from "../../contract/support/contract-test.ts";
import { ground } from "../../contract/support/ground.ts";
import { stageOf } from "../../contract/support/stage.ts";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";
import { left, writtenBy } from "../written.ts";
import { startFlux } from "./controller.ts";
import type { Flux } from "./controller.ts";
import { startKustomization } from "./kustomization.ts";
import type { Kustomization, Verdict } from "./kustomization.ts";
import { mayStall, refusedSpec, repositoryOf, samples, startMs, subjectsFor } from "../manifests.ts";
import type { Manifest } from "../manifests.ts";

let flux: Flux;
beforeAll(async () => {
  flux = await startFlux(sharedControlPlane());
}, startMs);
afterAll(() => flux.stop());

const timeout = 300_000;

describe.concurrent("Flux runs an object of", () => {
  contractTest.for(subjectsFor(process.env["GITOPS_KINDS"]))("$title", { timeout }, async (subject, { world }) => {
    const { before, own } = repositoryOf(subject, world.namespace);
    const shop = await startKustomization(flux, world);
    const say = (story: string, verdict: Verdict): void => tell(subject.title, story, verdict);
    const all = [...before, own];

    const isApplied = async (verdict: Verdict): Promise<void> => {
      const shown = JSON.stringify((await world.get(own.kind, own.metadata.name))?.status);
      expect(verdict.ready, shown).toMatchObject(applied);
    };

    if (before.length > 0) await isApplied(await shop.push(before));
    await ground(stageOf(world, subject));
    if (mayStall(subject.kind.kind)) {
      const { faults } = world.simulator.control;
      for (const method of ["POST", "PUT", "DELETE"])
        faults.add({ kind: "status", status: 400, reason: "must not be like this", field: "label", method });
      const stalled = await shop.push(all);
      expect(stalled).toMatchObject({ ready: { reason: "HealthCheckFailed", message: failed(own) } });
      expect(stalled.seconds).toBeLessThan(60);
      say("a stalled object fails at once", stalled);
      // What the operator tries again meanwhile is refused as well, so that nothing was made when the object goes.
      await isApplied(await shop.push(before));
      await world.gone(own.kind, own.metadata.name, 60_000);
      faults.clear();
    }
    const ready = await shop.push(all);
    await isApplied(ready);
    await world.ready(own.kind, own.metadata.name, 0);
    say("Ready with its health", ready);
    await nothingRewritten(shop, world, all);

    const wrong = refusedSpec(own.kind);
    const no = await shop.push([...all, { ...own, metadata: { ...own.metadata, name: "wrong" }, spec: wrong.spec }]);
    expect(no.ready).toMatchObject({ status: "False", message: expect.stringContaining(wrong.says) as string });
    say("a refused one names the field", no);

    say("pruned", await shop.push(before));
    await world.gone(own.kind, own.metadata.name, 60_000);
    // Whether it gets ready again is the kind's affair: nobody leaves a beta program, and an action finds what is done.
    await shop.push(all);
    await shop.remove();
    for (const { kind, metadata } of all) if (kind !== "Secret") await world.gone(kind, metadata.name, 60_000);
  });
});

test("Flux runs the samples", { timeout }, async () => {
  const world = await startWorld(sharedControlPlane(), { account: false, simulator: { token: samples.token } });
  try {
    const all = samples.objects(world.namespace);
    const shop = await startKustomization(flux, world);
    const ready = await shop.push(all);
    expect(ready.ready).toMatchObject(applied);
    tell("the samples", "Ready with their health", ready);
    await nothingRewritten(shop, world, all);
    await shop.remove();
    await vi.waitFor(async () => expect(await left(world, all)).toEqual([]), { timeout: 60_000, interval: 500 });
  } finally {
    await world.stop();
  }
});

const applied = { status: "True", reason: "ReconciliationSucceeded" };

const failed = ({ kind, metadata: { namespace, name } }: Manifest): string =>
  expect.stringContaining(`${kind}/${namespace}/${name} status: 'Failed'`) as string;

async function nothingRewritten(shop: Kustomization, world: World, all: Manifest[]): Promise<void> {
  const before = await writtenBy("kustomize-controller", world, all);
  for (let times = 0; times < 3; times += 1) expect((await shop.reconcile()).ready).toMatchObject(applied);
  expect(await writtenBy("kustomize-controller", world, all)).toEqual(before);
}

function tell(what: string, story: string, { ready, seconds }: Verdict): void {
  process.stdout.write(`${what}: ${story} (${seconds} s)\n  ${ready.reason}: ${ready.message}\n`);
}

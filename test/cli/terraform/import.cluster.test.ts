/** The manifests of an import change nothing in the cloud, with the policy Observe and with the policy Manage. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../../src/cluster/types.ts";
import { must } from "../../../tools/demo/install.ts";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";
import { accountFlags, folderOfTest, runCli } from "../run.ts";
import { brandWord, recordedState, rename, replay } from "./recording.ts";

const cluster = sharedControlPlane();

let world: World;
beforeEach(async () => {
  world = await startWorld(cluster, { simulator: { brandWord }, operator: { brandWord } });
  await replay(world.simulator);
  await rename(world.simulator);
});
afterEach(() => world.stop());

/** Imports the recorded state, applies the manifests, and waits until every object is Ready. */
async function applied(...more: string[]): Promise<KubeObject[]> {
  const folder = join(folderOfTest(), "manifests");
  const flags = [...accountFlags(world.simulator), "--brand-word", brandWord, "--folder", folder, ...more];
  const { code } = await runCli(["import", "terraform", recordedState, ...flags]);
  expect(code).toBe(0);
  await must(cluster.kubectl, ["apply", "-k", folder, "-n", world.namespace]);
  const { resources } = parse(readFileSync(join(folder, "kustomization.yaml"), "utf8")) as { resources: string[] };
  const objects = resources.map((path) => parse(readFileSync(join(folder, path), "utf8")) as KubeObject);
  return Promise.all(objects.map(({ kind, metadata: { name } }) => world.ready(kind, name, 120_000)));
}

/** Returns the differing fields of the objects. */
function driftOf(objects: KubeObject[]): string[] {
  return objects.flatMap((object) => {
    const drifted = conditionOf(object, "Drifted");
    return drifted?.status === "True" ? [`${object.kind} ${object.metadata.name}: ${drifted.message}`] : [];
  });
}

function reasonsOf(objects: KubeObject[]): Set<string | undefined> {
  return new Set(objects.map((object) => conditionOf(object, "Ready")?.reason));
}

test(
  "imported objects are Observed without drift and then Ready, and the operator sends no mutating request",
  { timeout: 300_000 },
  async () => {
    const before = world.simulator.control.ledger().at(-1)?.id ?? 0;
    const mutating = () =>
      world.simulator.control
        .ledger({ sinceId: before, mutating: true })
        .map(({ method, path, body }) => `${method} ${path} ${body}`);
    const observed = await applied();
    expect(observed).toHaveLength(32);
    expect(driftOf(observed)).toEqual([]);
    expect(reasonsOf(observed)).toEqual(new Set(["Observed"]));
    expect(mutating()).toEqual([]);
    const managed = await applied("--manage");
    expect(driftOf(managed)).toEqual([]);
    expect(reasonsOf(managed)).not.toContain("Observed");
    expect(mutating()).toEqual([]);
  },
);

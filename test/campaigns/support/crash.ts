import { retryCreateAnnotation } from "../../../src/core/kind/annotations.ts";
import { expect } from "vitest";
import type { KubeObject } from "../../../src/cluster/types.ts";
import { statedEntryIn } from "../../../src/core/model/journal.ts";
import type { ControlPlane } from "../../support/control-plane.ts";
import { conditionOf } from "../../support/world.ts";
import type { World } from "../../support/world.ts";
import { createAll, instances, isReady, listed, pause, resourceNamed, sshKeys, untilAll, untilTrue } from "./fleet.ts";
import { expectOneEach, expectSilence } from "./judge.ts";
import { operatorArgs } from "./processes.ts";
import type { OperatorProcess, Processes } from "./processes.ts";
import type { Chance } from "./random.ts";

export interface Crash {
  cluster: ControlPlane;
  world: World;
  processes: Processes;
  chance: Chance;
  /** How many of the fifty are instances; the operator's own guess of the limit lets ten through in half a minute. */
  machines: number;
  /** What else happens at a random moment, beside the operator's end. */
  meanwhile?: () => Promise<void>;
}

const all = 50;

/** Fifty creations, the operator killed `kills` times among them at random moments; returns the last operator. */
export async function createThroughCrashes(crash: Crash, kills: number): Promise<OperatorProcess> {
  const { cluster, world, processes, chance, machines } = crash;
  const args = operatorArgs({
    kubeconfigPath: cluster.kubeconfigPath,
    cloud: world.simulator.url,
    namespace: world.namespace,
    more: ["--leader-election", "off"],
  });
  await createAll(world, [...sshKeys(world, all - machines), ...instances(world, machines)]);
  const moments = Array.from({ length: kills }, () => chance.between(0, all - 2)).toSorted((a, b) => a - b);
  let operator = await processes.operator(args);
  for (const moment of moments) {
    await untilCreated(crash, moment);
    await pause(chance.between(0, 60));
    await Promise.all([operator.kill(), crash.meanwhile?.()]);
    operator = await processes.operator(args);
  }
  return operator;
}

/** All fifty settle; then there are exactly fifty in the cloud, none was made twice, and nobody moves any more. */
export async function judgeCrash(crash: Crash): Promise<void> {
  const { cluster, world, chance, machines } = crash;
  const what = `seed ${chance.seed}`;
  await untilCreated(crash, all);
  const keys = await untilAll(world, "SSHKey", all - machines, isReady, 60_000);
  const made = await untilAll(world, "ComputeInstance", machines, isReady, 60_000);
  expectOneEach(world, "sshkey", "/v4/profile/sshkeys", keys, what);
  expectOneEach(world, "instance", "/v4/compute/instances", made, what);
  await expectSilence(cluster, world, 2_500);
}

async function untilCreated({ world, chance }: Crash, count: number): Promise<void> {
  const enough = (): Promise<boolean> => allowUncertain(world).then(() => created(world) >= count);
  try {
    await untilTrue(`${count} creations`, enough, 45_000, 5);
  } catch (error) {
    const objects = [...(await listed(world, "SSHKey")), ...(await listed(world, "ComputeInstance"))];
    const left = objects.filter((object) => !isReady(object)).map(({ metadata, status }) => ({ metadata, status }));
    throw new Error(`seed ${chance.seed}, ${created(world)} are there: ${JSON.stringify(left)}`, { cause: error });
  }
}

function created({ simulator }: World): number {
  return simulator.control.rows("sshkey").length + simulator.control.rows("instance").length;
}

/**
 * A billable creation whose outcome is unknown waits for a person: who looks into the cloud, sees that nothing is
 * there, and allows another attempt. That it really is not there is part of the verdict.
 */
async function allowUncertain(world: World): Promise<void> {
  const path = `/apis/cloudplatform.dev/v1alpha1/namespaces/${world.namespace}/computeinstances`;
  const { items } = (await world.kube.raw(path).catch(() => ({ items: [] }))) as { items: KubeObject[] };
  for (const object of items) {
    const stalled = conditionOf(object, "Stalled");
    if (stalled?.status !== "True" || stalled.reason !== "CreateUncertain") continue;
    const { name, namespace = "" } = object.metadata;
    const attempt = /retry-create=(\w+)/.exec(stalled.message)?.[1];
    // Allowed already, or another attempt is under way whose status is not written yet.
    if (object.metadata.annotations?.[retryCreateAnnotation] === attempt || statedEntryIn(object)?.attempt !== attempt)
      continue;
    const rows = world.simulator.control.rows("instance").map(({ label }) => label);
    expect(rows, "what is said not to be there").not.toContain(name);
    const annotations = { [retryCreateAnnotation]: attempt };
    await world.kube.patch(resourceNamed("ComputeInstance"), { namespace, name }, { metadata: { annotations } });
  }
}

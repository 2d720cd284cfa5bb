/** A simulated account in which examples stand as if an operator had made them: by the requests of their kinds. */
import { onTestFinished } from "vitest";
import type { JsonObject } from "../../src/api/types.ts";
import type { KubeObject } from "../../src/cluster/types.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { makeTheSame } from "../contract/support/cloud.ts";
import type { ContractWorld } from "../contract/support/contract-test.ts";
import { furnish } from "../contract/support/furnish.ts";
import { ground } from "../contract/support/ground.ts";
import { bringTo, untilAtRest } from "../contract/support/pending.ts";
import { stageOf } from "../contract/support/stage.ts";
import type { Stage } from "../contract/support/stage.ts";
import { createStranger } from "../contract/support/stranger.ts";
import { neededSubject } from "../contract/support/subjects.ts";
import type { Subject } from "../contract/support/subjects.ts";
import { nothingKnown } from "../contract/support/wanted.ts";

/** A world without a cluster: objects are what `stand` has put there. */
export async function accountOfExamples(): Promise<ContractWorld> {
  const simulator = await startSimulator({ timeScale: 20_000 });
  onTestFinished(() => simulator.close());
  await furnish(simulator);
  const objects = new Map<string, KubeObject>();
  const get = (kind: string, name: string) => Promise.resolve(objects.get(`${kind}/${name}`));
  const put = (object: KubeObject) => objects.set(`${object.kind}/${object.metadata.name}`, object);
  const world = { namespace: "default", simulator, stranger: createStranger(simulator), get, ready: get, put };
  return world as unknown as ContractWorld;
}

/** Makes what the example needs, and the example itself; answers its stage. */
export async function stand(world: ContractWorld, subject: Subject, name = subject.example.name): Promise<Stage> {
  const { kind, example } = subject;
  const stage = stageOf(world, subject, name);
  if (await world.get(kind.kind, name)) return stage;
  for (const need of example.needs ?? []) await stand(world, neededSubject(need), need.name);
  await ground(stage);
  const { spec } = example;
  const at = { kind: kind.kind, metadata: { name, namespace: world.namespace }, spec };
  const put = (status: object) => (world as unknown as { put: (object: object) => void }).put({ ...at, status });
  put({});
  const id = kind.shape === "owned" ? await makeTheSame(stage) : await whichRow(stage);
  put({ id });
  if (kind.shape === "owned") await untilAtRest(stage, id);
  await bringTo(stage, spec);
  put({ id, ...(await reportOf(stage, id)) });
  return stage;
}

/** The id of the row that a setting is about. */
async function whichRow(stage: Stage): Promise<string> {
  const { idOf, project, shownAt } = await stage.collection();
  const { stranger } = stage.world;
  const rows = shownAt === undefined ? await stage.rows() : [(await stranger.get(shownAt)) as JsonObject];
  const wires = rows.map(project);
  return stage.kind.which?.(await stage.wanted()) ?? idOf(wires[0] ?? {});
}

async function reportOf(stage: Stage, id: string): Promise<object> {
  const { kind } = stage;
  const wire = kind.wire.parse(await stage.row(id)) as JsonObject;
  const list = (await stage.collection()).path;
  const live = { ...(await stage.wanted()), id, wire, list, applied: undefined, digest: String, ...nothingKnown };
  return kind.report(live, {});
}

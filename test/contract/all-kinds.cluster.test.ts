import { expect, onTestFinished, test } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startContractWorld } from "./support/contract-test.ts";
import type { ContractWorld } from "./support/contract-test.ts";
import { ground } from "./support/ground.ts";
import { stageOf } from "./support/stage.ts";
import { neededSubject, plainestOfAll } from "./support/subjects.ts";
import type { Subject } from "./support/subjects.ts";

const readyWithinMs = 60_000;

/** As in production. */
const intervals = {
  sweepMs: 60_000,
  fastSweepMs: 3_000,
  feedMs: 10_000,
  settle: { freeMs: 30_000, billableMs: 600_000 },
};

test("one object of each kind, applied all at once, is ready within a minute", { timeout: 180_000 }, async () => {
  const world = await startContractWorld(sharedControlPlane(), {
    operator: intervals,
    simulator: { timeScale: 600 },
  });
  onTestFinished(() => world.stop());
  // It removes every bucket of the account.
  const subjects = plainestOfAll.filter(({ kind }) => kind.kind !== "AccountAction");
  expect(subjects.length).toBeGreaterThan(30);
  const objects = withNeeds(world, subjects);
  // Examples name addresses that the first two instances of an account get.
  const isFirst = ({ metadata }: KubeObject): boolean => ["empty", "spare"].includes(metadata.name);
  await Promise.all(objects.filter(isFirst).map((object) => world.apply(object)));
  const [named, others] = partition(subjects, ({ kind }) => ["IPAssignment", "IPSharing"].includes(kind.kind));
  for (const subject of named) await ground(stageOf(world, subject));
  await Promise.all(objects.filter((object) => !isFirst(object)).map((object) => world.apply(object)));
  const grounds = others.map((subject) => ground(stageOf(world, subject)));
  const ready = subjects.map(({ kind, example }) => world.ready(kind.kind, example.name, readyWithinMs));
  await Promise.all([...grounds, ...ready]);
});

/** The objects of these examples, what they need, and their Secrets and ConfigMaps: each once. */
function withNeeds(world: ContractWorld, subjects: Subject[]): KubeObject[] {
  const all = new Map<string, object>();
  const add = ({ kind, example }: Subject, name = example.name): void => {
    for (const need of example.needs ?? []) add(neededSubject(need), need.name);
    for (const [one, stringData] of Object.entries(example.secrets ?? {}))
      all.set(`Secret/${one}`, { apiVersion: "v1", kind: "Secret", metadata: { name: one }, stringData });
    for (const [one, data] of Object.entries(example.configMaps ?? {}))
      all.set(`ConfigMap/${one}`, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: one }, data });
    all.set(`${kind.kind}/${name}`, world.object(kind.kind, name, example.spec));
  };
  for (const subject of subjects) add(subject);
  return [...all.values()] as KubeObject[];
}

function partition<T>(all: T[], fits: (one: T) => boolean): [fitting: T[], others: T[]] {
  return [all.filter(fits), all.filter((one) => !fits(one))];
}

/** One object of each kind at once, with all that its example needs. */
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { ContractWorld } from "./contract-test.ts";
import { ground } from "./ground.ts";
import { stageOf } from "./stage.ts";
import { neededSubject, plainestOfAll } from "./subjects.ts";
import type { Subject } from "./subjects.ts";

/** All but AccountAction, whose example removes every bucket of the account. */
export const everything = plainestOfAll.filter(({ kind }) => kind.kind !== "AccountAction");

/** Applies all of them and what they need; resolves when each is ready. Throws what one of them says instead when its time is over. */
export async function applyEverything(world: ContractWorld, readyWithinMs: number): Promise<void> {
  const objects = withNeeds(world);
  // Examples name addresses that the first two instances of an account get.
  const isFirst = ({ metadata }: KubeObject): boolean => ["empty", "spare"].includes(metadata.name);
  await Promise.all(objects.filter(isFirst).map((object) => world.apply(object)));
  const [named, others] = partition(everything, ({ kind }) => ["IPAssignment", "IPSharing"].includes(kind.kind));
  for (const subject of named) await ground(stageOf(world, subject));
  await Promise.all(objects.filter((object) => !isFirst(object)).map((object) => world.apply(object)));
  const grounds = others.map((subject) => ground(stageOf(world, subject)));
  await Promise.all([...grounds, allReady(world, readyWithinMs)]);
}

export async function allReady(world: ContractWorld, readyWithinMs: number): Promise<void> {
  const own = withNeeds(world).filter(({ kind }) => kind !== "Secret" && kind !== "ConfigMap");
  await Promise.all(own.map(({ kind, metadata }) => world.ready(kind, metadata.name, readyWithinMs)));
}

/** The objects of these examples, what they need, and their Secrets and ConfigMaps: each once. */
function withNeeds(world: ContractWorld): KubeObject[] {
  const all = new Map<string, object>();
  const add = ({ kind, example }: Subject, name = example.name): void => {
    for (const need of example.needs ?? []) add(neededSubject(need), need.name);
    for (const [one, stringData] of Object.entries(example.secrets ?? {}))
      all.set(`Secret/${one}`, { apiVersion: "v1", kind: "Secret", metadata: { name: one }, stringData });
    for (const [one, data] of Object.entries(example.configMaps ?? {}))
      all.set(`ConfigMap/${one}`, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: one }, data });
    all.set(`${kind.kind}/${name}`, world.object(kind.kind, name, example.spec));
  };
  for (const subject of everything) add(subject);
  return [...all.values()] as KubeObject[];
}

function partition<T>(all: T[], fits: (one: T) => boolean): [fitting: T[], others: T[]] {
  return [all.filter(fits), all.filter((one) => !fits(one))];
}

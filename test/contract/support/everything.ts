/** One object of each kind at once, with all that its example needs. */
import type { KubeObject } from "../../../src/cluster/types.ts";
import { manifestsOf } from "../../../src/generate/example-manifests.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import type { ContractWorld } from "./contract-test.ts";
import { ground } from "./ground.ts";
import { stageOf } from "./stage.ts";
import { firstOfAll } from "./subjects.ts";

/** All but AccountAction, whose example removes every bucket of the account. */
export const everything = firstOfAll.filter(({ kind }) => kind.kind !== "AccountAction");

/** Applies all of them and what they need; resolves when each is ready. Throws what one of them says instead when its time is over. */
export async function applyEverything(world: ContractWorld, readyWithinMs: number): Promise<void> {
  const objects = withNeeds();
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
  const own = withNeeds().filter(({ kind }) => kind !== "Secret" && kind !== "ConfigMap");
  await Promise.all(own.map(({ kind, metadata }) => world.ready(kind, metadata.name, readyWithinMs)));
}

/** Returns the objects of these examples and what they need, each once. */
function withNeeds(): KubeObject[] {
  const examples = everything.map(({ kind, example }) => ({ kind, example, name: example.name }));
  return manifestsOf(kinds, examples) as KubeObject[];
}

function partition<T>(all: T[], fits: (one: T) => boolean): [fitting: T[], others: T[]] {
  return [all.filter(fits), all.filter((one) => !fits(one))];
}

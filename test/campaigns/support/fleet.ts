import type { KubeObject } from "../../../src/cluster/types.ts";
import { resourceOf } from "../../../src/core/kind/resource.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { conditionOf } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh";

/** So many SSHKeys, `prefix-0` and on; each has a key text of its own. */
export function sshKeys(world: World, count: number, prefix = "key"): object[] {
  return names(count, prefix).map((name) => world.object("SSHKey", name, { sshKey: `${publicKey} ${name}` }));
}

/** So many of the simplest instances. */
export function instances(world: World, count: number, prefix = "vm"): object[] {
  const spec = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };
  return names(count, prefix).map((name) => world.object("ComputeInstance", name, spec));
}

export function names(count: number, prefix: string): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

/** Creates objects, a few at a time, as fast as the API server takes them. */
export async function createAll(world: World, objects: object[], parallel = 24): Promise<void> {
  await inParallel(objects, parallel, async (object) => {
    const { kind } = object as KubeObject;
    await world.kube.create(resourceNamed(kind), object as Record<string, unknown>);
  });
}

/** Runs `work` on every item, at most `parallel` at the same time. */
export async function inParallel<T>(items: T[], parallel: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items].toReversed();
  const worker = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, worker));
}

/** All objects of a kind in the world's namespace. */
export async function listed(world: World, kind: string): Promise<KubeObject[]> {
  const { group, version, plural } = resourceNamed(kind);
  const list = await world.kube.raw(`/apis/${group}/${version}/namespaces/${world.namespace}/${plural}`);
  return (list as { items: KubeObject[] }).items;
}

/** Polls until all `count` objects of the kind pass; throws with those that do not. */
export async function untilAll(
  world: World,
  kind: string,
  count: number,
  what: (object: KubeObject) => boolean,
  timeoutMs: number,
): Promise<KubeObject[]> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const objects = await listed(world, kind);
    const left = objects.filter((object) => !what(object));
    if (objects.length === count && left.length === 0) return objects;
    if (Date.now() > end)
      throw new Error(`${objects.length} of ${count} ${kind}, ${left.length} not there:\n${shown(left)}`);
    await pause(100);
  }
}

export function isReady(object: KubeObject): boolean {
  const { status, metadata } = object;
  return status?.["observedGeneration"] === metadata.generation && conditionOf(object, "Ready")?.status === "True";
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Polls until the condition holds; throws naming `what` when it does not in time. */
export async function untilTrue(
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs: number,
  everyMs = 25,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await pause(everyMs);
  }
}

export function resourceNamed(kind: string) {
  const found = kinds.find((one) => one.kind === kind);
  if (!found) throw new Error(`no kind ${kind}`);
  return resourceOf(found);
}

function shown(objects: KubeObject[]): string {
  return objects
    .slice(0, 3)
    .map(({ metadata, status }) => `${metadata.name}: ${JSON.stringify(status)}`)
    .join("\n");
}

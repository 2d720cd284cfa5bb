import type { KubeObject, Resource } from "../../../src/cluster/types.ts";
import type { Condition } from "../../../src/core/kind/status-schema.ts";
import type { World } from "../../support/world.ts";
import { conditionOf } from "../../support/world.ts";
import type { Flux } from "./controller.ts";
import { sourceGroup } from "./definitions.ts";

/** A Kustomization in the namespace of a world, and the repository it applies. */
export interface Kustomization {
  /** Puts these objects into the repository in place of what was there, and waits for what Flux says of it. */
  push: (objects: object[]) => Promise<Verdict>;
  /** Asks Flux to reconcile, and waits for what it says. */
  reconcile: () => Promise<Verdict>;
  /** Deletes it, and waits until it is gone. */
  remove: () => Promise<void>;
}

export interface Verdict {
  ready: Condition;
  /** From the request to the verdict. */
  seconds: number;
}

const name = "shop";
const repository: Resource = {
  group: sourceGroup,
  version: "v1",
  plural: "gitrepositories",
  kind: "GitRepository",
  namespaced: true,
};
const resource: Resource = {
  group: "kustomize.toolkit.fluxcd.io",
  version: "v1",
  plural: "kustomizations",
  kind: "Kustomization",
  namespaced: true,
};
const timeoutMs = 150_000;

/** As the guide has it: `wait` and `prune`. Flux's own timers are too long to take part. */
export async function startKustomization(flux: Flux, { kube, namespace }: World): Promise<Kustomization> {
  const ref = { namespace, name };
  let asked = 0;
  const spec = {
    interval: "1h",
    retryInterval: "1h",
    timeout: "2m",
    path: "./",
    prune: true,
    wait: true,
    sourceRef: { kind: "GitRepository", name },
  };
  await kube.create(repository, object(repository, ref));
  await kube.create(resource, { ...object(resource, ref), spec });

  /** Flux writes down which request it has handled when it is done with it. */
  async function reconcile(): Promise<Verdict> {
    asked += 1;
    const started = performance.now();
    const annotations = { "reconcile.fluxcd.io/requestedAt": String(asked) };
    await kube.patch(resource, ref, { metadata: { annotations } });
    const done = await until(
      () => kube.get(resource, ref),
      (one) => one?.status?.["lastHandledReconcileAt"] === String(asked) && settled(one),
    );
    const ready = done && conditionOf(done, "Ready");
    if (!ready) throw new Error("the Kustomization has no condition Ready");
    return { ready, seconds: Math.round((performance.now() - started) / 100) / 10 };
  }
  return {
    async push(objects) {
      const text = objects.map((one) => JSON.stringify(one)).join("\n---\n");
      const artifact = flux.publish(`${namespace}/${name}`, { "objects.yaml": text });
      await kube.patch(repository, ref, { status: { artifact } });
      // It is told of the new revision by the watch, too; what it says counts once it is of this one.
      for (;;) {
        const verdict = await reconcile();
        const now = await kube.get(resource, ref);
        if (now?.status?.["lastAttemptedRevision"] === artifact.revision) return verdict;
      }
    },
    reconcile,
    async remove() {
      await kube.delete(resource, ref);
      await until(
        () => kube.get(resource, ref),
        (one) => one === undefined,
      );
    },
  };
}

function settled(one: KubeObject): boolean {
  return ["True", "False"].includes(conditionOf(one, "Ready")?.status ?? "");
}

async function until<T>(look: () => Promise<T>, what: (found: T) => boolean): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (what(found)) return found;
    if (performance.now() > end) throw new Error(`Flux did not get there: ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function object({ group, version, kind }: Resource, metadata: object) {
  return { apiVersion: `${group}/${version}`, kind, metadata };
}

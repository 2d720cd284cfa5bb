/**
 * Where the operator's rights come from a Role and a RoleBinding in each namespace, both outlive the objects there that
 * need them for their deletion: they carry the finalizer while any of these does (design, section 4).
 */
import type { Cache, KubeClient, KubeObject, Resource } from "../cluster/types.ts";
import type { Log } from "./environment.ts";
import { finalizer } from "./environment.ts";
import { isKubeError, Waiting } from "./outcome.ts";

export interface Rights {
  /**
   * Does `write`, which puts the finalizer on an object, while the rights in its namespace are held. Throws `Waiting`
   * where they are being taken away.
   */
  during: <T>(namespace: string, write: () => Promise<T>) => Promise<T>;
  /** Holds them wherever objects carry the finalizer already; what cannot be held is logged. */
  resume: (namespaces: string[]) => Promise<void>;
  /** Lets them go if no object of the namespace carries the finalizer any more. */
  release: (namespace: string) => Promise<void>;
}

interface RightsOptions {
  kube: KubeClient;
  log: Log;
  caches: ReadonlyMap<string, Cache>;
  /** Name of Role and RoleBinding in each namespace. */
  name: string;
}

const rbac = { group: "rbac.authorization.k8s.io", version: "v1", namespaced: true };
const grants: Resource[] = [
  { ...rbac, plural: "roles", kind: "Role" },
  { ...rbac, plural: "rolebindings", kind: "RoleBinding" },
];
const conflictRetries = 3;

export function createRights({ kube, log, caches, name }: RightsOptions): Rights {
  const held = new Set<string>();
  const writing = new Map<string, number>();
  const turns = new Map<string, Promise<void>>();

  /** Holding and releasing in one namespace come one after the other. */
  function inTurn(namespace: string, work: () => Promise<void>): Promise<void> {
    const turn = (turns.get(namespace) ?? Promise.resolve()).then(work);
    turns.set(
      namespace,
      turn.catch(() => undefined),
    );
    return turn;
  }

  const change = (namespace: string, finalizersOf: (object: KubeObject) => string[]): Promise<void> =>
    changeFinalizers(kube, { namespace, name }, finalizersOf);

  const hold = (namespace: string): Promise<void> =>
    inTurn(namespace, async () => {
      if (held.has(namespace)) return;
      await change(namespace, withFinalizer);
      held.add(namespace);
    });

  const inUse = (namespace: string): boolean =>
    (writing.get(namespace) ?? 0) > 0 ||
    [...caches.values()].some((cache) =>
      cache.list(namespace).some(({ metadata }) => metadata.finalizers?.includes(finalizer)),
    );

  return {
    async resume(namespaces) {
      for (const namespace of namespaces.filter(inUse))
        await hold(namespace).catch((error: unknown) => log.error({ namespace, error }, "the rights are not held"));
    },
    async during(namespace, write) {
      writing.set(namespace, (writing.get(namespace) ?? 0) + 1);
      try {
        await hold(namespace);
        return await write();
      } finally {
        writing.set(namespace, (writing.get(namespace) ?? 1) - 1);
      }
    },
    release: (namespace) =>
      inTurn(namespace, async () => {
        if (inUse(namespace)) return;
        held.delete(namespace);
        try {
          await change(namespace, withoutFinalizer);
        } catch (error) {
          const hint = `remove the finalizer ${finalizer} from Role and RoleBinding ${name} by hand if they do not go away`;
          log.error({ namespace, error }, `the rights in a namespace were not let go; ${hint}`);
        }
      }),
  };
}

function withFinalizer({ kind, metadata: { name, deletionTimestamp, finalizers = [] } }: KubeObject): string[] {
  if (finalizers.includes(finalizer)) return finalizers;
  if (deletionTimestamp === undefined) return [...finalizers, finalizer];
  throw new Waiting("RightsWithdrawn", `${kind} ${name} is being deleted, and with it the operator's rights here`);
}

function withoutFinalizer({ metadata: { finalizers = [] } }: KubeObject): string[] {
  return finalizers.filter((one) => one !== finalizer);
}

/**
 * Reads both, then writes both at once: whichever of them goes first takes with it the right to change the other.
 * Nothing where there is none of them: the rights come from elsewhere.
 */
async function changeFinalizers(
  kube: KubeClient,
  ref: { namespace: string; name: string },
  finalizersOf: (object: KubeObject) => string[],
): Promise<void> {
  for (let tried = 0; ; tried++) {
    const stored = await Promise.all(
      grants.map(async (resource) => ({ resource, object: await kube.get(resource, ref) })),
    );
    const patches = stored.flatMap(({ resource, object }) => {
      if (!object) return [];
      const { uid, resourceVersion, finalizers: before = [] } = object.metadata;
      const finalizers = finalizersOf(object);
      return finalizers.length === before.length ? [] : [{ resource, metadata: { uid, resourceVersion, finalizers } }];
    });
    const written = await Promise.allSettled(
      patches.map(({ resource, metadata }) => kube.patch(resource, ref, { metadata })),
    );
    const failed = written.find((one) => one.status === "rejected")?.reason as Error | undefined;
    if (failed === undefined) return;
    if (!isKubeError(failed) || failed.status !== 409 || tried >= conflictRetries) throw failed;
  }
}

/**
 * Protects the permissions of the operator in a namespace. If a Role and a RoleBinding grant the permissions, both have
 * the finalizer while an object of the namespace has the finalizer. The operator can then still delete the objects.
 */
import type { Cache, KubeClient, KubeObject, Resource } from "../../cluster/types.ts";
import type { Clock } from "../../queue/clock.ts";
import type { Log } from "../../queue/log.ts";
import { finalizer } from "../kind/resource.ts";
import { isKubeError, Waiting } from "../kind/outcome.ts";
import { times } from "../kind/times.ts";

export interface Permissions {
  /**
   * Calls `write`, which adds the finalizer to an object, while the permissions are protected. Throws `Waiting` if Role
   * or RoleBinding is being deleted.
   */
  during: <T>(namespace: string, write: () => Promise<T>) => Promise<T>;
  /**
   * Protects the permissions in namespaces with finalizers at the start, and releases the permissions elsewhere. Logs
   * failures.
   */
  resume: (namespaces: string[]) => Promise<void>;
  /** Releases the permissions if no object of the namespace has the finalizer. */
  release: (namespace: string) => Promise<void>;
}

interface PermissionsOptions {
  kube: KubeClient;
  clock: Clock;
  log: Log;
  caches: ReadonlyMap<string, Cache>;
  /** Name of Role and RoleBinding in each namespace. */
  name: string;
}

const rbac = { group: "rbac.authorization.k8s.io", version: "v1", namespaced: true };
const grantResources: Resource[] = [
  { ...rbac, plural: "roles", kind: "Role" },
  { ...rbac, plural: "rolebindings", kind: "RoleBinding" },
];

/** Time for the authorization of a request over HTTP/1.1, which does not signal the authorization, milliseconds. */
const headStartMs = 250;
export function createPermissions({ kube, clock, log, caches, name }: PermissionsOptions): Permissions {
  const held = new Set<string>();
  const writing = new Map<string, number>();
  const turns = new Map<string, Promise<void>>();

  /** Serializes the changes in one namespace. */
  function inTurn(namespace: string, work: () => Promise<void>): Promise<void> {
    const turn = (turns.get(namespace) ?? Promise.resolve()).then(work);
    turns.set(
      namespace,
      turn.catch(() => undefined),
    );
    return turn;
  }

  const hold = (namespace: string): Promise<void> =>
    inTurn(namespace, async () => {
      if (held.has(namespace)) return;
      for (const grant of await grantsOfNamespace(kube, { namespace, name })) await addFinalizer(kube, grant);
      held.add(namespace);
    });

  const inUse = (namespace: string): boolean =>
    (writing.get(namespace) ?? 0) > 0 || [...caches.values()].some((cache) => cache.list(namespace).some(carries));

  const free = (namespace: string, tries = 10): Promise<void> =>
    inTurn(namespace, async () => {
      if (inUse(namespace)) return;
      held.delete(namespace);
      try {
        const carrying = (await grantsOfNamespace(kube, { namespace, name })).filter(({ object }) => carries(object));
        await dropFinalizers(kube, clock, carrying);
      } catch (error) {
        const passing = !isKubeError(error) || error.status !== 403;
        if (passing && tries > 1) return void clock.schedule(times.again, () => void free(namespace, tries - 1));
        const hint = `remove the finalizer ${finalizer} from Role and RoleBinding ${name} by hand if they do not go away`;
        log.error({ namespace, error }, `the permissions in a namespace were not released; ${hint}`);
      }
    });

  return {
    async resume(namespaces) {
      for (const namespace of namespaces) {
        const done = inUse(namespace) ? hold(namespace) : free(namespace);
        await done.catch((error: unknown) => log.error({ namespace, error }, "the permissions are not held"));
      }
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
    release: (namespace) => (held.has(namespace) ? free(namespace) : Promise.resolve()),
  };
}

function carries({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/** Returns the existing Role and RoleBinding. Without a Role, the permissions have another source. */
async function grantsOfNamespace(kube: KubeClient, ref: { namespace: string; name: string }): Promise<Grant[]> {
  const stored = await Promise.all(
    grantResources.map(async (resource) => ({ resource, object: await kube.get(resource, ref) })),
  );
  return stored.flatMap(({ resource, object }) => (object ? [{ resource, object, ref }] : []));
}

interface Grant {
  resource: Resource;
  object: KubeObject;
  ref: { namespace: string; name: string };
}

async function addFinalizer(kube: KubeClient, { resource, object, ref }: Grant): Promise<void> {
  const { uid, resourceVersion, deletionTimestamp, finalizers = [] } = object.metadata;
  if (finalizers.includes(finalizer)) return;
  if (deletionTimestamp !== undefined) {
    const what = `${resource.kind} ${ref.name} is being deleted, and with it the permissions of the operator in this namespace. The operator creates nothing. Install the operator for this namespace again, unless the namespace is being deleted`;
    throw new Waiting("PermissionsWithdrawn", what);
  }
  await kube.patch(resource, ref, { metadata: { uid, resourceVersion, finalizers: [...finalizers, finalizer] } });
}

/**
 * Removes the finalizers. The end of the first object also ends the permission to change the second object. The
 * operator therefore patches the second object while the authorized request for the first object waits for its body.
 */
async function dropFinalizers(kube: KubeClient, clock: Clock, [first, ...rest]: Grant[]): Promise<void> {
  if (!first) return;
  const beforeBody = async (): Promise<void> => {
    await new Promise<void>((resolve) => void clock.schedule(headStartMs, resolve));
    await dropFinalizers(kube, clock, rest);
  };
  const { resource, object, ref } = first;
  const { uid, finalizers = [] } = object.metadata;
  // The patch has no `resourceVersion`: a conflict would leave a finalizer behind for ever.
  const patch = { metadata: { uid, finalizers: finalizers.filter((one) => one !== finalizer) } };
  if (rest.length > 0) await kube.patch(resource, ref, patch, { beforeBody });
  else await kube.patch(resource, ref, patch);
}

/** Whether the definition of a kind is being withdrawn from the cluster, and all its objects with it. */
import { group, version } from "../kind/resource.ts";
import { isKubeError, Waiting } from "../kind/outcome.ts";
import type { Reconciliation } from "./reconciliation.ts";

/** Deleting a definition deletes all objects of it; that is never meant for the cloud. */
export async function isDefinitionDeleted(at: Reconciliation): Promise<boolean> {
  const { environment, kind } = at;
  // Where Roles of namespaces give the permissions, nothing in the cluster may be read: it is not even tried.
  if (environment.permissions !== undefined) return isWithdrawn(at);
  try {
    const crd = await environment.kube.get(definitions, { name: `${kind.plural}.${group}` });
    return crd === undefined || crd.metadata.deletionTimestamp !== undefined;
  } catch (error) {
    if (!isKubeError(error) || error.status !== 403) throw error;
    return isWithdrawn(at);
  }
}

/**
 * Without the permission to read definitions, discovery shows it: no more objects of a definition that is being deleted can be created.
 * It follows a little later than the deletion of the objects, which therefore waits for it.
 */
async function isWithdrawn({ environment, kind, object }: Reconciliation): Promise<boolean> {
  const leftMs = discoveryDelayMs - environment.memory.deletingMs(object.metadata.uid, environment.clock.now());
  if (leftMs > 0)
    throw new Waiting("Deleting", "checking whether its CustomResourceDefinition is being deleted", leftMs);
  const { resources = [] } = (await environment.kube.raw(`/apis/${group}/${version}`)) as {
    resources?: { name: string; verbs: string[] }[];
  };
  return !resources.some(({ name, verbs }) => name === kind.plural && verbs.includes("create"));
}

const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

/** How long discovery may lag behind, milliseconds. */
const discoveryDelayMs = 3_000;

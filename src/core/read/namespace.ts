/** Reads if Kubernetes is deleting a namespace. */
import { isKubeError } from "../kind/outcome.ts";
import type { Environment } from "../model/environment.ts";
import { times } from "../kind/times.ts";

const namespaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };

/** Returns true if the namespace has a deletion timestamp. One read serves two seconds. Returns false after an error. */
export async function isEnding({ fresh, clock }: Environment, namespace: string): Promise<boolean> {
  const since = clock.now() - times.soon;
  try {
    const { value } = await fresh.getMetadata(namespaces, { name: namespace }, { answered: since, begun: since });
    return value?.metadata.deletionTimestamp !== undefined;
  } catch (error) {
    if (isKubeError(error)) return false;
    throw error;
  }
}

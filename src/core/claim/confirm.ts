import { refOf, resourceOf } from "../kind/resource.ts";
import { Waiting } from "../kind/outcome.ts";
import type { Reconciliation } from "../flow/reconciliation.ts";

/**
 * Before what cannot be undone the API server is asked, for the cache may lag behind: is it still this object, does it
 * still ask for the same, and is it still not being deleted? Throws `Waiting` when not, `KubeError` when it does not answer.
 */
export async function confirmStillMeant({ environment, kind, object, stray }: Reconciliation): Promise<void> {
  if (stray) return;
  const stored = await environment.kube.get(resourceOf(kind), refOf(object));
  const { uid, generation, deletionTimestamp } = object.metadata;
  const same = stored?.metadata.uid === uid && stored.metadata.generation === generation;
  if (same && (stored.metadata.deletionTimestamp === undefined) === (deletionTimestamp === undefined)) return;
  throw new Waiting("Updating", "this object changed during the reconcile", 500);
}

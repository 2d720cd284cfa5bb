import { refOf, resourceOf } from "./environment.ts";
import { Waiting } from "./outcome.ts";
import type { Reconciliation } from "./reconciliation.ts";

/**
 * Before what cannot be undone the API server is asked, for the cache may lag behind: is it still this object, and
 * still what it asks for? Throws `Waiting` when not, `KubeError` when it does not answer.
 */
export async function confirmStillMeant({ environment, kind, object }: Reconciliation): Promise<void> {
  const stored = await environment.kube.get(resourceOf(kind), refOf(object));
  const { uid, generation } = object.metadata;
  if (stored?.metadata.uid === uid && stored.metadata.generation === generation) return;
  throw new Waiting("Updating", "the object changed meanwhile", 500);
}

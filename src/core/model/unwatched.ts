/** Unwatched namespaces of an account. The operator cannot know the holders in an unwatched namespace. */
import type { KubeObject } from "../../cluster/types.ts";
import { everyNamespace, sharedWith } from "../account/sharing.ts";
import type { SharingList } from "../account/sharing.ts";

/**
 * Returns the unwatched namespaces in a list of `spec.sharing`; `*` alone if the list names every namespace. `watched`: the
 * namespaces of the operator, or undefined for all.
 */
export function unwatchedIn(
  cloudAccount: KubeObject,
  list: SharingList,
  watched: readonly string[] | undefined,
): string[] {
  if (watched === undefined) return [];
  const others = sharedWith(cloudAccount, list);
  return others.includes(everyNamespace) ? [everyNamespace] : others.filter((one) => !watched.includes(one));
}

/** Objects of the cluster that manage cloud objects, by collection and ID. */
import type { KubeObject } from "../cluster/types.ts";
import { specOf, statusOf } from "../core/kind/object.ts";
import { isKubeError } from "../core/kind/outcome.ts";
import type { Kind } from "../core/kind/owned.ts";
import { fixedCollectionOf } from "../core/model/note-claim.ts";
import { accountOf } from "../core/model/owners.ts";
import { kinds } from "../kinds/registry.ts";
import type { Cluster } from "./cluster.ts";

export interface Managers {
  /** Returns the object that manages a cloud object. An object with policy Observe does not manage it. */
  of: (collection: string, id: string) => KubeObject | undefined;
}

/** Reads the objects of all kinds in the cluster that use the CloudAccount. `account`: `namespace/name`. */
export async function readManagers(cluster: Cluster, account: string | undefined): Promise<Managers> {
  const managers = new Map<string, KubeObject>();
  const owned = kinds.filter(({ shape }) => shape === "owned");
  await Promise.all(owned.map(async (kind) => note(managers, kind, await everywhere(cluster, kind), account)));
  return { of: (collection, id) => managers.get(`${collection} ${id}`) };
}

/** Returns the objects of the cluster, or of the namespace if the user may not read the cluster. */
async function everywhere(cluster: Cluster, kind: Kind): Promise<KubeObject[]> {
  try {
    return await cluster.objects(kind);
  } catch (error) {
    if (!isKubeError(error) || error.status !== 403) throw error;
    return cluster.objects(kind, cluster.namespace);
  }
}

function note(managers: Map<string, KubeObject>, kind: Kind, objects: KubeObject[], account: string | undefined): void {
  const collection = fixedCollectionOf(kind);
  if (collection === undefined) return;
  for (const object of objects) {
    const { id } = statusOf(object);
    const isOther = account !== undefined && accountOf(object) !== account;
    if (id === undefined || isOther || specOf(object).management?.policy === "Observe") continue;
    managers.set(`${collection} ${id}`, object);
  }
}

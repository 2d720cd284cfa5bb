/** Copies the objects of one account from a cluster. Sends only reads. */
import { isDeepStrictEqual } from "node:util";
import type { KubeClient, KubeObject } from "../cluster/types.ts";
import { accountOf } from "../core/model/owners.ts";
import { resourceOf } from "../core/kind/resource.ts";
import { isKubeError } from "../core/kind/outcome.ts";
import { cloudAccount } from "../kinds/account/cloud-account.ts";
import { kinds } from "../kinds/registry.ts";
import { installationTagOf } from "../wiring/cluster.ts";

/** A client of the API server that can only read. */
export type ReadingKube = Pick<KubeClient, "get" | "list">;

export interface ClusterCopy {
  existing: KubeObject[];
  /** The tag of the installation; undefined if the user may not read the namespace kube-system. */
  installationTag: string | undefined;
  /** Names of endpoints that the CloudAccounts use. */
  endpoints: string[];
  /** Names `namespace/name` of the CloudAccounts for the account. */
  accounts: string[];
  /** Kinds that the user may read in `namespace` only. */
  limited: string[];
}

/** Reads the objects of all namespaces, or of `namespace` if the user may not read the whole cluster. */
export async function copyCluster(kube: ReadingKube, account: string, namespace: string): Promise<ClusterCopy> {
  const limited: string[] = [];
  const read = async (kind: Parameters<typeof resourceOf>[0]): Promise<KubeObject[]> => {
    const resource = resourceOf(kind);
    try {
      return await kube.list(resource, {});
    } catch (error) {
      if (!isKubeError(error)) throw error;
      // The definition does not exist, and neither do its objects.
      if (error.status === 404) return [];
      if (error.status !== 403) throw error;
      limited.push(kind.kind);
      return kube.list(resource, { namespace });
    }
  };
  const all = await Promise.all([...kinds, cloudAccount].map(read));
  const objects = all.flat();
  const accounts = accountsLike(objects, account);
  const isOurs = (object: KubeObject): boolean =>
    accounts.includes(object.kind === cloudAccount.kind ? nameOf(object) : accountOf(object));
  const own = objects.filter(isOurs);
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  return {
    existing: own,
    installationTag: await installationTagOf(kube, undefined, log),
    endpoints: ["default", ...own.flatMap(endpointOf)],
    accounts,
    limited,
  };
}

/** Returns the CloudAccounts with the identity of the given account: several can belong to one account. */
function accountsLike(objects: readonly KubeObject[], account: string): string[] {
  const accounts = objects.filter(({ kind }) => kind === cloudAccount.kind);
  const given = accounts.find((one) => nameOf(one) === account)?.status?.["identity"];
  const same = accounts.filter((one) => given !== undefined && isDeepStrictEqual(one.status?.["identity"], given));
  return [...new Set([account, ...same.map(nameOf)])];
}

function nameOf({ metadata: { namespace = "", name } }: KubeObject): string {
  return `${namespace}/${name}`;
}

function endpointOf({ kind, spec }: KubeObject): string[] {
  const endpoint = kind === cloudAccount.kind ? spec?.["endpoint"] : undefined;
  return typeof endpoint === "string" ? [endpoint] : [];
}

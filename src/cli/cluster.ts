/** The connection to the cluster, with the rights of the user. */
import { createKubeClient } from "../cluster/client.ts";
import { loadKubeConfig, namespaceOf } from "../cluster/credentials.ts";
import type { KubeConfigSource } from "../cluster/credentials.ts";
import { createTransport } from "../cluster/transport.ts";
import type { KubeClient, KubeObject } from "../cluster/types.ts";
import { isKubeError } from "../core/kind/outcome.ts";
import { resourceOf } from "../core/kind/resource.ts";
import type { Described } from "../core/kind/described.ts";
import type { Clock } from "../queue/clock.ts";
import { Failure, textOf } from "./failure.ts";
import type { Flags } from "./flags.ts";

export interface Cluster {
  kube: KubeClient;
  /** Namespace of `-n`, or of the context. */
  namespace: string;
  /** Namespace of lists; undefined with `-A`. */
  listed: string | undefined;
  /** Returns the objects of a kind in `namespace`, or in the whole cluster. Empty if the cluster does not know the kind. */
  objects: (kind: Pick<Described, "kind" | "plural" | "scope">, namespace?: string) => Promise<KubeObject[]>;
  close: () => Promise<void>;
}

/** The API server records changes of the user under this name, and changes of the operator under a different name. */
const fieldManager = "kubectl-cloudplatform";

/** Opens the connection. Throws `Failure` if no kubeconfig exists. Sends no request. */
export function openCluster({ kubeconfig, context, namespace, allNamespaces }: Flags, clock: Clock): Cluster {
  const source: KubeConfigSource = kubeconfig === undefined ? "default" : { file: kubeconfig };
  const load = () => loadKubeConfig(source, context);
  const config = loaded(load);
  const transport = createTransport({ config: load, clock });
  const kube = createKubeClient(transport, { fieldManager });
  const own = namespace ?? namespaceOf(config);
  return {
    kube,
    namespace: own,
    listed: allNamespaces === true ? undefined : own,
    async objects(kind, of) {
      try {
        return await kube.list(resourceOf(kind), { namespace: of });
      } catch (error) {
        // The definition does not exist, and neither do its objects.
        if (isKubeError(error) && error.status === 404) return [];
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

function loaded<T>(load: () => T): T {
  try {
    return load();
  } catch (error) {
    throw new Failure(
      `the kubeconfig cannot be used: ${textOf(error)}. Check --kubeconfig and --context, or use --token-file without a cluster`,
      { cause: error },
    );
  }
}

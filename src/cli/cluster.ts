/** The connection to the cluster, with the rights of the user. */
import { createKubeClient } from "../cluster/client.ts";
import { loadKubeConfig, namespaceOf } from "../cluster/credentials.ts";
import type { KubeConfigSource } from "../cluster/credentials.ts";
import { KubeError } from "../cluster/errors.ts";
import { createTransport } from "../cluster/transport.ts";
import type { Transport } from "../cluster/transport.ts";
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
  const transport = answering(
    createTransport({ config: load, clock }),
    config.getCurrentCluster()?.server ?? "",
    clock,
  );
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

/** Longest wait for the first answer of the API server, milliseconds. */
const firstAnswerMs = 9_000;

/**
 * Returns a transport that first asks for the version of the API server, once and without a retry. Without an answer, every request
 * fails immediately: the dozens of lists of a command would wait for their deadlines, one after the other.
 */
function answering(transport: Transport, server: string, clock: Clock): Transport {
  let first: Promise<void> | undefined;
  const version = { method: "GET", path: "/version", verb: "get", resource: "version", idempotent: false } as const;
  const silent = (why: string, cause?: unknown): KubeError =>
    new KubeError(`${server} does not answer (${why})`, { reason: "ConnectionFailed", sent: false, cause });
  const ask = async (): Promise<void> => {
    const late = Promise.withResolvers<never>();
    // The deadline of the transport does not end the wait for a connection.
    const cancel = clock.schedule(firstAnswerMs, () => late.reject(silent("no response in time")));
    try {
      await Promise.race([transport.request({ ...version, deadlineMs: firstAnswerMs }), late.promise]);
    } catch (error) {
      if (!(error instanceof KubeError) || error.status !== undefined) return;
      throw error.message.startsWith(server) ? error : silent(error.message.replace("get version: ", ""), error);
    } finally {
      cancel();
    }
  };
  return {
    ...transport,
    async request(request) {
      await (first ??= ask());
      return transport.request(request);
    },
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

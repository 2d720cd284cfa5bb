import { createKubeClient } from "../../../src/cluster/client.ts";
import { loadKubeConfig } from "../../../src/cluster/credentials.ts";
import { createTransport } from "../../../src/cluster/transport.ts";
import type { KubeClient, KubeObject } from "../../../src/cluster/types.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { applyObject } from "../../support/apply.ts";
import { resourceOfKind } from "../../support/world.ts";

/** A user of the API server. Each method throws a refusal as KubeError. */
export interface Actor {
  /** Server-side apply, in the order of the arguments. */
  apply: (...objects: object[]) => Promise<void>;
  /** Merge patch. */
  patch: (object: object, patch: object) => Promise<KubeObject>;
  remove: (object: object) => Promise<void>;
  /** Returns undefined for a missing object. */
  get: (object: object) => Promise<KubeObject | undefined>;
  kube: KubeClient;
  /** Sends a POST, for subresources such as `serviceaccounts/x/token`. */
  post: (path: string, body: object) => Promise<unknown>;
  close: () => Promise<void>;
}

/** Opens connections for the user of a kubeconfig. The caller closes them. */
export function openActor(kubeconfig: string): Actor {
  const transport = createTransport({ config: () => loadKubeConfig({ text: kubeconfig }), clock: systemClock });
  const kube = createKubeClient(transport);
  const placeOf = (object: object) => {
    const { kind, metadata } = object as KubeObject;
    const { name, namespace } = metadata;
    return { resource: resourceOfKind(kind), ref: { name, ...(namespace !== undefined && { namespace }) } };
  };
  return {
    kube,
    async apply(...objects) {
      for (const object of objects as KubeObject[]) await applyObject(transport, resourceOfKind(object.kind), object);
    },
    patch(object, patch) {
      const { resource, ref } = placeOf(object);
      return kube.patch(resource, ref, patch as Record<string, unknown>);
    },
    remove(object) {
      const { resource, ref } = placeOf(object);
      return kube.delete(resource, ref);
    },
    get(object) {
      const { resource, ref } = placeOf(object);
      return kube.get(resource, ref);
    },
    post: (path, body) =>
      transport.request({ method: "POST", path, body, idempotent: false, verb: "create", resource: "other" }),
    close: () => transport.close(),
  };
}

/** Issues a token of a ServiceAccount, valid for two hours. The ServiceAccount must exist. */
export async function tokenOf(admin: Actor, namespace: string, serviceAccount: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${serviceAccount}/token`;
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: 7_200 },
  };
  const { status } = (await admin.post(path, request)) as { status: { token: string } };
  return status.token;
}

/** Returns a kubeconfig for the API server and the token. */
export function kubeconfigOf(server: string, authority: string, token: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "local", cluster: { server, "certificate-authority-data": authority } }],
    users: [{ name: "user", user: { token } }],
    contexts: [{ name: "local", context: { cluster: "local", user: "user" } }],
    "current-context": "local",
  });
}

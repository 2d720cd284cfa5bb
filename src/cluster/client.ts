import { KubeError } from "./errors.ts";
import { listAll, listRequest, partial } from "./list.ts";
import { patchStatus } from "./patch-status.ts";
import { collectionPath, objectPath, withQuery } from "./paths.ts";
import { complete } from "./shelf.ts";
import type { Transport, TransportRequest } from "./transport.ts";
import type { KubeClient, KubeObject, PatchOptions, Resource } from "./types.ts";

/** Field manager of the operator in the API server. */
export const fieldManager = "cloud-platform-operator";

/** With an older CRD in the cluster, an unknown field is only a warning. */
const fieldValidation = "Warn";

export interface KubeClientOptions {
  /** Defaults to the field manager of the operator. */
  fieldManager?: string;
  /** Milliseconds for each call, including retries. The transport's default is 30,000. */
  deadlineMs?: number;
}

/**
 * Creates a client over a transport. After a lost connection, the client repeats reads, deletes and patches without a
 * resourceVersion. The client does not repeat a create or a guarded patch, because the second response would be wrong.
 */
export function createKubeClient(
  transport: Transport,
  { fieldManager: manager = fieldManager, ...options }: KubeClientOptions = {},
): KubeClient {
  const writing = { fieldManager: manager, fieldValidation };
  const request = (call: TransportRequest) => transport.request({ ...options, ...call });
  const client: KubeClient = {
    async get(resource, ref, { metadataOnly = false } = {}) {
      const read = { method: "GET", path: objectPath(resource, ref), idempotent: true } as const;
      const accept = metadataOnly && { accept: partial("PartialObjectMetadata") };
      const found = await orUndefined(request({ ...read, ...accept, ...counted("get", resource) }));
      if (found !== undefined && !isObject(found))
        throw new KubeError(`get ${resource.plural}: the response of the API server is not an object`, {
          reason: "InvalidAnswer",
        });
      return found;
    },

    async list(resource, { namespace, fields, metadataOnly = false }) {
      const what = { resource, metadataOnly, ...(namespace !== undefined && { namespace }), ...(fields && { fields }) };
      const { objects } = await listAll(transport, listRequest(what), complete(resource));
      return objects;
    },

    async create(resource, object, options) {
      const { namespace, name } = object["metadata"] as { namespace?: string; name?: string };
      const path = withQuery(collectionPath(resource, namespace), { ...writing, ...dryRunOf(options) });
      const write = { method: "POST", path, body: object, idempotent: false } as const;
      return (await request({ ...write, name, ...counted("create", resource) })) as KubeObject;
    },

    async patch(resource, ref, patch, options) {
      const subresource = options?.subresource;
      const path = objectPath(resource, ref) + (subresource === undefined ? "" : `/${subresource}`);
      const answer = await request({
        method: "PATCH",
        path: withQuery(path, { ...writing, ...dryRunOf(options) }),
        name: ref.name,
        body: patch,
        contentType: "application/merge-patch+json",
        idempotent: !isGuarded(patch) && options?.beforeBody === undefined,
        ...(options?.beforeBody && { beforeBody: options.beforeBody }),
        ...counted(subresource === undefined ? "patch" : `patch-${subresource}`, resource),
      });
      return answer as KubeObject;
    },

    patchStatus: (resource, object, status) => patchStatus(client, resource, object, status),

    async delete(resource, ref, preconditions) {
      const body = { apiVersion: "v1", kind: "DeleteOptions", ...(preconditions ? { preconditions } : {}) };
      const write = {
        method: "DELETE",
        path: objectPath(resource, ref),
        name: ref.name,
        body,
        idempotent: true,
      } as const;
      await orUndefined(request({ ...write, ...counted("delete", resource) }));
    },

    raw: (path) => request({ method: "GET", path, idempotent: true, verb: "get", resource: "raw" }),
  };
  return client;
}

/** Returns true for a Kubernetes object. A proxy may have answered instead of the API server. */
function isObject(answer: unknown): answer is KubeObject {
  const { metadata } = (answer ?? {}) as Partial<KubeObject>;
  return typeof metadata === "object" && metadata !== null;
}

function dryRunOf({ dryRun = false }: PatchOptions = {}): Record<string, string> {
  return dryRun ? { dryRun: "All" } : {};
}

function isGuarded(patch: Record<string, unknown>): boolean {
  const metadata = patch["metadata"] as { resourceVersion?: string } | undefined;
  return metadata?.resourceVersion !== undefined;
}

function counted(verb: string, resource: Resource): { verb: string; resource: string } {
  return { verb, resource: resource.plural };
}

async function orUndefined(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KubeError && error.notFound) return undefined;
    throw error;
  }
}

/** The operator's client of the API server, on objects in memory. */
import { keyOf } from "../cluster/paths.ts";
import { patchStatus } from "../cluster/patch-status.ts";
import type { KubeClient, KubeObject } from "../cluster/types.ts";
import { discoveryOf, servedOf } from "./definitions.ts";
import type { Objects } from "./objects.ts";

/** One call of the client that stores something. */
export interface WriteCall {
  verb: "create" | "patch" | "patch-status" | "delete";
  resource: string;
  key: string;
  body?: object;
}

type Patch = Record<string, unknown>;

export interface KubeClientOptions {
  objects: Objects;
  /** Runs a call that stores nothing. */
  read: <T>(run: () => T) => Promise<T>;
  /** Runs a call that stores something. `run` stores the given patch in place of the sent patch. */
  write: <T>(call: WriteCall, run: (patch?: Patch) => T) => Promise<T>;
}

export function createMemoryClient({ objects, read, write }: KubeClientOptions): KubeClient {
  const client: KubeClient = {
    get: (resource, ref, { metadataOnly = false } = {}) =>
      read(() => {
        const found = servedOf(resource, objects.get(resource, ref));
        return found && metadataOnly ? metadataOf(found) : found;
      }),
    list: (resource, options) =>
      read(() => objects.list(resource, options).map((one) => (options.metadataOnly ? metadataOf(one) : one))),
    create: (resource, object, { dryRun = false } = {}) => {
      const run = () => objects.create(resource, object, dryRun);
      if (dryRun) return read(run);
      const { namespace, name } = object["metadata"] as { namespace?: string; name: string };
      const key = namespace === undefined ? name : `${namespace}/${name}`;
      return write({ verb: "create", resource: resource.plural, key, body: object }, run);
    },
    async patch(resource, ref, patch, options) {
      await options?.beforeBody?.();
      if (options?.dryRun) return read(() => objects.patch(resource, ref, patch, undefined, options.dryRun));
      const status = options?.subresource;
      const verb = status ? "patch-status" : "patch";
      return write({ verb, resource: resource.plural, key: keyOf(ref), body: patch }, (other = patch) =>
        objects.patch(resource, ref, other, status),
      );
    },
    patchStatus: (resource, object, status) => patchStatus(client, resource, object, status),
    delete: (resource, ref, preconditions) =>
      write({ verb: "delete", resource: resource.plural, key: keyOf(ref) }, () => {
        if (objects.get(resource, ref)) objects.beginDelete(resource, ref, preconditions)();
      }),
    raw: (path) => read(() => discoveryOf(path)),
  };
  return client;
}

function metadataOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata };
}

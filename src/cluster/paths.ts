import { KubeError } from "./errors.ts";
import type { ObjectRef, Resource } from "./types.ts";

/** Returns the path of a collection, in one namespace or in the whole cluster. Throws like `objectPath`. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const root = resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${segmentOf(namespace)}` : "";
  return `${root}${scope}/${resource.plural}`;
}

/**
 * Returns the path of one object.
 *
 * @throws KubeError with status 404 for the names `.`, `..` and the empty name, because a URL would resolve to another path
 */
export function objectPath(resource: Resource, ref: ObjectRef): string {
  return `${collectionPath(resource, ref.namespace)}/${segmentOf(ref.name)}`;
}

function segmentOf(name: string): string {
  if (!["", ".", ".."].includes(name)) return encodeURIComponent(name);
  throw new KubeError(`no object has the name "${name}"`, { status: 404, reason: "NotFound", sent: false });
}

/** Returns `namespace/name`, or `name` for a cluster-scoped object. `join` creates a flat string, to save memory. */
export function keyOf(ref: ObjectRef): string {
  return ref.namespace === undefined ? ref.name : [ref.namespace, ref.name].join("/");
}

export function apiVersionOf(resource: Resource): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** Appends a query without the undefined entries. */
export function withQuery(path: string, query: Record<string, string | undefined>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  const text = parameters.toString();
  return text === "" ? path : `${path}?${text}`;
}

import { KubeError } from "./errors.ts";
import type { ObjectRef, Resource } from "./types.ts";

/** Path of a resource's collection: of one namespace, or of all where none is named. Throws as `objectPath` does. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const root = resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${segmentOf(namespace)}` : "";
  return `${root}${scope}/${resource.plural}`;
}

/**
 * Path of one object.
 *
 * @throws KubeError with the status 404 for the names `.`, `..` and the empty one: no object has them, and a URL with them
 *   names another path
 */
export function objectPath(resource: Resource, ref: ObjectRef): string {
  return `${collectionPath(resource, ref.namespace)}/${segmentOf(ref.name)}`;
}

function segmentOf(name: string): string {
  if (!["", ".", ".."].includes(name)) return encodeURIComponent(name);
  throw new KubeError(`no object has the name "${name}"`, { status: 404, reason: "NotFound", sent: false });
}

/** `namespace/name`, or `name` where cluster-scoped: one text, where a template would keep its pieces beside it. */
export function keyOf(ref: ObjectRef): string {
  return ref.namespace === undefined ? ref.name : [ref.namespace, ref.name].join("/");
}

export function apiVersionOf(resource: Resource): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** Appends a query; entries that are undefined are left out. */
export function withQuery(path: string, query: Record<string, string | undefined>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  const text = parameters.toString();
  return text === "" ? path : `${path}?${text}`;
}

import type { ObjectRef, Resource } from "./types.ts";

/** Path of a resource's collection: of one namespace, or of all where none is named. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const root = resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}${scope}/${resource.plural}`;
}

export function objectPath(resource: Resource, ref: ObjectRef): string {
  return `${collectionPath(resource, ref.namespace)}/${encodeURIComponent(ref.name)}`;
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

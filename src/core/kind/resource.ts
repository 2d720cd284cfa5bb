/** Names of the group's objects: API resource, key of the queue and the indexes, and reference. */
import type { KubeObject, ObjectRef, OwnerReference, Resource } from "../../cluster/types.ts";
import type { Described } from "./described.ts";

export const group = "cloudplatform.dev";
export const version = "v1alpha1";
export const finalizer = "cloudplatform.dev/operator";

export function resourceOf(kind: Pick<Described, "kind" | "plural" | "scope">): Resource {
  return { group, version, plural: kind.plural, kind: kind.kind, namespaced: kind.scope !== "Cluster" };
}

/**
 * Returns the key of an object in the queue and the indexes. Uses `join`, because a template string would also keep its parts in
 * memory.
 */
export function keyOf(kind: string, namespace: string, name: string): string {
  return [kind, namespace, name].join("/");
}

export function keyOfObject({ kind, metadata }: KubeObject): string {
  return keyOf(kind, metadata.namespace ?? "", metadata.name);
}

export function parseKey(key: string): { kind: string; namespace: string; name: string } {
  const [kind = "", namespace = "", name = ""] = key.split("/");
  return { kind, namespace, name };
}

/** Returns the name of an object for messages, such as `ComputeInstance shop/web-1`. */
export function nameOfKey(key: string): string {
  const { kind, namespace, name } = parseKey(key);
  return `${kind} ${namespace}/${name}`;
}

export function ownerReferenceTo({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: false };
}

/** Returns true if the first object is the controlling owner of the second. An object can have further owners. */
export function controls({ metadata: { uid } }: KubeObject, { metadata }: KubeObject): boolean {
  return metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.controller === true) ?? false;
}

export function refOf({ metadata }: KubeObject): ObjectRef {
  return { name: metadata.name, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) };
}

/** Kinds with the same name in Kubernetes. kubectl resolves the short name to the kind of Kubernetes. */
const shadowed = new Set(["IPAddress"]);

/** Returns the name of a kind for a kubectl command. */
export function nameForKubectl(kind: string): string {
  const name = kind.toLowerCase();
  return shadowed.has(kind) ? `${name}.${group}` : name;
}

/** What objects of our group are called: as resource, as key in the queue and the indexes, and as reference. */
import type { KubeObject, ObjectRef, OwnerReference, Resource } from "../../cluster/types.ts";
import type { Described } from "./described.ts";

export const group = "cloudplatform.dev";
export const version = "v1alpha1";
export const finalizer = "cloudplatform.dev/operator";

export function resourceOf(kind: Pick<Described, "kind" | "plural" | "scope">): Resource {
  return { group, version, plural: kind.plural, kind: kind.kind, namespaced: kind.scope !== "Cluster" };
}

/** Key of an object in the queue and in the index of dependents: one text, where a template would keep its pieces beside it. */
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

/** For messages: `ComputeInstance shop/web-1`. */
export function nameOfKey(key: string): string {
  const { kind, namespace, name } = parseKey(key);
  return `${kind} ${namespace}/${name}`;
}

export function ownerReferenceTo({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: false };
}

/** Several may own what only one controls. */
export function controls({ metadata: { uid } }: KubeObject, { metadata }: KubeObject): boolean {
  return metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.controller === true) ?? false;
}

export function refOf({ metadata }: KubeObject): ObjectRef {
  return { name: metadata.name, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) };
}

/** Kinds that Kubernetes has as well: kubectl takes the bare name for its own. */
const shadowed = new Set(["IPAddress"]);

/** A kind as a command line names it. */
export function nameForKubectl(kind: string): string {
  const name = kind.toLowerCase();
  return shadowed.has(kind) ? `${name}.${group}` : name;
}

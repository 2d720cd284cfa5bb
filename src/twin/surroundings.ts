/** Objects of every cluster that the operator reads. */
import { kinds } from "../kinds/registry.ts";
import { cloudAccount } from "../kinds/account/cloud-account.ts";
import { crdName } from "../generate/crd.ts";
import type { Objects } from "./objects.ts";

const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};
const namespaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };

/** Adds the system namespace, the namespace `default`, and the definitions of all kinds. */
export function addNamespaces(objects: Objects): void {
  for (const name of ["kube-system", "default"]) objects.create(namespaces, { metadata: { name } });
  for (const kind of [...kinds, cloudAccount]) objects.create(definitions, { metadata: { name: crdName(kind) } });
}

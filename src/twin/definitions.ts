/** Resources of the kinds, their definitions as the API server serves them, and its discovery documents. */
import type { KubeObject, Resource } from "../cluster/types.ts";
import type { Described } from "../core/kind/described.ts";
import { memoize } from "../core/kind/memoize.ts";
import { resourceOf } from "../core/kind/resource.ts";
import { customResourceDefinition, resourceOf as definitionOf } from "../generate/crd.ts";
import { cloudAccount } from "../kinds/account/cloud-account.ts";
import { kinds, mirrors } from "../kinds/registry.ts";

/** Resources of the kinds that users write, by kind. */
export const resources: ReadonlyMap<string, Resource> = new Map(
  [...kinds, cloudAccount].map((kind) => [kind.kind, resourceOf(kind)]),
);

/** Resources of the kinds that the operator writes from catalogs, by kind. */
export const catalogResources: ReadonlyMap<string, Resource> = new Map(
  mirrors.map((mirror) => [mirror.kind, resourceOf(mirror)]),
);

/** Returns the installed resources by kind. `undefined` installs all kinds. */
export function installedOf(installed: ReadonlySet<string> | undefined): ReadonlyMap<string, Resource> {
  return installed ? new Map([...resources].filter(([kind]) => installed.has(kind))) : resources;
}

/** Returns the `spec` of the generated definition of a kind. */
export const generated = memoize(
  (kind: Described) => customResourceDefinition(definitionOf(kind)).spec as unknown as Record<string, unknown>,
);

/** Adds the generated schema to a stored definition without a schema. Returns other objects unchanged. */
export function servedOf(resource: Resource, found: KubeObject | undefined): KubeObject | undefined {
  if (!found || resource.plural !== "customresourcedefinitions" || found.spec) return found;
  const kind = [...kinds, cloudAccount].find(({ plural }) => found.metadata.name.startsWith(`${plural}.`));
  return kind ? { ...found, spec: generated(kind) } : found;
}

/** Returns the response to a GET of a discovery path: the resources of the group, or the published schemas. */
export function discoveryOf(path: string): unknown {
  if (path === "/openapi/v3")
    return { paths: { "apis/cloudplatform.dev/v1alpha1": { serverRelativeURL: "/openapi/v3/apis?hash=1" } } };
  if (path.startsWith("/openapi/v3/")) return { components: { schemas: published() } };
  return { resources: [...resources.values()].map(({ plural }) => ({ name: plural, verbs: ["create"] })) };
}

function published(): Record<string, object> {
  const of = { group: "cloudplatform.dev", version: "v1alpha1" };
  return Object.fromEntries(
    [...kinds, cloudAccount].map((kind) => {
      const { versions } = generated(kind) as { versions: { schema: { openAPIV3Schema: object } }[] };
      const schema = versions[0]?.schema.openAPIV3Schema;
      return [kind.kind, { ...schema, "x-kubernetes-group-version-kind": [{ ...of, kind: kind.kind }] }];
    }),
  );
}

/** Checks the CustomResourceDefinitions in the API server against this version of the program. */
import type { KubeClient } from "../../cluster/types.ts";
import { isKubeError } from "../../core/kind/outcome.ts";
import { version } from "../../core/kind/resource.ts";
import { crdName, customResourceDefinition, resourceOf } from "../../generate/crd.ts";
import { namedKinds } from "../objects.ts";
import type { NamedKind } from "../objects.ts";
import { ok, unknown, wrong } from "./finding.ts";
import type { Finding } from "./finding.ts";

const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

const check = "definitions";
const cure =
  "Apply the definitions of this version: helm upgrade with crds.enabled, or kubectl apply --server-side -f deploy/crd";

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
}

export async function checkDefinitions(kube: KubeClient): Promise<Finding[]> {
  try {
    const found = await Promise.all(namedKinds.map((kind) => problemOf(kube, kind)));
    const problems = found.filter((one) => one !== undefined);
    const [first] = problems;
    if (first === undefined) return [ok(check, `${namedKinds.length} definitions have all fields of this version`)];
    const more = problems.length > 1 ? `, and ${problems.length - 1} more definitions have a problem` : "";
    return [wrong(check, `${first}${more}`, cure)];
  } catch (error) {
    if (!isKubeError(error) || error.status !== 403) throw error;
    return [unknown(check, "you may not read CustomResourceDefinitions")];
  }
}

async function problemOf(kube: KubeClient, kind: NamedKind): Promise<string | undefined> {
  const name = crdName(kind);
  const found = await kube.get(definitions, { name });
  if (!found) return `${name} is not installed`;
  const wanted = schemaIn(customResourceDefinition(resourceOf(kind)).spec);
  const field = missingIn(wanted, schemaIn(found.spec));
  return field === undefined ? undefined : `${name} has no field ${field}`;
}

function schemaIn(spec: unknown): Schema {
  const { versions = [] } = (spec ?? {}) as { versions?: { name: string; schema?: { openAPIV3Schema?: Schema } }[] };
  return versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema ?? {};
}

/** Returns the first field that the second schema lacks. */
function missingIn(wanted: Schema, served: Schema, path: readonly string[] = []): string | undefined {
  for (const [name, member] of Object.entries(wanted.properties ?? {})) {
    const other = served.properties?.[name];
    if (other === undefined) return [...path, name].join(".");
    const below = missingIn(member, other, [...path, name]);
    if (below !== undefined) return below;
  }
  return wanted.items === undefined ? undefined : missingIn(wanted.items, served.items ?? {}, [...path, "[]"]);
}

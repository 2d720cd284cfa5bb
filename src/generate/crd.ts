/** Creates the CustomResourceDefinition of a kind. */
import type { Described } from "../core/kind/described.ts";
import { selectableReferences } from "../core/kind/selectable.ts";
import { validation } from "./cel.ts";
import type { OpenApi } from "./open-api.ts";
import { remedyOf } from "./remedy.ts";
import { structural, type Structural } from "./structural.ts";
import { group, version } from "../core/kind/resource.ts";
import { widePath } from "../core/kind/wide-columns.ts";

/** Input of the CRD and of the reference. */
export interface Resource {
  kind: Described;
  spec: Structural;
  status: Structural;
}

export function resourceOf(kind: Described): Resource {
  return { kind, spec: structural(kind.spec, "spec", remedyOf(kind)), status: structural(kind.status, "status") };
}

export function crdName({ plural }: Described): string {
  return `${plural}.${group}`;
}

export function customResourceDefinition(resource: Resource) {
  const { kind } = resource;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: crdName(kind), labels: { "app.kubernetes.io/part-of": "cloud-platform-operator" } },
    spec: {
      group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.kind.toLowerCase(),
        shortNames: kind.shortNames,
        // `kubectl get cloudplatform` shows the objects of users.
        categories: [kind.scope === "Cluster" ? "cloudcatalogs" : "cloudplatform"],
      },
      scope: kind.scope ?? "Namespaced",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns(kind),
          ...selectable(kind),
          schema: { openAPIV3Schema: objectSchema(resource) },
        },
      ],
    },
  };
}

/** Returns the fields by which the operator lists the objects that refer to another object. */
function selectable(kind: Described) {
  const fields = [...selectableReferences(kind).values()].flat().flatMap(({ name, id }) => [name, id]);
  return fields.length === 0 ? {} : { selectableFields: fields.map((field) => ({ jsonPath: `.${field}` })) };
}

/** Returns the columns. The message is last, because its length differs most, and kubectl pads all other columns. */
function columns({ columns: own }: Described) {
  return [
    ...own.map(({ name, type = "string", jsonPath, description, long = false, priority = long ? 1 : 0 }) => ({
      name,
      type,
      jsonPath: long ? widePath(name) : jsonPath,
      ...(description !== undefined && { description }),
      priority,
    })),
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: "Message", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].message' },
  ];
}

function objectSchema({ kind, spec, status }: Resource): OpenApi {
  const rules = [...(kind.admission ?? []).map(validation), ...spec.rules];
  const named = rules.some(({ rule }) => rule.includes("self.metadata"));
  const empty = Object.keys(spec.schema.properties ?? {}).length === 0;
  return {
    description: kind.doc,
    type: "object",
    ...(!empty && { required: ["spec"] }),
    properties: {
      apiVersion: { description: "Version of the schema of this object.", type: "string" },
      kind: { description: "The kind of this object.", type: "string" },
      metadata: { type: "object", ...(named && { properties: { name: { type: "string", maxLength: 253 } } }) },
      ...(!empty && { spec: described(spec.schema, "Desired state.") }),
      // Before the first reconcile, tools must see a difference to metadata.generation.
      status: {
        ...described(status.schema, "Observed state. Only the operator writes the status."),
        default: { observedGeneration: -1 },
      },
    },
    ...(rules.length > 0 && { "x-kubernetes-validations": rules }),
  };
}

function described(schema: OpenApi, description: string): OpenApi {
  return { description, ...schema };
}

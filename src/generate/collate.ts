/** Collects the generated files as paths and texts: pure, sorted, and deterministic. */
import type { Described } from "../core/kind/described.ts";
import { clientSchemas } from "./client-schema.ts";
import { coveredGuide } from "./covered-guide.ts";
import { readme } from "./chart/readme.ts";
import { chartTemplates } from "./chart/templates.ts";
import { valuesFile } from "./chart/values-file.ts";
import { valuesSchemaFile } from "./chart/values-schema.ts";
import { customResourceDefinition, resourceOf, type Resource } from "./crd.ts";
import { journalPolicy } from "./journal-policy.ts";
import { kindsGuide } from "./kinds-guide.ts";
import type { LoadedKind } from "./load-kinds.ts";
import { deletionPolicy } from "./deletion.ts";
import { protectByDefaultPolicy, protectPolicy } from "./protect.ts";
import { riskPolicies } from "./risks.ts";
import { operatorNamespace, operatorRoles, operatorUser, peopleRoles } from "./rbac.ts";
import { reference } from "./reference.ts";
import { registrySource } from "./registry.ts";
import { kindSamples, sampleFiles } from "./samples.ts";
import { secretFieldProblems } from "./secret-fields.ts";
import { secretPolicies } from "./secret-policies.ts";
import { troubleshootingGuide } from "./troubleshooting.ts";
import { yaml, yamlFile, yamlHeader } from "./yaml.ts";

/** Folders from which the generator removes outdated files with its mark. */
export const generatedFolders = [
  "crds",
  "crds/schemas/*",
  "deploy/crd",
  "deploy/rbac",
  "deploy/admission",
  "deploy/samples",
  "examples/kinds/*",
  "charts/*/templates/crds",
];

export interface Collated {
  /** Text by path, relative to the project. */
  files: Map<string, string>;
  /** Changes that authors of kinds must make, one line each. A kind with a problem gets no CRD. */
  problems: string[];
}

export function collate(loaded: LoadedKind[]): Collated {
  const kinds = loaded.map(({ kind }) => kind);
  const resources = kinds.map(resourceOf);
  const sound = resources.filter((resource) => problemsOf(resource).length === 0);
  const samples = sampleFiles(kinds);
  const ofKinds = kindSamples(kinds);
  return {
    files: new Map([
      ...sound.map((resource) => crdFile(resource)),
      ["crds/README.md", reference(sound)],
      ...clientSchemas(sound),
      ...deployFiles(kinds),
      ...crdBase(sound),
      ...chartFiles(kinds, sound),
      ...[...samples.files].map(([name, text]): [string, string] => [`deploy/samples/${name}`, text]),
      ...[...ofKinds.files].map(([name, text]): [string, string] => [`examples/kinds/${name}`, text]),
      ["docs/troubleshooting.md", troubleshootingGuide()],
      ["docs/kinds.md", kindsGuide(loaded)],
      ["docs/covered.md", coveredGuide(loaded)],
      ["src/kinds/registry.ts", registrySource(loaded)],
    ]),
    problems: [
      ...resources.flatMap(problemsOf),
      ...kinds.flatMap(secretFieldProblems),
      ...samples.problems,
      ...ofKinds.problems,
    ],
  };
}

function crdFile(resource: Resource): [string, string] {
  // Definitions are large and deep. Unindented lists, as in Kubernetes' own tools, make the files smaller.
  const text = yaml(customResourceDefinition(resource), { indentSeq: false });
  return [`crds/${resource.kind.plural}.yaml`, yamlHeader + text];
}

/**
 * Returns a kustomization. Folders for `kubectl apply -f` have no kustomization, because `kubectl` reads every file.
 */
function kustomization(resources: string[], namespace?: string): string {
  const fields = { ...(namespace !== undefined && { namespace }), resources };
  return documents({ apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", ...fields });
}

function deployFiles(kinds: Described[]): [string, string][] {
  return [
    ["deploy/rbac/operator.yaml", documents(...operatorRoles(kinds))],
    ["deploy/rbac/people.yaml", documents(...peopleRoles(kinds))],
    ["deploy/rbac/kustomization.yaml", kustomization(["operator.yaml", "people.yaml"], operatorNamespace)],
    ["deploy/admission/protect.yaml", documents(...protectPolicy(kinds))],
    [
      "deploy/admission/journal.yaml",
      documents(...journalPolicy(kinds, { name: "journal.cloudplatform.dev", user: operatorUser })),
    ],
    ["deploy/admission/risks.yaml", documents(...riskPolicies(kinds))],
    ["deploy/admission/deletion.yaml", documents(...deletionPolicy(kinds, "false"))],
    ["deploy/admission/protect-by-default.yaml", documents(...protectByDefaultPolicy(kinds))],
    ["deploy/admission/secrets.yaml", documents(...secretPolicies(kinds))],
    [
      "deploy/admission/kustomization.yaml",
      kustomization(["protect.yaml", "journal.yaml", "risks.yaml", "deletion.yaml", "secrets.yaml"]),
    ],
  ];
}

/** Returns copies of the CRDs with a kustomization, because kustomize reads no other folder. */
function crdBase(resources: Resource[]): [string, string][] {
  const names = resources.map(({ kind }) => `${kind.plural}.yaml`);
  const copies = resources.map((resource): [string, string] => {
    const [path, text] = crdFile(resource);
    return [`deploy/${path.replace("crds/", "crd/")}`, text];
  });
  return [...copies, ["deploy/crd/kustomization.yaml", kustomization(names)]];
}

function chartFiles(kinds: Described[], sound: Resource[]): [string, string][] {
  return [
    ...chartTemplates(kinds, sound),
    ["charts/cloud-platform-operator/values.yaml", valuesFile()],
    ["charts/cloud-platform-operator/values.schema.json", valuesSchemaFile()],
    ["charts/cloud-platform-operator/README.md", readme()],
  ];
}

function problemsOf({ kind, spec, status }: Resource): string[] {
  return [...spec.problems, ...status.problems].map((problem) => `${kind.kind} ${problem}`);
}

function documents(...contents: unknown[]): string {
  return yamlFile(contents.map((document) => ({ document })));
}

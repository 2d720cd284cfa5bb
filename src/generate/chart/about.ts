import type { Described } from "../../core/kind/described.ts";
import { crdName } from "../crd.ts";
import { version as apiVersion } from "../../core/kind/resource.ts";
import { exampleObject } from "../example-manifests.ts";
import { yaml, yamlFile } from "../yaml.ts";

/**
 * Returns Chart.yaml. The annotations are for Artifact Hub: kinds, examples and image. Source: Artifact Hub, "Helm
 * annotations". `version`: version of the program and of the chart.
 */
export function chartAbout(kinds: Described[], version: string): [string, string] {
  const repository = "ghcr.io/cloud-platform-operator/cloud-platform-operator";
  const document = {
    apiVersion: "v2",
    name: "cloud-platform-operator",
    description: "A Kubernetes operator that runs a cloud account from custom resources",
    type: "application",
    version,
    appVersion: version,
    kubeVersion: ">=1.33.0-0",
    keywords: ["operator", "cloud", "infrastructure"],
    annotations: {
      "artifacthub.io/category": "integration-delivery",
      "artifacthub.io/license": "Apache-2.0",
      "artifacthub.io/operator": "true",
      "artifacthub.io/operatorCapabilities": "Full Lifecycle",
      "artifacthub.io/images": yaml([{ name: "operator", image: `${repository}:${version}` }]),
      "artifacthub.io/crds": yaml(
        kinds.map((kind) => ({
          kind: kind.kind,
          version: apiVersion,
          name: crdName(kind),
          displayName: kind.kind,
          description: kind.doc,
        })),
      ),
      "artifacthub.io/crdsExamples": yaml(
        kinds.flatMap((kind) => kind.examples.slice(0, 1).map((example) => exampleObject(kind, example))),
      ),
    },
  };
  return ["charts/cloud-platform-operator/Chart.yaml", yamlFile([{ document }])];
}

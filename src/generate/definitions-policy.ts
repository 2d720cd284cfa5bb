import type { Described } from "../core/kind/described.ts";
import { crdName } from "./crd.ts";
import { policyWithBinding } from "./admission-policy.ts";
import type { AdmissionObject } from "./admission-policy.ts";

const name = "definitions.cloudplatform.dev";
const annotation = (of: string, key: string, fallback: string) =>
  `${of}.metadata.?annotations[?'cloudplatform.dev/${key}'].orValue('${fallback}')`;

/**
 * Returns the policy that rejects older definitions over newer definitions, for every tool. With older definitions, the
 * API server would drop newer fields from every object in a write. The chart numbers the definitions.
 */
export function definitionsPolicy(kinds: Described[]): AdmissionObject[] {
  const rule = {
    apiGroups: ["apiextensions.k8s.io"],
    apiVersions: ["*"],
    operations: ["UPDATE"],
    resources: ["customresourcedefinitions"],
    resourceNames: kinds.map(crdName),
  };
  const conditions = [
    `int(${annotation("object", "revision", "2147483647")}) >= int(${annotation("oldObject", "revision", "0")})`,
    `${annotation("object", "allow-downgrade", "false")} == 'true'`,
    "object.spec.versions == oldObject.spec.versions",
  ];
  const validation = {
    expression: conditions.join(" || "),
    message:
      "these definitions are older than the definitions in the cluster: the API server would drop newer fields from every object. Keep the newer chart, or, to downgrade on purpose, upgrade to the older chart with crds.allowDowngrade=true",
    reason: "Forbidden",
  };
  return policyWithBinding(name, {
    failurePolicy: "Fail",
    matchConstraints: { resourceRules: [rule] },
    validations: [validation],
  });
}

import type { Described } from "../core/kind/described.ts";
import { crdName } from "./crd.ts";
import type { AdmissionObject } from "./protect.ts";

const name = "definitions.cloudplatform.dev";
const apiVersion = "admissionregistration.k8s.io/v1";
const annotation = (of: string, key: string, fallback: string) =>
  `${of}.metadata.?annotations[?'cloudplatform.dev/${key}'].orValue('${fallback}')`;

/**
 * Older definitions over newer ones are refused, whatever tool applies them: the API server would drop the fields that
 * only the newer ones know from every object that is written afterwards. The chart numbers what it installs.
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
      "these definitions are older than the ones in the cluster: fields that only the newer ones know would be dropped from every object. Stay with the newer chart; or, where that is meant, upgrade to the older one with crds.allowDowngrade=true",
    reason: "Forbidden",
  };
  return [
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: { failurePolicy: "Fail", matchConstraints: { resourceRules: [rule] }, validations: [validation] },
    },
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: { policyName: name, validationActions: ["Deny"] },
    },
  ];
}
